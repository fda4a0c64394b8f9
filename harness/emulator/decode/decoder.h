/* Shared by the files that turn PTX instructions into decoded ones. A decoder
 * function takes a handler by operation and form, sets the operands and is done; whatever
 * it does not know it leaves to decode_unsupported(). */
#ifndef EMULATOR_DECODE_DECODER_H
#define EMULATOR_DECODE_DECODER_H

#include "emulator/decode/handlers.h"
#include "emulator/exec/program.h"
#include "emulator/exec/sub.h"

struct decode_placed { /* where a variable lies, for one inlined instance or all */
	const struct ptx_variable *variable;
	uint64_t address;
};

struct decode_fixup {
	uint32_t code, statement;
	int32_t list; /* >= 0: entry of the program's lists instead of code's target */
};

/* A function being decoded: the kernel, or a device function inlined into it. */
struct decode_frame {
	const struct ptx_function *function;
	struct decode_frame *caller;
	int32_t *slots;       /* register -> offset or predicate index, -1 unknown */
	bool *pending;        /* register -> a wgmma works on it; NULL: none does */
	uint32_t *last;       /* register -> the last statement of its life */
	bool *shares;         /* register -> may take a slot that others had */
	uint32_t *ends;       /* statement -> a register, + 1, whose life ends there */
	uint32_t *next_end;   /* register -> the next one of the same statement, + 1 */
	uint32_t *statements; /* statement -> pc */
	struct decode_placed *locals;
	uint32_t local_count, local_capacity;
	struct decode_fixup *fixups;
	uint32_t fixup_count, fixup_capacity;
	uint32_t depth;
	int32_t recursion; /* its place among the program's, + 1; 0: nothing has called it again */
	size_t local;      /* where its part of local memory begins */
};

struct decoder {
	struct exec_program *program;
	struct decode_frame *frame;
	const struct ptx_instruction *instruction; /* the one being decoded */
	enum handler_operation operation;          /* of its opcode's row; OP_NONE: decoding chooses */
	uint32_t code_capacity, origin_capacity, slot_capacity, recursion_capacity;
	size_t constant_capacity;
	struct {
		uint64_t bits;
		uint32_t size;
		int32_t operand;
	} * known; /* constants so far */
	uint32_t known_count, known_capacity;
	uint32_t shared_place_capacity;
	int32_t *lists;
	uint32_t list_count, list_capacity;
	uint32_t *list_uses; /* instructions whose list is an index until the end */
	uint32_t list_use_count, list_use_capacity;
	struct decode_placed *shareds;
	uint32_t shared_count, shared_capacity;
	struct {
		const struct ptx_function *function;
		uint32_t depth; /* the least at which its variables were collected */
	} * collected;
	uint32_t collected_count, collected_capacity;
	size_t local_bytes;
	bool has_stack; /* alloca is there */
	uint32_t effect_count, effect_capacity;
	uint32_t inlined; /* bodies of functions */
	struct {
		int32_t *slots;
		uint32_t count, capacity;
	} spare[4];  /* slots whose registers ended, by size: 2, 4, 8, 16 bytes a lane */
	bool failed; /* no memory */
	struct exec_instruction scratch; /* what a failed emission writes to */
};

/* How each opcode is decoded: the functions that its row names. A function that needs none of its
 * own takes decoder->operation, the row's. */
#define OPCODE(id, name, decode, operation, effect, facts)                                         \
	void decode_##decode(struct decoder *decoder, const struct ptx_instruction *in);
#include "emulator/ptx/opcodes.def"

/* --- memory --- */
/* The array with room for one element more, or NULL; `failed` tells. */
void *decode_grow(struct decoder *decoder, void *array, size_t element, uint32_t count,
				  uint32_t *capacity);
/* `array` keeps its old value when there is no memory. */
#define DECODE_GROW(decoder, array, count, capacity)                                               \
	do {                                                                                           \
		void *grown = decode_grow(decoder, array, sizeof *(array), count, capacity);               \
		if (grown)                                                                                 \
			(array) = grown;                                                                       \
	} while (0)

/* --- parts of the opcode --- */
bool decode_has(const struct ptx_instruction *in, const char *part);
/* The n-th part that names a type, or PTX_NONE. */
enum ptx_type decode_type(const struct ptx_instruction *in, uint32_t n);
/* The enum atomic_operation that an instruction names, -1 for none; the enum
 * atomic_number of a type. */
int decode_atomic_operation(const struct ptx_instruction *in);
uint8_t decode_atomic_number(enum ptx_type type);

bool decode_is_half(enum ptx_type type); /* f16, bf16, and pairs */
/* EXEC_FLAG_SAT, _FTZ, _RELU */
uint8_t decode_half_flags(const struct ptx_instruction *in);
bool decode_is_shared(const struct ptx_instruction *in); /* .shared, of whatever kind */

/* --- forms; FORM_NONE when there is none --- */
enum handler_form decode_form(enum ptx_type type);
enum handler_form decode_form_ftz(enum ptx_type type);
enum handler_form decode_form_bits(size_t size); /* B16 to B128 */
enum handler_form decode_form_integer(size_t size, bool is_signed);

/* --- emission; pointers last until the next emission --- */
/* Without such a handler the instruction is unsupported, and its operands are ignored. */
struct exec_instruction *decode_emit(struct decoder *decoder, enum handler_operation operation,
									 enum handler_form form);
void decode_unsupported(struct decoder *decoder);
/* The parts of a call, NULL where it has no such (decode/callee.c). A target that is a register
 * holds the address of one of the functions that the call may reach: of those that `table` names,
 * or else whose address is taken, the ones with such parameters and results. */
struct decode_call {
	const struct ptx_operand *results, *target, *arguments;
	const struct ptx_branch_table *table;
};
struct decode_call decode_call_of(const struct ptx_function *caller,
								  const struct ptx_instruction *in);
bool decode_call_may_reach(const struct decode_call *call, const struct ptx_function *function);
/* Finds places for what a kernel and its callees have of shared memory (decode/shared.c). */
void decode_shared(struct decoder *decoder, const struct ptx_function *kernel);
bool decode_operands(struct decoder *decoder, const struct ptx_instruction *in, uint32_t count);

/* --- operands. A size that does not fit makes the decoder's next emission
 * unsupported: callers need no checks. --- */
int32_t decode_source(struct decoder *decoder, const struct ptx_operand *operand, size_t size);
int32_t decode_float(struct decoder *decoder, const struct ptx_operand *operand, size_t size);
/* The slot of a special register: enum exec_special. */
int32_t decode_special(struct decoder *decoder, int special);
int32_t decode_destination(struct decoder *decoder, const struct ptx_operand *operand, size_t size);
/* A predicate register (or constant) as index; *invert for !p. */
int32_t decode_predicate(struct decoder *decoder, const struct ptx_operand *operand, bool *invert);
int32_t decode_constant(struct decoder *decoder, uint64_t bits, size_t size);
size_t decode_size(const struct ptx_operand *operand); /* of a register; 0 otherwise */
/* The address operand of a memory instruction: a, imm, width, cache, space. */
void decode_address(struct decoder *decoder, struct exec_instruction *out,
					const struct ptx_operand *operand, enum ptx_space space);
/* Gives the instruction just emitted a list of operands. */
void decode_list(struct decoder *decoder, const int32_t *values, uint32_t count);
/* The slot of a register of the frame, made when it is first mentioned; and the end
 * of its life, after which others may have the slot. */
int32_t decode_register(struct decoder *decoder, uint32_t reg);
void decode_end_register(struct decoder *decoder, struct decode_frame *frame, uint32_t reg);
bool decode_is_kernel_parameter(const struct decoder *decoder, const struct ptx_variable *variable);
void decode_remember_place(struct decoder *decoder, struct decode_placed **list, uint32_t *count,
						   uint32_t *capacity, const struct ptx_variable *variable,
						   uint64_t address);
bool decode_place(struct decoder *decoder, const struct ptx_variable *variable, uint64_t *address);
uint32_t decode_fixup(struct decoder *decoder, uint32_t statement, int32_t list);
/* Fills in the lives of a frame's registers (decode/liveness.c); false without memory. */
bool decode_liveness(struct decode_frame *frame);
/* Says what the instruction reads and writes, for the one emitted at `code` (decode/effects.c). */
void decode_effects(struct decoder *decoder, const struct ptx_instruction *in, uint32_t code);
/* Says that the instruction emitted at `code` needs this operand, and nothing else. */
void decode_effects_strict(struct decoder *decoder, const struct ptx_operand *operand,
						   uint32_t code);
/* Marks that the present instruction cannot be decoded. */
void decode_refuse(struct decoder *decoder);

static inline bool decode_is_wgmma(enum ptx_opcode op)
{
	return op == OPCODE_WGMMA_MMA_ASYNC || op == OPCODE_WGMMA_MMA_ASYNC_SP;
}

#endif
