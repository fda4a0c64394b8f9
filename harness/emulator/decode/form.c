/* What handlers call types and operations of PTX: forms, and those of atomics. */
#include "emulator/decode/decoder.h"

#include "emulator/exec/atomic.h"

enum handler_form decode_form(enum ptx_type type)
{
	static const uint8_t forms[PTX_TYPES] = {
		[PTX_PRED] = FORM_PRED,   [PTX_B16] = FORM_B16,       [PTX_B32] = FORM_B32,
		[PTX_B64] = FORM_B64,     [PTX_B128] = FORM_B128,     [PTX_U16] = FORM_U16,
		[PTX_U32] = FORM_U32,     [PTX_U64] = FORM_U64,       [PTX_S16] = FORM_S16,
		[PTX_S32] = FORM_S32,     [PTX_S64] = FORM_S64,       [PTX_U16X2] = FORM_U16X2,
		[PTX_S16X2] = FORM_S16X2, [PTX_F16] = FORM_F16,       [PTX_F16X2] = FORM_F16X2,
		[PTX_BF16] = FORM_BF16,   [PTX_BF16X2] = FORM_BF16X2, [PTX_F32] = FORM_F32,
		[PTX_F64] = FORM_F64,
	};
	return (enum handler_form)forms[type];
}

enum handler_form decode_form_ftz(enum ptx_type type)
{
	return type == PTX_F32 ? FORM_FTZ_F32 : FORM_NONE;
}

enum handler_form decode_form_bits(size_t size)
{
	switch (size) {
	case 2: return FORM_B16;
	case 4: return FORM_B32;
	case 8: return FORM_B64;
	case 16: return FORM_B128;
	default: return FORM_NONE;
	}
}

enum handler_form decode_form_integer(size_t size, bool is_signed)
{
	switch (size) {
	case 2: return is_signed ? FORM_S16 : FORM_U16;
	case 4: return is_signed ? FORM_S32 : FORM_U32;
	case 8: return is_signed ? FORM_S64 : FORM_U64;
	default: return FORM_NONE;
	}
}

int decode_atomic_operation(const struct ptx_instruction *in)
{
	static const char *const names[] = {
		[ATOM_ADD] = "add", [ATOM_MIN] = "min", [ATOM_MAX] = "max",   [ATOM_AND] = "and",
		[ATOM_OR] = "or",   [ATOM_XOR] = "xor", [ATOM_EXCH] = "exch", [ATOM_CAS] = "cas",
		[ATOM_INC] = "inc", [ATOM_DEC] = "dec"};
	int operation = -1;
	for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
		if (decode_has(in, names[i]))
			operation = i;
	return operation;
}

uint8_t decode_atomic_number(enum ptx_type type)
{
	switch (type) {
	case PTX_F16:
	case PTX_F16X2: return ATOM_F16;
	case PTX_BF16:
	case PTX_BF16X2: return ATOM_BF16;
	default:
		return ptx_type_is_float(type)    ? ATOM_FLOAT
			   : ptx_type_is_signed(type) ? ATOM_SIGNED
										  : ATOM_UNSIGNED;
	}
}
