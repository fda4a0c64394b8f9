/* The syntax of PTX as data: forms/ has a row for each form of each instruction, and an instruction
 * of a module is one of them or an error. A row of
 *
 *     FORM("cvt", "(.rn|.rz) {.relu} {.satfinite @80:81} (.f16x2|.bf16x2) .f32 @80:70", "d,a,b")
 *
 * has the opcode with those parts that belong to its name, in order; the modifiers and types that
 * follow; and the operands.
 *
 *     .x        the part must be there          .n<8:256:8>   .n8, .n16, ..., .n256
 *     (A|B)     one of these must be there      @80:70        needs .target sm_80, .version 7.0
 *     {A|B}     one of these may be there       @90a:80       needs .target sm_90a (100f: its
 * family)
 *     +         takes one more operand          !             decoding does not implement it
 *     *         takes whatever parts there are
 *
 * What follows a part in its group holds where the part is there; at the end it holds for the row.
 * What every target and version of CUDA 13 has is not said. As ptxas has it, modifiers may stand in
 * any order, and only types, layouts and state spaces are in the order of the row.
 *
 * Operands are names with commas between: `i` is a constant, `?` one that may be missing, and
 * `<24:256:8>` what a constant is one of, 24, 32, ..., 256.
 *
 * A modifier in a row without `!` is used by decoding, or its file says that it has no effect on
 * results here. */
#ifndef EMULATOR_PTX_FORMS_H
#define EMULATOR_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "emulator/ptx/ir.h"

struct ptx_form {
	const char *opcode, *parts, *operands;
};
extern const struct ptx_form ptx_forms[];
extern const size_t ptx_form_count;

#define PTX_FORMS_VERSION 95 /* the newest that the table has, times ten */

/* The target is times ten, and 5 more for "a", 3 for "f": of a family. */
struct ptx_need {
	int target, version;
};

enum ptx_match_status {                     /* a later one is a better match */
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
	uint32_t part;
	const char *missing;
	struct ptx_need need;
};

bool ptx_need_met(struct ptx_need need, struct ptx_need has);
/* The best match of the instruction in the table, in a module that `has` target and version. */
struct ptx_match ptx_match(const struct ptx_instruction *in, struct ptx_need has);
/* Whether `value` is one of "<least:most:step>", where `text` begins. */
bool ptx_range_has(const char *text, long value);

#endif
