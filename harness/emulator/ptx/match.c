/* Finds the row of opcodes.def that an instruction is. */
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/forms.h"

#define PARTS_MAX 31 /* of an instruction: bits of a mask */

struct matcher {
	const struct ptx_instruction *in;
	struct ptx_need has;
	const struct ptx_form *form;
	struct ptx_match best;
	int best_used;
	uint8_t classes[PARTS_MAX]; /* class_of() the parts */
};

/* What the parts so far need and take. */
struct state {
	uint32_t used; /* a bit for each part */
	struct ptx_need need;
	char more[sizeof((struct ptx_match *)0)->more]; /* operands that parts add */
	bool lacks_decoding;
};

static uint32_t all_parts(const struct ptx_instruction *in)
{
	return (1u << in->part_count) - 1;
}

bool ptx_need_met(struct ptx_need need, struct ptx_need has)
{
	const int family = need.target / 100 == has.target / 100 && has.target % 10 != 0;
	const bool target = need.target % 10 == 5   ? has.target == need.target
						: need.target % 10 == 3 ? family && has.target / 10 >= need.target / 10
												: has.target >= need.target;
	return target && has.version >= need.version;
}

/* ------------------------------------------------------------------------
 * Parts */

bool ptx_range_has(const char *text, long value)
{
	char *end;
	const long least = strtol(text + 1, &end, 10), most = strtol(end + 1, &end, 10);
	const bool doubles = end[1] == 'x';
	const long step = strtol(end + 1 + doubles, &end, 10);
	if (value < least || value > most)
		return false;
	return doubles ? value % least == 0 && (value / least & (value / least - 1)) == 0
				   : (value - least) % step == 0;
}

static const char *part_end(const char *pattern)
{
	return pattern + 1 + strcspn(pattern + 1, " .|(){}@+!");
}

/* "m64n<8:256:8>k16" and "m64n128k16" */
static bool part_is(const char *pattern, const char *end, const char *part)
{
	while (pattern < end) {
		if (*pattern != '<') {
			if (*pattern++ != *part++)
				return false;
			continue;
		}
		char *after;
		if (*part < '1' || *part > '9' || !ptx_range_has(pattern, strtol(part, &after, 10)))
			return false;
		part = after;
		pattern = strchr(pattern, '>') + 1;
	}
	return *part == '\0';
}

/* Parts of one class stand in the order of the row: types, layouts, state spaces, priorities of
 * eviction; 0: in any. */
static int class_of(const char *part)
{
	static const char *const spaces[] = {"global", "shared", "shared::cta", "shared::cluster"};
	if (ptx_type_named(part) != PTX_NONE)
		return 1;
	if (strcmp(part, "row") == 0 || strcmp(part, "col") == 0)
		return 2;
	for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
		if (strcmp(part, spaces[i]) == 0)
			return 3;
	return strncmp(part, "L2::evict_", 10) == 0 ? 4 : 0;
}

/* The part that the one at `pattern` can be: none of those before it in its class is left. */
static int find_part(const struct matcher *matcher, uint32_t used, const char *pattern,
					 const char *end)
{
	const struct ptx_instruction *in = matcher->in;
	for (uint32_t i = 1; i < in->part_count; i++) {
		if (used >> i & 1 || !part_is(pattern + 1, end, in->parts[i]))
			continue;
		const int class = matcher->classes[i];
		for (uint32_t before = 1; class && before < i; before++)
			if (!(used >> before & 1) && matcher->classes[before] == class)
				return -1;
		return (int)i;
	}
	return -1;
}

/* ------------------------------------------------------------------------
 * Patterns */

/* Within a group: where its next alternative begins, or NULL; or what follows the group. */
static const char *skip(const char *pattern, bool to_alternative)
{
	for (int depth = 0; *pattern; pattern++) {
		if (*pattern == '(' || *pattern == '{')
			depth++;
		else if (*pattern == ')' || *pattern == '}') {
			if (depth-- == 0)
				return to_alternative ? NULL : pattern + 1;
		} else if (*pattern == '|' && depth == 0 && to_alternative)
			return pattern + 1;
	}
	return to_alternative ? NULL : pattern;
}

static const char *take_need(const char *pattern, struct ptx_need *need)
{
	char *end;
	int target = (int)strtol(pattern + 1, &end, 10) * 10;
	target += *end == 'a' ? 5 : *end == 'f' ? 3 : 0;
	end += target % 10 != 0;
	const int version = (int)strtol(end + 1, &end, 10);
	need->target = target > need->target ? target : need->target;
	need->version = version > need->version ? version : need->version;
	return end;
}

static bool operands_fit(const struct matcher *matcher, const struct state *state)
{
	uint32_t least = 0, most = 0;
	for (const char *c = matcher->form->operands; *c; c++) {
		most += c == matcher->form->operands || *c == ',';
		least += c == matcher->form->operands || *c == ',';
		least -= *c == '?';
	}
	const uint32_t count = matcher->in->operand_count;
	return count >= least + strlen(state->more) && count <= most + strlen(state->more);
}

/* Keeps the match that comes nearest. */
static void consider(struct matcher *matcher, const struct state *state,
					 enum ptx_match_status status, const char *missing)
{
	struct ptx_match *best = &matcher->best;
	const int used = __builtin_popcount(state->used);
	const bool cheaper = status == PTX_MATCH_NEED && (state->need.version < best->need.version ||
													  state->need.target < best->need.target);
	if (status < best->status || (status == best->status && used <= matcher->best_used && !cheaper))
		return;
	*best = (struct ptx_match){.status = status,
							   .form = matcher->form,
							   .missing = missing,
							   .need = state->need,
							   .lacks_decoding = state->lacks_decoding};
	memcpy(best->more, state->more, sizeof best->more);
	matcher->best_used = used;
	while (best->part < matcher->in->part_count && state->used >> best->part & 1)
		best->part++;
}

static bool finish(struct matcher *matcher, const struct state *state)
{
	const enum ptx_match_status status = state->used != all_parts(matcher->in) ? PTX_MATCH_PART
										 : !operands_fit(matcher, state)       ? PTX_MATCH_OPERANDS
										 : ptx_need_met(state->need, matcher->has) ? PTX_MATCH_FOUND
																				   : PTX_MATCH_NEED;
	consider(matcher, state, status, NULL);
	return status == PTX_MATCH_FOUND;
}

static bool match_at(struct matcher *matcher, const char *pattern, struct state state);

static bool match_group(struct matcher *matcher, const char *pattern, const struct state *state)
{
	const char *next = pattern + 1;
	do {
		if (match_at(matcher, next, *state))
			return true;
		next = skip(next, true);
	} while (next != NULL);
	return *pattern == '{' && match_at(matcher, skip(pattern + 1, false), *state);
}

/* Whether what is at `pattern` and behind it takes all parts that are left. Patterns are short, and
 * one part decides most of their groups, so that trying them in turn is quick. */
static bool match_at(struct matcher *matcher, const char *pattern, struct state state)
{
	const uint32_t all = all_parts(matcher->in);
	for (; *pattern; pattern++) {
		switch (*pattern) {
		case '(':
		case '{': return match_group(matcher, pattern, &state);
		case '.': {
			const char *end = part_end(pattern);
			const int part = find_part(matcher, state.used, pattern, end);
			if (part < 0) {
				consider(matcher, &state, state.used == all ? PTX_MATCH_MISSING : PTX_MATCH_PART,
						 pattern);
				return false;
			}
			state.used |= 1u << part;
			pattern = end - 1;
			break;
		}
		case '|': pattern = skip(pattern + 1, false) - 1; break;
		case '@': pattern = take_need(pattern, &state.need) - 1; break;
		case '!': state.lacks_decoding = true; break;
		case '+': state.more[strlen(state.more)] = *++pattern; break;
		case '*': state.used = all; break;
		default: break; /* a blank, the end of a group */
		}
	}
	return finish(matcher, &state);
}

/* How many parts the name of an opcode has, if the instruction begins with them; 0: it does not. */
static uint32_t opcode_parts(const char *opcode, const struct ptx_instruction *in)
{
	for (uint32_t i = 0; i < in->part_count; i++) {
		const size_t length = strlen(in->parts[i]);
		if (strncmp(opcode, in->parts[i], length) != 0)
			return 0;
		if (opcode[length] == '\0')
			return i + 1;
		if (opcode[length] != '.')
			return 0;
		opcode += length + 1;
	}
	return 0;
}

struct ptx_match ptx_match(const struct ptx_instruction *in, struct ptx_need has)
{
	struct matcher matcher = {.in = in, .has = has, .best_used = -1};
	for (uint32_t i = 1; i < in->part_count && i < PARTS_MAX; i++)
		matcher.classes[i] = (uint8_t)class_of(in->parts[i]);
	enum ptx_opcode opcode = OPCODE_NONE;
	uint32_t named = 0;
	for (size_t i = 0; i < ptx_form_count && in->part_count <= PARTS_MAX; i++) {
		matcher.form = &ptx_forms[i];
		if (matcher.form->opcode != opcode) {
			opcode = matcher.form->opcode;
			named = opcode_parts(ptx_opcode_names[opcode], in);
		}
		const struct state state = {.used = (1u << named) - 1};
		if (named && match_at(&matcher, matcher.form->parts, state))
			break;
	}
	return matcher.best;
}
