/* Names of PTX and the scopes that hold them. A brace opens a scope; a name is
 * looked up from the innermost one outwards. */
#ifndef EMULATOR_PTX_SCOPE_H
#define EMULATOR_PTX_SCOPE_H

#include "emulator/ptx/ir.h"

enum ptx_symbol_kind {
	PTX_SYMBOL_REGISTER,
	PTX_SYMBOL_RANGE,
	PTX_SYMBOL_VARIABLE,
	PTX_SYMBOL_FUNCTION
};

struct ptx_symbol {
	enum ptx_symbol_kind kind;
	const char *name;
	enum ptx_type type;
	uint32_t base, count; /* registers */
	struct ptx_variable *variable;
	struct ptx_function *function;
	uint32_t depth;
	struct ptx_symbol *same_bucket, *before;
};

#define PTX_BUCKETS 4096

struct ptx_scopes {
	struct ptx_arena *arena;
	struct ptx_symbol *buckets[PTX_BUCKETS];
	struct ptx_symbol *last;
	uint32_t depth;
};

uint32_t ptx_hash(const char *text, size_t length);
void ptx_scope_open(struct ptx_scopes *scopes);
void ptx_scope_close(struct ptx_scopes *scopes);
/* NULL when the arena is full. `name` must outlive the scope. */
struct ptx_symbol *ptx_scope_add(struct ptx_scopes *scopes, enum ptx_symbol_kind kind,
								 const char *name);
struct ptx_symbol *ptx_scope_find(struct ptx_scopes *scopes, const char *name, size_t length);
/* A register, also one of a range (%r<10> declares %r0 to %r9). */
bool ptx_scope_register(struct ptx_scopes *scopes, const char *name, size_t length, uint32_t *index,
						enum ptx_type *type);

#endif
