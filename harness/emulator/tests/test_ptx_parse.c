/* links: emulator_core */
/* PTX text: what must parse, what must not, and that nothing crashes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/memory.h"
#include "emulator/machine.h"
#include "emulator/ptx/ir.h"

#define HEADER ".version 9.0\n.target sm_90a\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	struct fault fault = {0};
	struct ptx_module *module = ptx_parse(text, strlen(text), &fault);
	cr_assert(module, "%s", fault.text);
	return module;
}

static void refuse(const char *text, int line, const char *needle)
{
	struct fault fault = {0};
	struct ptx_module *module = ptx_parse(text, strlen(text), &fault);
	cr_assert_null(module, "%s", text);
	cr_assert_eq(fault.kind, FAULT_SYNTAX);
	cr_assert_eq(fault.ptx_line, line, "line %d, expected %d: %s", fault.ptx_line, line,
				 fault.text);
	cr_assert(strstr(fault.text, needle), "'%s' is not in: %s", needle, fault.text);
}

Test(ptx_parse, kernel_with_everything_around)
{
	static const char text[] = HEADER
		"// comment\n/* another\n one */\n.file 1 \"a.cu\"\n"
		".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);\n"
		".extern .shared .align 128 .b8 dynamic[];\n.global .align 4 .b32 grid[3][4];\n"
		".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 map[128])\n"
		".maxntid 128, 2, 1\n.minnctapersm 2\n.reqnctapercluster 2, 1, 1\n{\n"
		".reg .pred %p<3>;\n.reg .b32 %r<100>, extra;\n.loc 1 7 3, function_name $L, inlined_at 1 "
		"9 2\n"
		"{ .reg .pred p; LAB: mov.u32 %r99, -5; @!p bra LAB; }\n"
		"{ .reg .pred p; LAB: @p bra LAB; }\n.pragma \"nounroll\";\nret;\n}\n"
		".section .debug_str { .b8 1, 2 }\n";
	struct ptx_module *module = parse(text);
	struct ptx_function *k = module->functions->next;
	cr_assert_str_eq(k->name, "k");
	cr_assert(k->is_entry && k->has_body);
	cr_assert_eq(k->parameter_bytes, 192);
	cr_assert_eq(k->max_threads, 256);
	cr_assert_eq(k->required_cluster[0], 2);
	cr_assert_eq(k->register_count, 106);
	cr_assert_eq(k->code_count, 4);
	cr_assert_eq(k->code[0].operands[1].integer, -5);
	cr_assert_eq(k->code[1].operands[0].integer, 0); /* the first LAB */
	cr_assert_eq(k->code[2].operands[0].integer, 2); /* the second */
	cr_assert_eq(k->code[0].file_line, 7);
	cr_assert_eq(k->code[0].outer_line, 9);
	cr_assert_eq(module->variables->next->size, 48);
	ptx_module_free(module);
}

Test(ptx_parse, operands)
{
	static const char text[] = HEADER
		".shared .b32 s;\n.visible .entry k() {\n.reg .b32 %r<9>; .reg .pred %p<3>; .reg .f32 %f;\n"
		"vadd.a.b::c.d [s+-4], {%r1, _}, %r2|%p1, !%p2;\n"
		"vadd.a 0f3F800000, -1.5, 0x10U, %tid.x;\n"
		"call (%r1), k, (%r2, 3); vadd [%r1, {%r2, %r3}], [%r4], 0; }";
	struct ptx_module *module = parse(text);
	const struct ptx_instruction *in = module->functions->code;
	cr_assert_str_eq(in->opcode, "vadd.a.b::c.d");
	cr_assert_eq(in->part_count, 4);
	cr_assert_str_eq(in->parts[2], "b::c");
	cr_assert_eq(in->operand_count, 4);
	cr_assert_eq(in->operands[0].kind, PTX_OP_ADDRESS);
	cr_assert_eq(in->operands[0].items[0].integer, -4);
	cr_assert_eq(in->operands[1].items[1].kind, PTX_OP_SINK);
	cr_assert_eq(in->operands[2].kind, PTX_OP_PAIR);
	cr_assert(in->operands[3].negated);
	cr_assert_float_eq(in[1].operands[0].number, 1.0, 0);
	cr_assert_float_eq(in[1].operands[1].number, -1.5, 0);
	cr_assert_eq(in[1].operands[2].integer, 16);
	cr_assert_str_eq(in[1].operands[3].name, "%tid.x");
	cr_assert_eq(in[2].operands[1].kind, PTX_OP_FUNCTION);
	cr_assert_eq(in[3].operands[0].count, 2);
	ptx_module_free(module);
}

Test(ptx_parse, errors_name_their_line)
{
	refuse(HEADER "garbage", 4, "garbage");
	refuse(HEADER ".visible .entry k() {\nmov.u32 %r1 %r2;\n}", 5, "',' expected");
	refuse(HEADER ".visible .entry k() {\n.reg .b33 %r;\n}", 5, "a type expected");
	refuse(HEADER ".visible .entry k() {\n.reg .b32 %r<99999999>;\n}", 5, "too many registers");
	refuse(HEADER ".visible .entry k() {\n@%p1 ret;\n}", 5, "predicate");
	refuse(HEADER ".visible .entry k() {\nret;\n", 6, "'}' expected");
	refuse(HEADER ".global .b32 a[4] = {1, 2, 3, 4, 5};", 4, "more initialisers");
	refuse(HEADER ".global .b8 a[9999999999999];", 4, "out of range");
	refuse(HEADER ".visible .entry k() { mov.u32 0f12; }", 4, "hexadecimal");
	refuse(".version 9.0 .target sm_90 .address_size 32", 1, "64-bit");
	refuse(HEADER ".visible .entry k() { ret; }\n.visible .entry k() { ret; }", 5, "twice");
	refuse(HEADER ".visible .entry k(.param .b8 a[40000]) { ret; }", 4, "larger than");
}

/* As ptxas has it; only .blocksareclusters of them all needs another directive. */
Test(ptx_parse, directives_of_kernels)
{
#define ENTRY(directives) ".visible .entry k() " directives " { ret; }"
	refuse(HEADER ENTRY(".blocksareclusters .reqntid 64"), 4, ".reqnctapercluster");
	refuse(HEADER ENTRY(".blocksareclusters .reqnctapercluster 2"), 4, ".reqntid");
	refuse(HEADER ENTRY(".maxclusterrank 4 .reqnctapercluster 2"), 4, ".maxclusterrank");
	refuse(HEADER ENTRY(".reqntid 64 .maxntid 64"), 4, ".maxntid");
	refuse(HEADER ENTRY(".reqntid 4, 0"), 4, "out of range");
	refuse(HEADER ENTRY(".minnctapersm 1 .maxnctapersm 2"), 4, "maxnctapersm");
	refuse(HEADER ".func k() .reqntid 64 { ret; }", 4, "reqntid");
	refuse(".version 9.0 .target sm_80 " ENTRY(".explicitcluster"), 1, "sm_90");
	refuse(
		".version 8.0 .target sm_90 " ENTRY(".blocksareclusters .reqntid 64 .reqnctapercluster 2"),
		1, "9.0");
	struct ptx_module *module =
		parse(HEADER ENTRY(".blocksareclusters .reqntid 64, 2 .reqnctapercluster 2"));
	cr_assert(module->functions->blocks_are_clusters);
	cr_assert_eq(module->functions->required_block[1], 2);
	ptx_module_free(module);
	module = parse(HEADER ENTRY(".explicitcluster .maxclusterrank 4"));
	cr_assert(module->functions->explicit_cluster);
	cr_assert_eq(module->functions->max_cluster, 4);
	ptx_module_free(module);
#undef ENTRY
}

/* As ptxas 13.0 puts them into a cubin. */
Test(ptx_parse, constant_expressions)
{
	static const struct {
		char text[40];
		int64_t value;
	} cases[] = {
		{"1+2*3", 7},
		{"(1<<4)|3", 19},
		{"~7", -8},
		{"-7 % (3)", 0}, /* of unsigned numbers */
		{"-5/2", -2},
		{"-1<0", 1},
		{"-1<0U", 0},
		{"(-1)>>1", -1},
		{"(~0)>>1", INT64_MAX}, /* ~ has an unsigned one */
		{"(.u64)-1>>1", INT64_MAX},
		{"(.s64)0xffffffffffffffff>>1", -1},
		{"0xffffffffffffffff/2", INT64_MAX},
		{"(1|-1)>>60", -1},
		{"1<<65", 2},
		{"1<<-1", INT64_MIN},
		{"(-0x7fffffffffffffff-1)/-1", INT64_MIN},
		{"2+3<<1", 10},
		{"1|2&3", 3},
		{"7-2-1", 4},
		{"0?2:0?4:5", 5},
		{"(1?-1:0U)>>1", -1},
		{"1.0<2.0", 1},
		{"WARP_SZ*2", 64},
		{"!5", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[256];
		int64_t value;
		snprintf(text, sizeof text, HEADER ".global .b64 q = %.40s;", cases[i].text);
		struct ptx_module *module = parse(text);
		memcpy(&value, module->variables->init, sizeof value);
		cr_expect_eq(value, cases[i].value, "%s: %lld", cases[i].text, (long long)value);
		ptx_module_free(module);
	}
	struct ptx_module *module =
		parse(HEADER ".visible .entry k() { .reg .b32 %r; .reg .b64 %d; .shared .b32 s[9];\n"
					 "ld.shared.u32 %r, s[4]; mov.u32 %r, s[2]; mov.f32 %r, .5; }");
	const struct ptx_instruction *in = module->functions->code;
	cr_expect_eq(in[0].operands[1].items[0].integer, 16); /* of elements */
	cr_expect_eq(in[1].operands[1].integer, 8);
	cr_expect_float_eq(in[2].operands[1].number, 0.5, 0);
	ptx_module_free(module);
	refuse(HEADER ".global .b32 q = 1/(2-2);", 4, "divides by zero");
	refuse(HEADER ".global .b32 q = 1+2.0;", 4, "does not take such numbers");
}

/* It is PTX, so that the file is not at fault. */
Test(ptx_parse, what_is_not_implemented_is_named)
{
	static const struct {
		char text[64], names[32];
	} cases[] = {
		{".global .b32 q = 0xff(q);", "a mask in an initialiser"},
		{".func f(.reg .b32 %a) { ret; }", "a parameter of a function"},
		{".entry k() { .reg .v2 .b32 v; }", "a vector register"},
		{".entry k() .minperctamemory 4 { ret; }", ".minperctamemory"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[256];
		struct fault fault = {0};
		snprintf(text, sizeof text, HEADER "%.63s", cases[i].text);
		cr_assert_null(ptx_parse(text, strlen(text), &fault));
		cr_expect_eq(fault.kind, FAULT_UNSUPPORTED, "%s", fault.text);
		cr_expect(strstr(fault.text, "PTX line 4: ") && strstr(fault.text, cases[i].names), "%s",
				  fault.text);
	}
}

Test(ptx_parse, deep_nesting_ends)
{
	char text[20000] = HEADER ".visible .entry k() { ";
	size_t used = strlen(text);
	memset(text + used, '{', 5000);
	refuse(text, 4, "nested too deeply");
	snprintf(text, sizeof text, "%s", HEADER ".visible .entry k() { mov.u32 ");
	used = strlen(text);
	for (const char *mark = "[(-!~"; *mark; mark++) {
		memset(text + used, *mark, 5000);
		text[used + 5000] = '\0';
		refuse(text, 4, "nested too deeply");
	}
}

/* Texts like real ones, with bytes changed, cut and doubled. */
Test(ptx_parse, mangled_text_never_crashes)
{
	static const char sample[] = HEADER
		".global .align 4 .f32 g[2] = {0f3F800000, 1};\n.extern .shared .b8 d[];\n"
		".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a];\n"
		"st.param.b32 [r], %r1; ret; }\n"
		".visible .entry k(.param .u64 p) .maxntid 32\n{ .reg .pred %p<4>; .reg .b32 %r<9>;\n"
		".reg .b64 %rd<5>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; $L1: setp.lt.s32 %p1, %r1, "
		"7;\n"
		"@%p1 bra $L1; { .param .b32 q; .param .b32 s; call (s), f, (q); }\n"
		"ld.global.v2.u32 {%r2, %r3}, [%rd1+8]; shfl.sync.down.b32 %r4|%p2, %r2, 1, 31, -1;\n"
		"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1,%r2,%r3,%r4}, [d], 16;\n"
		"fma.rn.f32 %r1, %r1, 0f00000000, %r2; bar.sync 0; ret; }\n";
	uint64_t seed = 1;
	cr_assert(memory_init((size_t)1 << 28));
	for (int round = 0; round < 30000; round++) {
		char text[2 * sizeof sample];
		size_t length = sizeof sample - 1;
		memcpy(text, sample, sizeof sample);
		for (int change = 0; change < 1 + round % 4; change++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t at = (seed >> 33) % length;
			switch (seed >> 20 & 3) {
			case 0: text[at] = (char)(seed >> 24); break;
			case 1: length = at + 1; break;
			case 2: text[at] = "{}[]();,.:%@!|<>-+0"[(seed >> 24) % 19]; break;
			default: memmove(text + at, text + at / 2, length - at); break;
			}
		}
		struct fault fault;
		struct module *module = module_parse(text, length, &fault);
		const struct kernel *kernel = module ? module_kernel(module, "k") : NULL;
		struct kernel_properties facts;
		if (kernel)
			kernel_properties(kernel, &facts); /* decodes it */
		module_free(module);
	}
}
