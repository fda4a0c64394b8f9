/* links: emulator_core */
/* The list of handlers: every row has a function at every level, nothing else is
 * found, and decoding asks for every row. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/decode/decode.h"
#include "emulator/decode/handlers.h"
#include "emulator/exec/fault.h"
#include "emulator/simd_level.h"

static const struct {
	const char *name;
	enum handler_operation operation;
	enum handler_form form;
	bool levelled;
} rows[HANDLERS] = {
	{"unsupported", OP_NONE, FORM_NONE, false},
#define ROW(operation, form, levelled)                                                             \
	{#operation " " #form, OP_##operation, FORM_##form, levelled},
#define LEVELLED(operation, form, function, class) ROW(operation, form, true)
#define ONCE(operation, form, function, class) ROW(operation, form, false)
#include "emulator/ptx/opcodes.def"
};

Test(handlers, every_row_has_a_function_at_every_level)
{
	for (int handler = 1; handler < HANDLERS; handler++) {
		for (int level = 2; level <= 4; level++) {
			exec_handler function = handler_function((enum handler)handler, level);
			cr_assert(function && function != exec_unsupported, "%s at level %d",
					  rows[handler].name, level);
		}
		bool differs = handler_function((enum handler)handler, 2) !=
					   handler_function((enum handler)handler, simd_level());
		cr_assert_eq(differs, rows[handler].levelled && simd_level() > 2, "%s", rows[handler].name);
	}
}

Test(handlers, every_row_is_found_and_nothing_else)
{
	int found = 0;
	for (int handler = 1; handler < HANDLERS; handler++)
		cr_assert_eq(handler_find(rows[handler].operation, rows[handler].form), handler, "%s",
					 rows[handler].name);
	for (int operation = 0; operation < OPERATIONS; operation++)
		for (int form = 0; form < FORMS; form++)
			found += handler_find((enum handler_operation)operation, (enum handler_form)form) !=
					 HANDLER_UNSUPPORTED;
	cr_assert_eq(found, HANDLERS - 1);
}

Test(handlers, what_has_no_row_is_unsupported)
{
	cr_assert_eq(handler_find(OP_NONE, FORM_NONE), HANDLER_UNSUPPORTED);
	cr_assert_eq(handler_find(OP_ADD, FORM_NONE), HANDLER_UNSUPPORTED);
	cr_assert_eq(handler_find(OP_ADD, FORM_PRED), HANDLER_UNSUPPORTED);
	cr_assert_eq(handler_find(OP_REM, FORM_F32), HANDLER_UNSUPPORTED);
	cr_assert_eq(handler_find(OP_SHFL, FORM_B32), HANDLER_UNSUPPORTED);
	cr_assert_eq(handler_function(HANDLER_UNSUPPORTED, simd_level()), exec_unsupported);
}

/* ------------------------------------------------------------------------
 * What decoding asks for. The linker puts the first function in the place of the
 * second (tests/CMakeLists.txt). */

enum handler __wrap_handler_find(enum handler_operation operation, enum handler_form form);
enum handler __real_handler_find(enum handler_operation operation, enum handler_form form);
static bool asked[HANDLERS];

enum handler __wrap_handler_find(enum handler_operation operation, enum handler_form form)
{
	enum handler handler = __real_handler_find(operation, form);
	asked[handler] = true;
	return handler;
}

#define BITS " .b16 .b32 .b64"
#define SIGNED " .s16 .s32 .s64"
#define INTEGERS " .u16 .u32 .u64" SIGNED
#define HALVES " .f16 .f16x2 .bf16 .bf16x2"
#define SINGLES " .f32 .ftz.f32"
#define FLOATS SINGLES " .f64"
#define ROUNDED FLOATS " .rz.f32 .rm.f64"
#define EXPLICIT " .rn.f32 .rn.ftz.f32 .rn.f64 .rz.f32 .rm.f64"
/* %D1, %S2: registers of the size of the first type, of the last */
#define ONE "%D1, %S2"
#define TWO ONE ", %S3"
#define THREE TWO ", %S4"
#define FOUR_REGISTERS "{%r1, %r2, %r3, %r4}"
#define EIGHT_REGISTERS "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"

static const struct {
	const char *opcode, *endings, *operands;
} instructions[] = {
	{"add", SIGNED " .s16x2 .sat.s32 .cc.u32 .cc.u64" ROUNDED HALVES, TWO},
	{"sub", SIGNED " .sat.s32" ROUNDED HALVES, TWO},
	{"mul", ROUNDED HALVES, TWO},
	{"fma", EXPLICIT " .rn.f16 .rn.f16x2 .rn.bf16 .rn.bf16x2", THREE},
	{"div", INTEGERS EXPLICIT, TWO},
	{"div.approx", SINGLES, TWO},
	{"div.full", SINGLES, TWO},
	{"div.approx", SINGLES, "%S1, %S2, 0f42040000"},
	{"div.full", SINGLES, "%S1, %S2, 0f42040000"},
	{"rem", INTEGERS, TWO},
	{"sqrt", EXPLICIT, ONE},
	{"sqrt.approx", SINGLES, ONE},
	{"rcp", EXPLICIT " .approx.f32 .approx.ftz.f32 .approx.ftz.f64", ONE},
	{"mul.lo", SIGNED, TWO},
	{"mul.hi", INTEGERS, TWO},
	{"mul.wide", " .u16 .s16", "%r1, %h2, %h3"},
	{"mul.wide", " .u32 .s32", "%d1, %r2, %r3"},
	{"mad.lo", SIGNED " .cc.u32 .cc.u64", THREE},
	{"mad.hi", " .u32 .s32 .u64 .s64", THREE},
	{"mad.wide", " .u16 .s16", "%r1, %h2, %h3, %r4"},
	{"mad.wide", " .u32 .s32", "%d1, %r2, %r3, %d4"},
	{"mul24.lo", " .u32 .s32", TWO},
	{"clmad", " .lo.u64 .hi.u64", THREE},
	{"sad", " .u32 .s32", THREE},
	{"dp4a", " .u32.u32", THREE},
	{"dp2a.lo", " .u32.u32", THREE},
	{"abs", SIGNED FLOATS HALVES, ONE},
	{"neg", SIGNED FLOATS HALVES, ONE},
	{"min",
	 INTEGERS " .u16x2 .s16x2 .relu.s32 .relu.s16x2 .NaN.f32 .ftz.NaN.f32 .xorsign.abs.f32 "
			  ".NaN.xorsign.abs.f32 .ftz.xorsign.abs.f32 .ftz.NaN.xorsign.abs.f32" FLOATS HALVES,
	 TWO},
	{"max",
	 INTEGERS " .u16x2 .s16x2 .relu.s32 .relu.s16x2 .NaN.f32 .ftz.NaN.f32 .xorsign.abs.f32 "
			  ".NaN.xorsign.abs.f32 .ftz.xorsign.abs.f32 .ftz.NaN.xorsign.abs.f32" FLOATS HALVES,
	 TWO},
	{"min.NaN", HALVES, TWO},
	{"max.NaN", HALVES, TWO},
	{"min.xorsign.abs", HALVES, TWO},
	{"max.xorsign.abs", HALVES, TWO},
	{"min.NaN.xorsign.abs", HALVES, TWO},
	{"max.NaN.xorsign.abs", HALVES, TWO},
	{"copysign", " .f32 .f64", TWO},
	{"testp.normal", " .f32 .f64", "%p1, %S2"},
	{"rsqrt.approx", FLOATS " .ftz.f64", ONE},
	{"ex2.approx", SINGLES " .f16 .f16x2 .ftz.bf16 .ftz.bf16x2", ONE},
	{"lg2.approx", SINGLES, ONE},
	{"sin.approx", SINGLES " .ftz.2pi.f32", ONE},
	{"cos.approx", SINGLES " .ftz.2pi.f32", ONE},
	{"tanh.approx", " .f32" HALVES, ONE},
	{"and", BITS " .pred", TWO},
	{"or", BITS " .pred", TWO},
	{"xor", BITS " .pred", TWO},
	{"not", BITS " .pred", ONE},
	{"cnot", BITS, ONE},
	{"shl", BITS, ONE ", %r3"},
	{"shr", INTEGERS, ONE ", %r3"},
	{"shf", " .l.wrap.b32 .r.wrap.b32 .l.clamp.b32 .r.clamp.b32", THREE},
	{"popc", " .b32 .b64", "%r1, %S2"},
	{"clz", " .b32 .b64", "%r1, %S2"},
	{"brev", " .b32 .b64", ONE},
	{"bfind", " .u32 .s32 .u64 .s64 .shiftamt.u32 .shiftamt.s32 .shiftamt.u64", "%r1, %S2"},
	{"bfe", " .u32 .s32 .u64 .s64", ONE ", %r3, %r4"},
	{"bfi", " .b32 .b64", TWO ", %r4, %r5"},
	{"bmsk", " .clamp.b32 .wrap.b32", TWO},
	{"szext", " .clamp.u32 .clamp.s32 .wrap.u32 .wrap.s32", TWO},
	{"lop3", " .b32", THREE ", 1"},
	{"prmt", " .b32 .b32.f4e", THREE},
	{"fns", " .b32", THREE},
	{"selp", BITS " .f32 .f64", TWO ", %p1"},
	{"slct", " .b16.s32 .b16.f32 .b32.s32 .b32.f32 .b64.s32 .b64.f32", "%D1, %D2, %D3, %S4"},
	{"setp.eq", BITS FLOATS HALVES, "%p1, %S2, %S3"},
	{"setp.ne", BITS FLOATS, "%p1, %S2, %S3"},
	{"set.eq.u32", BITS FLOATS HALVES, TWO},
	{"set.ne.u32", BITS FLOATS, TWO},
#define ORDER(name)                                                                                \
	{"setp." name, INTEGERS FLOATS, "%p1, %S2, %S3"}, {"set." name ".u32", INTEGERS FLOATS, TWO},
#define UNORDERED(name) {"setp." name, FLOATS, "%p1, %S2, %S3"}, {"set." name ".u32", FLOATS, TWO},
	ORDER("lt") ORDER("le") ORDER("gt") ORDER("ge") UNORDERED("equ") UNORDERED("neu")
		UNORDERED("ltu") UNORDERED("leu") UNORDERED("gtu") UNORDERED("geu") UNORDERED("num")
			UNORDERED("nan")
	/* movement, conversion */
	{"mov", " .pred", "%p1, %p2"},
	{"mov", " .b16", "%h1, %h2"},
	{"mov", " .b32", ONE},
	{"mov", " .b64", "%d1, %d2"},
	{"mov", " .b128", "%q1, %q2"},
	{"mov", " .b32", "%r1, {%h1, %h2}"},
	{"mov", " .b64", "%d1, {%r1, %r2}"},
	{"mov", " .b32", "{%h1, %h2}, %r1"},
	{"mov", " .b64", "{%r1, %r2}, %d1"},
	{"mov", " .u32", "%r1, %clock"},
	{"cvta", " .shared.u64 .to.shared.u64", "%d1, %d2"},
	{"isspacep", " .shared", "%p1, %d1"},
	{"mapa", " .shared::cluster.u32", TWO},
	{"getctarank", " .shared::cluster.u32", ONE},
	{"cvt", " .s8.s32", ONE},
	{"cvt", " .rn.satfinite.e4m3x2.f32", "%h1, %r2, %r3"},
	{"cvt", " .u16.s16", "%h1, %h2"},
	{"cvt", " .u16.u32 .rn.f16.f32 .rn.bf16.f32", "%h1, %r1"},
	{"cvt", " .u16.u64", "%h1, %d1"},
	{"cvt", " .u32.u16 .u32.s16 .f32.f16 .f32.bf16", "%r1, %h1"},
	{"cvt", " .u32.s32 .rn.f32.u32 .rn.f32.s32", ONE},
	{"cvt", " .u32.u64 .rn.f32.f64", "%r1, %d1"},
	{"cvt", " .u64.u16 .u64.s16", "%d1, %h1"},
	{"cvt", " .u64.u32 .u64.s32 .rn.f64.u32 .rn.f64.s32 .f64.f32", "%d1, %r1"},
	{"cvt", " .u64.s64", "%d1, %d2"},
	{"cvt", " .rn.f16x2.f32 .rn.bf16x2.f32", TWO},
	/* memory */
	{"ld.global", " .b16", "%h1, [%d1]"},
	{"ld.global", " .b32 .u8", "%r1, [%d1]"},
	{"ld.global", " .b64", "%d2, [%d1]"},
	{"ld.global", " .v2.b16", "{%h1, %h2}, [%d1]"},
	{"ld.global", " .v2.b32", "{%r1, %r2}, [%d1]"},
	{"ld.global", " .v2.b64", "{%d2, %d3}, [%d1]"},
	{"st.global", " .b16", "[%d1], %h1"},
	{"st.global", " .b32 .u8", "[%d1], %r1"},
	{"st.global", " .b64", "[%d1], %d2"},
	{"st.global", " .v2.b16", "[%d1], {%h1, %h2}"},
	{"st.global", " .v2.b32", "[%d1], {%r1, %r2}"},
	{"st.global", " .v2.b64", "[%d1], {%d2, %d3}"},
	{"atom.global", " .add.u32", "%r1, [%d1], %r2"},
	{"atom.global", " .exch.b128", "%q1, [%d1], %q2"},
	{"prefetch", " .global.L2", "[%d1]"},
	{"cp.async", " .ca.shared.global", "[%r1], [%d1], 16"},
	{"cp.async", " .commit_group", ""},
	{"cp.async", " .wait_group", "1"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", " .L2::cache_hint",
	 "[%r1], [%d1], %r2, [%r3], %d2"},
	{"cp.async.bulk", " .commit_group", ""},
	{"cp.async.bulk", " .wait_group", "1"},
	/* control, barriers, communication within a warp */
	{"bra", " .uni", "L1"},
	{"brx", " .idx", "%r1, targets"},
	{"trap", " ", ""},
	{"call", " .uni", "(result), vprintf, (p0, p1)"},
	{"call", " .uni", "(result), %d1, (p0, p1), targets"},
	{"call", " .uni", "again, ()"},
	{"call", " .uni", "__assertfail, (p0, p1)"},
	{"bar", " .sync", "0"},
	{"barrier", " .cluster.arrive", ""},
	{"bar", " .warp.sync", "-1"},
	{"membar", " .gl", ""},
	{"fence", " .proxy.async", ""},
	{"fence", " .proxy.tensormap::generic.acquire.gpu", "[%d1], 128"},
	{"st.async", " .weak.shared::cluster.mbarrier::complete_tx::bytes.b32", "[%r1], %r2, [%r3]"},
	{"tex", " .1d.v4.u32.s32", "{%r1, %r2, %r3, %r4}, [%d1, {%r5}]"},
	{"alloca", " .u64", "%d1, %d2, 16"},
	{"tensormap.replace", " .tile.global_address.global.b1024.b64", "[%d1], %d2"},
	{"tensormap.cp_fenceproxy", " .global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
	 "[%d1], [%r1], 128"},
	{"mbarrier.init", " .shared.b64", "[%r1], 1"},
	{"mbarrier.try_wait.parity", " .shared.b64", "%p1, [%r1], %r2"},
	{"mbarrier.pending_count", " .b64", "%r1, %d1"},
	{"shfl.sync.up", " .b32", "%r1, %r2, 1, 0, -1"},
	{"vote.sync.any", " .pred", "%p1, %p2, -1"},
	{"match.any.sync", " .b32", "%r1, %r2, -1"},
	{"redux.sync.add", " .s32", "%r1, %r2, -1"},
	{"elect", " .sync", "%r1|%p1, -1"},
	{"activemask", " .b32", "%r1"},
	{"nanosleep", " .u32", "20"},
	{"setmaxnreg", " .inc.sync.aligned.u32", "64"},
	{"discard.global", " .L2", "[%d1], 128"},
	/* matrices */
	{"ldmatrix.sync.aligned.m8n8.x1", " .shared.b16", "{%r1}, [%r2]"},
	{"stmatrix.sync.aligned.m8n8.x1", " .shared.b16", "[%r2], {%r1}"},
	{"movmatrix.sync.aligned.m8n8.trans", " .b16", "%r1, %r2"},
	{"wmma.load.a.sync.aligned.row.m16n16k16", " .f16", EIGHT_REGISTERS ", [%d1], %r1"},
	{"wmma.store.d.sync.aligned.row.m16n16k16", " .f32", "[%d1], " EIGHT_REGISTERS ", %r1"},
	{"mma.sync.aligned.m16n8k16.row.col", " .f32.f16.f16.f32",
	 FOUR_REGISTERS ", " FOUR_REGISTERS ", {%r1, %r2}, " FOUR_REGISTERS},
	{"wgmma.fence", " .sync.aligned", ""},
	{"wgmma.mma_async.sync.aligned.m64n8k16", " .f32.f16.f16",
	 FOUR_REGISTERS ", %d1, %d2, %p1, 1, 1, 0, 0"},
	{"wgmma.commit_group", " .sync.aligned", ""},
	{"wgmma.wait_group", " .sync.aligned", "0"},
};

static char text[1 << 17];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
	va_end(arguments);
	cr_assert(length < sizeof text);
}

/* The letter of registers of the first or the last type of "setp.eq.f32". */
static char register_letter(const char *opcode, bool first)
{
	static const char letters[] = {[1] = 'h', [2] = 'h', [4] = 'r', [8] = 'd', [16] = 'q'};
	char parts[256], letter = 'r', *at;
	snprintf(parts, sizeof parts, "%s", opcode);
	for (char *part = strtok_r(parts, ".", &at); part; part = strtok_r(NULL, ".", &at)) {
		const enum ptx_type type = ptx_type_named(part);
		if (type == PTX_NONE)
			continue;
		letter = type == PTX_PRED ? 'p' : letters[ptx_type_size(type)];
		if (first)
			break;
	}
	return letter;
}

static void say_instruction(const char *opcode, const char *ending, const char *operands)
{
	char whole[256], filled[256];
	snprintf(whole, sizeof whole, "%s%s", opcode, ending);
	snprintf(filled, sizeof filled, "%s", operands);
	for (char *at = filled; (at = strchr(at, '%')); at++)
		if (at[1] == 'D' || at[1] == 'S')
			at[1] = register_letter(whole, at[1] == 'D');
	say("%s %s;\n", whole, filled);
}

static void write_instructions(void)
{
	for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
		char endings[512];
		cr_assert(strlen(instructions[i].endings) < sizeof endings);
		strcpy(endings, instructions[i].endings);
		if (strcmp(endings, " ") == 0)
			say("%s;\n", instructions[i].opcode);
		for (char *at, *ending = strtok_r(endings, " ", &at); ending;
			 ending = strtok_r(NULL, " ", &at))
			say_instruction(instructions[i].opcode, ending, instructions[i].operands);
	}
}

Test(handlers, decoding_asks_for_every_row)
{
	struct fault fault = {0};
	say(".version 9.5\n.target sm_90a\n.address_size 64\n"
		".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
		".extern .func __assertfail (.param .b64 a, .param .b64 b);\n"
		".func again() { call again, (); ret; }\n"
		".visible .entry k()\n{\n"
		".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; "
		".reg .b128 %%q<9>;\n"
		".param .b64 p0; .param .b64 p1; .param .b32 result;\n");
	write_instructions();
	say("targets: .branchtargets L1, L1;\nL1: ret;\n}\n");
	struct ptx_module *module = ptx_parse(text, length, &fault);
	cr_assert(module, "%s", fault.text);
	struct exec_program *program = decode_program(module->last_function, &fault);
	cr_assert(program, "%s", fault.text);
	char missing[4096] = "";
	for (int handler = 1; handler < HANDLERS; handler++)
		if (!asked[handler])
			snprintf(missing + strlen(missing), sizeof missing - strlen(missing), " %s,",
					 rows[handler].name);
	cr_assert_str_empty(missing, "nothing asked for%s", missing);
	cr_assert_not(asked[HANDLER_UNSUPPORTED], "an instruction of the table has no handler");
	decode_program_free(program);
	ptx_module_free(module);
}
