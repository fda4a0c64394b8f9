/* What the parser makes of PTX text: names resolved, nothing interpreted. The
 * meaning of an instruction is decided by decode/decode.c, so that an unknown one
 * costs nothing until a kernel reaches it. Everything lives in the module's
 * arena and is freed with it. */
#ifndef EMULATOR_PTX_IR_H
#define EMULATOR_PTX_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine.h"
#include "emulator/ptx/opcode.h"

enum ptx_type {
	PTX_NONE,
	PTX_PRED,
	PTX_B8,
	PTX_U8,
	PTX_S8,
	PTX_B16,
	PTX_U16,
	PTX_S16,
	PTX_F16,
	PTX_BF16,
	PTX_B32,
	PTX_U32,
	PTX_S32,
	PTX_F32,
	PTX_F16X2,
	PTX_BF16X2,
	PTX_TF32,
	PTX_B64,
	PTX_U64,
	PTX_S64,
	PTX_F64,
	PTX_B128,
	PTX_E4M3,
	PTX_E5M2,
	PTX_E4M3X2,
	PTX_E5M2X2,
	PTX_U16X2,
	PTX_S16X2,
	PTX_S4,
	PTX_U4,
	PTX_B1,
	PTX_TYPES
};

/* PTX_NONE when `name` (without the dot) is no type. */
enum ptx_type ptx_type_named(const char *name);
const char *ptx_type_name(enum ptx_type type);
size_t ptx_type_size(enum ptx_type type); /* bytes; 0 for predicates */
bool ptx_type_is_float(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);

enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_PARAM, PTX_REG };

struct ptx_function;

struct ptx_variable {
	const char *name;
	enum ptx_space space;
	enum ptx_type type;
	uint32_t align;
	uint64_t size;    /* bytes; 0: an unsized (dynamic) array */
	bool is_extern;   /* without storage of its own here */
	uint64_t address; /* .global, .const: device address, once placed */
	uint64_t offset;  /* parameters: within the parameter block */
	uint8_t *init;    /* `size` bytes, or NULL */
	struct ptx_relocation *relocations;
	struct ptx_variable *next;
	uint32_t index; /* shared, local: unique within the module */
};

/* "the address of `variable`, plus `addend`" within an initialiser */
struct ptx_relocation {
	struct ptx_variable *variable;
	struct ptx_function *function;
	uint64_t offset;
	int64_t addend;
	struct ptx_relocation *next;
};

enum ptx_operand_kind {
	PTX_OP_REGISTER,
	PTX_OP_INTEGER,  /* integer */
	PTX_OP_FLOAT,    /* number */
	PTX_OP_SPECIAL,  /* name: "%tid.x" */
	PTX_OP_VARIABLE, /* variable + integer */
	PTX_OP_FUNCTION,
	PTX_OP_LABEL,   /* integer: index of the statement it stands before */
	PTX_OP_VECTOR,  /* {a, b, ...}: items */
	PTX_OP_ADDRESS, /* [items[0] + integer]; further items: coordinates, barriers */
	PTX_OP_LIST,    /* (a, b): arguments of a call */
	PTX_OP_PAIR,    /* a|b: items */
	PTX_OP_SINK,    /* _ */
	PTX_OP_NAME,    /* a name that is nothing of the above; fails at the end */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	enum ptx_type type; /* registers: as declared */
	bool negated;       /* !p */
	bool has_selector;  /* registers: .b0, .h1 */
	bool is_binary;     /* a float given as 0f/0d */
	uint32_t reg;
	int64_t integer;
	double number;
	const char *name;
	struct ptx_variable *variable;
	struct ptx_function *function;
	struct ptx_operand *items;
	uint32_t count;
};

struct ptx_instruction {
	const char *opcode;  /* as written: "ld.global.f32" */
	enum ptx_opcode op;  /* its row of opcodes.def; OPCODE_NONE until the module was checked */
	bool has_result;     /* its first operand is one */
	const char *expects; /* what its row says of its operands: ptx/forms.h */
	const char **parts;  /* "ld", "global", "f32" */
	uint32_t part_count;
	struct ptx_operand *operands;
	uint32_t operand_count;
	int32_t guard; /* register of @p, or -1 */
	bool guard_negated;
	bool lacks_decoding; /* it is PTX, and not implemented here */
	int line;
	uint32_t file, outer_file; /* .loc, 0: none; outer: where it was inlined */
	int file_line, outer_line;
};

struct ptx_branch_table { /* .branchtargets, .calltargets, .callprototype */
	const char *name;
	uint32_t scope;
	struct ptx_operand *targets; /* PTX_OP_LABEL or PTX_OP_FUNCTION */
	uint32_t count;
};

struct ptx_function {
	const char *name;
	bool is_entry, has_body;
	bool address_taken; /* something but a call of it names it: a call through a pointer may come */
	struct ptx_module *module;
	struct ptx_variable *parameters, *results; /* linked lists, in order */
	size_t parameter_count, parameter_bytes;
	uint32_t register_count;
	enum ptx_type *register_types;
	struct ptx_instruction *code;
	uint32_t code_count;
	struct ptx_variable *locals, *shareds; /* declared within the body */
	struct ptx_branch_table *tables;
	uint32_t table_count;
	uint32_t max_threads, required_cluster[3], required_block[3];
	uint32_t max_cluster;     /* .maxclusterrank: blocks; 0: not said */
	bool explicit_cluster;    /* .explicitcluster: a launch has to have clusters */
	bool blocks_are_clusters; /* .blocksareclusters: the grid of a launch counts clusters */
	uint32_t max_registers, min_blocks; /* .maxnreg, .minnctapersm; 0: not said */
	struct ptx_function *next;
	struct exec_program *program; /* of an entry, decoded at first launch */
	int line;
};

struct ptx_file {
	uint32_t number;
	const char *name;
	struct ptx_file *next;
};

struct ptx_module {
	struct ptx_arena *arena;
	struct ptx_function *functions, *last_function;
	struct ptx_variable *variables, *last_variable; /* of module scope, every space */
	struct ptx_file *files;
	char target[32];
	int version; /* times ten */
	uint32_t variable_count;
	uint32_t shared_base; /* where the GPU's shared memory begins: module_set_shared_base() */
};

/* Memory of a module. Allocation fails (NULL) past a limit that bounds what a
 * hostile text can take. */
struct ptx_arena;
struct ptx_arena *ptx_arena_create(size_t limit);
void ptx_arena_free(struct ptx_arena *arena);
void *ptx_arena_take(struct ptx_arena *arena, size_t bytes); /* zeroed */
char *ptx_arena_copy(struct ptx_arena *arena, const char *text, size_t length);

/* NULL and *fault on failure. Variables are not placed in memory yet. */
struct ptx_module *ptx_parse(const char *text, size_t length, struct fault *fault);
void ptx_module_free(struct ptx_module *module);

#endif
