/* The syntax of PTX as data: opcodes.def has a row for each form of each opcode, and an instruction
 * of a module is one of them or an error. A row of
 *
 *     FORM(CVT, "(.rn|.rz) {.relu} {.satfinite @80:81} (.f16x2|.bf16x2) .f32 @80:70", "d,a,b")
 *
 * has the opcode, whose name has those parts that belong to it, in order; the modifiers and types
 * that follow; and the operands.
 *
 *     .x        the part must be there          .n<8:256:8>   .n8, .n16, ..., .n256
 *     (A|B)     one of these must be there      @80:70        needs .target sm_80, .version 7.0
 *     {A|B}     one of these may be there       @90a:80       ... sm_90a (100f: its family)
 *     +x        one more operand, x             !             decoding does not implement it
 *     *         takes whatever parts there are
 *
 * What follows a part in its group holds where the part is there; at the end it holds for the row.
 * What every target and version of CUDA 13 has is not said. As ptxas has it, modifiers may stand in
 * any order, and only types, layouts, state spaces and priorities are in the order of the row.
 *
 * Operands have commas between them; `/` is between ways to write one, and `?` behind one that may
 * be missing. Each is a letter, which says how many registers it is and of what size:
 *
 *     d         the result, of the first type; as many as .v2, .v4 or .v8 says
 *     a b c     sources of the last type, as many; `m` one that may be a register of the GPU
 *     e         a source of the first type, as many
 *     w y       a result, a source twice as wide as the first type
 *     D A B C   the result and the factors of a matrix product: what of it one lane holds, which
 *               follows from shape and type
 *     p q       a predicate as result, as source     n      a result of 32 bits
 *     h r x     a source of 16, 32, 64 bits          f      a number or 32 bits
 *     i         a constant; `<24:256:8>` is one of 24, 32, ..., 256, and `<4:16:x2>` of 4, 8, 16
 *     v         2 or 4 registers that together have the last type's size
 *     o         .im2col's offsets                    d|p    two results
 *     [a]       an address, `[x]` never of 32 bits; k behind it is as many coordinates as .2d says,
 *               t at least as many, another letter something of any kind
 *     d> a>     also in a wider register             _      no result
 *     s         a variable or function               j      a label
 *     l         of any kind
 *
 * A modifier in a row without `!` is used by decoding, or its file says that it has no effect on
 * results here. */
#ifndef EMULATOR_PTX_FORMS_H
#define EMULATOR_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "emulator/ptx/ir.h"

struct ptx_form {
	enum ptx_opcode opcode;
	const char *parts, *operands;
};
extern const struct ptx_form ptx_forms[]; /* those of an opcode stand together */
extern const size_t ptx_form_count;

#define PTX_FORMS_VERSION 95 /* the newest that the table has, times ten */

/* The target is times ten, and 5 more for "a", 3 for "f": of a family. */
struct ptx_need {
	int target, version;
};

/* A later one is a better match. */
enum ptx_match_status {
	PTX_MATCH_OPCODE,   /* no form has the opcode */
	PTX_MATCH_PART,     /* `part` is in no form with the others */
	PTX_MATCH_MISSING,  /* `missing`, a piece of a row, is not there */
	PTX_MATCH_OPERANDS, /* their number */
	PTX_MATCH_NEED,     /* `need` is not met */
	PTX_MATCH_FOUND,
};

struct ptx_match {
	enum ptx_match_status status;
	const struct ptx_form *form;
	bool lacks_decoding;
	char more[4]; /* letters of the operands that parts add */
	uint32_t part;
	const char *missing;
	struct ptx_need need;
};

bool ptx_need_met(struct ptx_need need, struct ptx_need has);
/* The best match of the instruction in the table, in a module that `has` target and version. */
struct ptx_match ptx_match(const struct ptx_instruction *in, struct ptx_need has);
/* Whether `value` is one of "<least:most:step>", where `text` begins. */
bool ptx_range_has(const char *text, long value);

/* One way that an operand can be. */
struct ptx_expected {
	const char *item;    /* of the row: where its letter is */
	const char *range;   /* of constants, or NULL */
	char what;           /* the letter */
	uint8_t bits;        /* of a register; 0: any */
	uint8_t least, most; /* registers */
	bool is_vector, is_pair, is_result, wider;
	bool no_register, no_integer, no_number; /* what it is not: %r1, 1, 1.0 */
	bool or_next;                            /* the next one is another way for the same operand */
};

#define PTX_EXPECTED_MOST 16

/* What a row says of the operands of one instruction, in order. */
struct ptx_expectation {
	struct ptx_expected expected[PTX_EXPECTED_MOST];
	int count, dimensions;
};

/* Of an instruction that matches. */
void ptx_expect_operands(struct ptx_expectation *out, const struct ptx_instruction *in,
						 const struct ptx_match *match);
/* The first operand that is not as expected, or -1. */
int ptx_misfit(const struct ptx_expectation *expectation, const struct ptx_instruction *in);
/* "must be ..." of an operand, for messages. */
void ptx_describe(const struct ptx_expectation *expectation, int operand, char *to, size_t size);

/* A register of the GPU that a program can read. */
struct ptx_special {
	const char *name;
	int bits; /* the sizes that it is read in, or'ed; 1: a predicate */
	struct ptx_need need;
};
const struct ptx_special *ptx_special_named(const char *name); /* NULL: there is none */

#endif
