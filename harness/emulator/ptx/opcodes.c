/* The rows of opcodes.def as tables, and the sets of parts that their forms are written with. */
#include <stdio.h>
#include <string.h>

#include "emulator/ptx/forms.h"

#define ROUNDS ".rn|.rz|.rm|.rp"
#define ROUND "{" ROUNDS "}"
#define INTEGER_ROUNDS ".rni|.rzi|.rmi|.rpi"
#define INT16_32 ".u16|.s16|.u32|.s32"
#define INT32_64 ".u32|.s32|.u64|.s64"
#define INT16_64 ".u16|.s16|" INT32_64
#define INT8_64 ".u8|.s8|" INT16_64
#define CARRY_TYPES ".u32|.s32|.u64|.s64"
#define BITS8_32 ".b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32"
#define BITS64 ".b64|.u64|.s64|.f64"
#define BITS8_64 BITS8_32 "|" BITS64
#define SCALARS BITS8_64 "|.b128 @75:83"
#define VECTORS_128                                                                                \
	"{.v2|.v4} (" BITS8_32 ")|{.v2} (" BITS64 ")|.b128 @75:83|"                                    \
	".v8 (.b8|.u8|.s8|.b16|.u16|.s16)"
#define ELEMENTS "(" VECTORS_128 ")"
#define WIDE VECTORS_128 "|.v4 (" BITS64 ") @100:88|.v8 (.b32|.u32|.s32|.f32) @100:88"
#define COMPARE_BITS ".eq|.ne"
#define COMPARE_SIGNED ".eq|.ne|.lt|.le|.gt|.ge"
#define COMPARE_UNSIGNED COMPARE_SIGNED "|.lo|.ls|.hi|.hs"
#define COMPARE_FLOAT COMPARE_SIGNED "|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan"
#define COMBINE "{.and+q|.or+q|.xor+q}"
#define SCOPES ".cta|.cluster @90:78|.gpu|.sys"
#define SHARED ".shared|.shared::cta @75:78|.shared::cluster @90:78"
#define SPACES ".global|.local|" SHARED
#define LOADED_BY ".ca|.cg|.cs|.lu|.cv"
#define STORED_BY ".wb|.cg|.cs|.wt"
#define EVICTIONS                                                                                  \
	".L1::evict_normal @75:74|.L1::evict_unchanged @75:74|.L1::evict_first @75:74|"                \
	".L1::evict_last @75:74|.L1::no_allocate @75:74"
#define PREFETCH_SIZE "{.L2::64B @75:74|.L2::128B @75:74|.L2::256B @80:74}"
#define CACHE_HINT "{.L2::cache_hint+x @80:74}"
#define L2_PRIMARY "(.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged)"
#define TENSOR_DIMENSIONS ".1d|.2d|.3d|.4d|.5d"
#define MBARRIER_SPACE "{.shared|.shared::cta @75:78}"

#define FORM(id, parts, operands) {OPCODE_##id, parts, operands},
const struct ptx_form ptx_forms[] = {
#include "emulator/ptx/opcodes.def"
};
const size_t ptx_form_count = sizeof ptx_forms / sizeof ptx_forms[0];

const char *const ptx_opcode_names[OPCODES] = {
	"",
#define OPCODE(id, name, decode, operation, effect, facts) name,
#include "emulator/ptx/opcodes.def"
};

const uint8_t ptx_opcode_facts[OPCODES] = {
	PTX_UNSEEN | PTX_HARMS,
#define OPCODE(id, name, decode, operation, effect, facts) facts,
#include "emulator/ptx/opcodes.def"
};

#define SPECIAL(name, bits, target, version) {name, bits, {target, version}},
static const struct ptx_special specials[] = {
#include "emulator/ptx/special.def"
};
static const struct ptx_special event_counter = {"%pm0", 32, {0, 0}},
								wide_event_counter = {"%pm0_64", 64, {0, 50}},
								environment = {"%envreg0", 32, {0, 0}};

/* %envreg0 to 31, %pm0 to 7, %pm0_64 to 7_64. */
static const struct ptx_special *numbered(const char *name)
{
	unsigned number;
	int end = 0;
	if (sscanf(name, "%%envreg%2u%n", &number, &end) == 1 && !name[end] && number < 32)
		return &environment;
	if (sscanf(name, "%%pm%1u%n", &number, &end) != 1 || number > 7)
		return NULL;
	if (!name[end])
		return &event_counter;
	return strcmp(name + end, "_64") == 0 ? &wide_event_counter : NULL;
}

const struct ptx_special *ptx_special_named(const char *name)
{
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (strcmp(specials[i].name, name) == 0)
			return &specials[i];
	return numbered(name);
}
