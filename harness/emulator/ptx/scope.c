#include "emulator/ptx/scope.h"

#include <string.h>

uint32_t ptx_hash(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash ^ hash >> 15;
}

void ptx_scope_open(struct ptx_scopes *scopes)
{
	scopes->depth++;
}

void ptx_scope_close(struct ptx_scopes *scopes)
{
	/* the newest symbols head their buckets, so that they come off in order */
	while (scopes->last != NULL && scopes->last->depth == scopes->depth) {
		struct ptx_symbol *symbol = scopes->last;
		uint32_t bucket = ptx_hash(symbol->name, strlen(symbol->name)) % PTX_BUCKETS;
		scopes->buckets[bucket] = symbol->same_bucket;
		scopes->last = symbol->before;
	}
	scopes->depth--;
}

struct ptx_symbol *ptx_scope_add(struct ptx_scopes *scopes, enum ptx_symbol_kind kind,
								 const char *name)
{
	struct ptx_symbol *symbol = ptx_arena_take(scopes->arena, sizeof *symbol);
	if (symbol == NULL)
		return NULL;
	uint32_t bucket = ptx_hash(name, strlen(name)) % PTX_BUCKETS;
	symbol->kind = kind;
	symbol->name = name;
	symbol->depth = scopes->depth;
	symbol->same_bucket = scopes->buckets[bucket];
	scopes->buckets[bucket] = symbol;
	symbol->before = scopes->last;
	scopes->last = symbol;
	return symbol;
}

static struct ptx_symbol *find(struct ptx_scopes *scopes, const char *name, size_t length,
							   bool range)
{
	struct ptx_symbol *symbol = scopes->buckets[ptx_hash(name, length) % PTX_BUCKETS];
	for (; symbol != NULL; symbol = symbol->same_bucket)
		if ((symbol->kind == PTX_SYMBOL_RANGE) == range && strlen(symbol->name) == length &&
			memcmp(symbol->name, name, length) == 0)
			return symbol;
	return NULL;
}

struct ptx_symbol *ptx_scope_find(struct ptx_scopes *scopes, const char *name, size_t length)
{
	return find(scopes, name, length, false);
}

bool ptx_scope_register(struct ptx_scopes *scopes, const char *name, size_t length, uint32_t *index,
						enum ptx_type *type)
{
	struct ptx_symbol *symbol = find(scopes, name, length, false);
	if (symbol != NULL) {
		*index = symbol->base;
		*type = symbol->type;
		return symbol->kind == PTX_SYMBOL_REGISTER;
	}
	size_t digits = 0;
	while (digits < length && digits < 9 && name[length - digits - 1] >= '0' &&
		   name[length - digits - 1] <= '9')
		digits++;
	uint32_t number = 0;
	for (size_t i = length - digits; i < length; i++)
		number = number * 10 + (uint32_t)(name[i] - '0');
	if (digits == 0 || (digits > 1 && name[length - digits] == '0'))
		return false;
	/* the prefix may end in digits itself: try the longest number first */
	for (; digits > 0; digits--) {
		symbol = find(scopes, name, length - digits, true);
		if (symbol != NULL && number < symbol->count) {
			*index = symbol->base + number;
			*type = symbol->type;
			return true;
		}
		uint32_t power = 1;
		for (size_t i = 1; i < digits; i++)
			power *= 10;
		number %= power;
	}
	return false;
}
