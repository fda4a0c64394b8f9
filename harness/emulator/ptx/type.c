#include <string.h>

#include "emulator/ptx/ir.h"

static const struct {
	const char *name;
	uint8_t size;
	bool is_float, is_signed;
} types[PTX_TYPES] = {
	[PTX_NONE] = {"", 0, false, false},       [PTX_PRED] = {"pred", 0, false, false},
	[PTX_B8] = {"b8", 1, false, false},       [PTX_U8] = {"u8", 1, false, false},
	[PTX_S8] = {"s8", 1, false, true},        [PTX_B16] = {"b16", 2, false, false},
	[PTX_U16] = {"u16", 2, false, false},     [PTX_S16] = {"s16", 2, false, true},
	[PTX_F16] = {"f16", 2, true, true},       [PTX_BF16] = {"bf16", 2, true, true},
	[PTX_B32] = {"b32", 4, false, false},     [PTX_U32] = {"u32", 4, false, false},
	[PTX_S32] = {"s32", 4, false, true},      [PTX_F32] = {"f32", 4, true, true},
	[PTX_F16X2] = {"f16x2", 4, true, true},   [PTX_BF16X2] = {"bf16x2", 4, true, true},
	[PTX_TF32] = {"tf32", 4, true, true},     [PTX_B64] = {"b64", 8, false, false},
	[PTX_U64] = {"u64", 8, false, false},     [PTX_S64] = {"s64", 8, false, true},
	[PTX_F64] = {"f64", 8, true, true},       [PTX_B128] = {"b128", 16, false, false},
	[PTX_E4M3] = {"e4m3", 1, true, true},     [PTX_E5M2] = {"e5m2", 1, true, true},
	[PTX_E4M3X2] = {"e4m3x2", 2, true, true}, [PTX_E5M2X2] = {"e5m2x2", 2, true, true},
	[PTX_U16X2] = {"u16x2", 4, false, false}, [PTX_S16X2] = {"s16x2", 4, false, true},
	[PTX_S4] = {"s4", 1, false, true},        [PTX_U4] = {"u4", 1, false, false},
	[PTX_B1] = {"b1", 1, false, false},
};

enum ptx_type ptx_type_named(const char *name)
{
	for (int type = PTX_PRED; type < PTX_TYPES; type++)
		if (strcmp(types[type].name, name) == 0)
			return (enum ptx_type)type;
	return PTX_NONE;
}

const char *ptx_type_name(enum ptx_type type)
{
	return types[type].name;
}

size_t ptx_type_size(enum ptx_type type)
{
	return types[type].size;
}

bool ptx_type_is_float(enum ptx_type type)
{
	return types[type].is_float;
}

bool ptx_type_is_signed(enum ptx_type type)
{
	return types[type].is_signed;
}
