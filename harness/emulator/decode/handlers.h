/* What can be carried out: the handlers in opcodes.def, as enums and a lookup. */
#ifndef EMULATOR_DECODE_HANDLERS_H
#define EMULATOR_DECODE_HANDLERS_H

#include "emulator/exec/program.h"

enum handler_operation {
	OP_NONE, /* no row has it */
#define OPERATION(operation) OP_##operation,
#include "emulator/ptx/opcodes.def"
	OPERATIONS,
};

/* A type, or a variant of the operation. */
enum handler_form {
	FORM_NONE, /* no row has it */
	FORM_ONLY, /* of operations without types */
	FORM_ANY,  /* what no other form of the operation is for */
	FORM_PAIR,
	FORM_PRED,
	FORM_B16, /* B: signed and unsigned are alike, and floats that are only moved */
	FORM_B32,
	FORM_B64,
	FORM_B128,
	FORM_U16,
	FORM_U32,
	FORM_U64,
	FORM_S16,
	FORM_S32,
	FORM_S64,
	FORM_B16X2,
	FORM_U16X2,
	FORM_S16X2,
	FORM_SAT_S32,
	FORM_F16,
	FORM_F16X2,
	FORM_BF16,
	FORM_BF16X2,
	FORM_F32,
	FORM_F64,
	FORM_FTZ_F32,
	FORM_MODE_F32, /* MODE: in->sub says which */
	FORM_MODE_F64,
	FORM_MODE_B32,
	FORMS,
};

enum handler {
	HANDLER_UNSUPPORTED,
#define LEVELLED(operation, form, function, class) HANDLER_##operation##_##form,
#define ONCE(operation, form, function, class) HANDLER_##operation##_##form,
#include "emulator/ptx/opcodes.def"
	HANDLERS,
};

/* HANDLER_UNSUPPORTED when there is no such row. */
enum handler handler_find(enum handler_operation operation, enum handler_form form);
bool handler_exists(enum handler_operation operation, enum handler_form form);
/* Its function at an x86-64 level, 2 to 4; what runs here is that of simd_level(). */
exec_handler handler_function(enum handler handler, int level);
enum instruction_class handler_class(enum handler handler);

#endif
