/* links: emulator_core; label: threads */
/* Loads, stores and atomics in every space, and the faults that they must find. */
#include "exec_fixture.h"

#define ONE ((struct fixture_launch){0})

static void words(const char *ptx, struct fixture_launch how, uint32_t *out, size_t count)
{
	uint32_t in[256];
	for (uint32_t i = 0; i < 256; i++)
		in[i] = i * 0x01010101u;
	fixture_expect(ptx, how, in, sizeof in, out, count * 4);
}

#define MINE "mul.wide.u32 %d1, %t, 4; add.s64 %d2, %in, %d1; add.s64 %d3, %out, %d1;\n"

Test(exec_memory, narrow_elements_are_extended)
{
	uint32_t out[32];
	words(
		FIXTURE_KERNEL("cvt.u64.u32 %d1, %t; add.s64 %d1, %in, %d1;\n"
					   "ld.global.u8 %r1, [%d1+512]; ld.global.s8 %r2, [%d1+512];\n"
					   "ld.global.u8 %h1, [%d1+512]; cvt.u32.u16 %r3, %h1; add.u32 %r4, %r1, %r2;\n"
					   "add.u32 %r4, %r4, %r3; mul.wide.u32 %d2, %t, 4; add.s64 %d2, %out, %d2;\n"
					   "st.global.u32 [%d2], %r4;"),
		ONE, out, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint8_t byte = (uint8_t)(128 + i / 4);
		cr_assert_eq(out[i], byte + (uint32_t)(int8_t)byte + byte);
	}
}

Test(exec_memory, vectors)
{
	uint32_t out[128];
	words(
		FIXTURE_KERNEL("mul.wide.u32 %d1, %t, 16; add.s64 %d2, %in, %d1; add.s64 %d3, %out, %d1;\n"
					   "ld.global.nc.L1::no_allocate.v4.u32 {%r1, %r2, %r3, %r4}, [%d2];\n"
					   "st.global.v2.b32 [%d3+8], {%r1, %r2};\n"
					   "ld.global.v2.b64 {%d4, _}, [%d2]; st.global.b64 [%d3], %d4;"),
		ONE, out, 128);
	for (uint32_t i = 0; i < 128; i++)
		cr_assert_eq(out[i], (i / 4 * 4 + i % 2) * 0x01010101u, "%u", i);
}

Test(exec_memory, b128_registers)
{
	uint32_t out[128];
	words(FIXTURE_KERNEL(
			  ".reg .b128 %q<3>; mul.wide.u32 %d1, %t, 16; add.s64 %d2, %in, %d1;\n"
			  "add.s64 %d3, %out, %d1; ld.global.b128 %q1, [%d2]; mov.b128 {%d5, %d6}, %q1;\n"
			  "mov.b128 %q2, {%d6, %d5}; st.global.b128 [%d3], %q2;"),
		  ONE, out, 128);
	cr_assert_eq(out[0], 2 * 0x01010101u);
	cr_assert_eq(out[5], 7 * 0x01010101u);
}

/* Addresses of every shape: equal, dense, strided, within a few bytes, scattered. */
Test(exec_memory, address_patterns)
{
	static const struct {
		const char *index;
		uint32_t multiplier, modulus, shift;
	} patterns[] = {{"mov.u32 %r1, 7;", 0, 1, 7},
					{"mov.u32 %r1, %t;", 1, 256, 0},
					{"mul.lo.u32 %r1, %t, 7;", 7, 256, 0},
					{"and.b32 %r1, %t, 5;", 0, 0, 0},
					{"mul.lo.u32 %r1, %t, 77; and.b32 %r1, %r1, 31;", 77, 32, 0}};
	static const char *const levels[] = {"2", "3", "4"};
	const char *level = getenv("TEST_LEVEL");
	setenv("EMULATED_GPU_SIMD", level ? level : levels[2], 1);
	for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++)
		for (int shared = 0; shared < 2; shared++) {
			char ptx[4096], body[2048];
			uint32_t out[32];
			snprintf(
				body, sizeof body,
				".shared .align 16 .b8 s[1024];\n%s"
				"mov.u32 %%r9, s; shl.b32 %%r8, %%t, 2; add.u32 %%r8, %%r8, %%r9;\n"
				"ld.global.u32 %%r2, [%%d2]; st.shared.u32 [%%r8], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+128]; st.shared.u32 [%%r8+128], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+256]; st.shared.u32 [%%r8+256], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+384]; st.shared.u32 [%%r8+384], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+512]; st.shared.u32 [%%r8+512], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+640]; st.shared.u32 [%%r8+640], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+768]; st.shared.u32 [%%r8+768], %%r2;\n"
				"ld.global.u32 %%r2, [%%d2+896]; st.shared.u32 [%%r8+896], %%r2;\n"
				"bar.sync 0; %s\n"
				"shl.b32 %%r3, %%r1, 2; add.u32 %%r4, %%r9, %%r3; mul.wide.u32 %%d4, %%r1, 4;\n"
				"add.s64 %%d4, %%in, %%d4; setp.lt.u32 %%p1, %%t, 29; mov.u32 %%r5, 99;\n"
				"@%%p1 %s;\nst.global.u32 [%%d3], %%r5;",
				MINE, patterns[k].index,
				shared ? "ld.shared.u32 %r5, [%r4]" : "ld.global.u32 %r5, [%d4]");
			words(fixture_kernel(ptx, sizeof ptx, body), ONE, out, 32);
			for (uint32_t i = 0; i < 32; i++) {
				uint32_t index =
					patterns[k].modulus
						? i * patterns[k].multiplier % patterns[k].modulus + patterns[k].shift
						: (i & 5);
				cr_assert_eq(out[i], i < 29 ? index * 0x01010101u : 99, "%s lane %u",
							 patterns[k].index, i);
			}
		}
}

Test(exec_memory, local_arrays_and_generic_addresses)
{
	uint32_t out[32];
	words(FIXTURE_KERNEL(
			  ".local .align 8 .b8 depot[64]; .reg .b64 %SP, %SPL; .shared .b32 s;\n" MINE
			  "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; and.b32 %r1, %t, 7;\n"
			  "mul.wide.u32 %d4, %r1, 4; add.s64 %d5, %SP, %d4; st.u32 [%d5], %t; ld.u32 %r2, "
			  "[%d5];\n"
			  "cvta.to.local.u64 %d6, %d5; ld.local.u32 %r3, [%d6];\n"
			  "mov.u64 %d7, s; cvta.shared.u64 %d8, %d7; st.u32 [%d8], 5; bar.sync 0; ld.u32 %r4, "
			  "[%d8];\n"
			  "isspacep.local %p1, %d5; isspacep.shared %p2, %d8; isspacep.global %p3, %in;\n"
			  "and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3; selp.u32 %r5, 100, 0, %p1;\n"
			  "cvta.to.shared.u64 %d9, %d8; cvt.u32.u64 %r6, %d9; ld.shared.u32 %r6, [%r6];\n"
			  "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;\n"
			  "add.u32 %r2, %r2, %r6; st.global.u32 [%d3], %r2;"),
		  ONE, out, 32);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], 2 * i + 110);
}

Test(exec_memory, variables_with_initialisers)
{
	static const char ptx[] = FIXTURE_HEADER
		".const .align 4 .b32 table[4] = {10, 20, 0x1e, 40};\n"
		".global .align 4 .f32 reals[2] = {0f3F800000, 2.5};\n"
		".global .align 8 .u64 pointer = generic(reals)+4;\n"
		".global .align 1 .b8 text[6] = {104, 101, 108, 108, 111};\n"
		".visible .entry k(.param .u64 p_in, .param .u64 p_out) {\n"
		".reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.u64 %d0, [p_out];\n"
		"ld.const.u32 %r0, [table+8]; st.global.u32 [%d0], %r0;\n"
		"ld.global.u64 %d1, [pointer]; ld.u32 %r1, [%d1]; st.global.u32 [%d0+4], %r1;\n"
		"ld.global.u8 %r2, [text+4]; st.global.u32 [%d0+8], %r2;\n"
		"mov.u64 %d2, table; ld.const.v2.u32 {%r3, %r4}, [%d2]; add.u32 %r3, %r3, %r4;\n"
		"st.global.u32 [%d0+12], %r3; ret; }";
	uint32_t out[4];
	words(ptx, ONE, out, 4);
	cr_assert_eq(out[0], 30);
	cr_assert_eq(out[1], 0x40200000);
	cr_assert_eq(out[2], 'o');
	cr_assert_eq(out[3], 30);
}

Test(exec_memory, atomics)
{
	uint32_t out[16];
	struct fixture_launch how = {.blocks = 64, .threads = 96, .host_threads = 2};
	static const char zero[] = FIXTURE_KERNEL("st.global.v4.u32 [%out], {0, 0, 0, 0};");
	struct fault fault;
	uint64_t buffer = fixture_buffer(64);
	memory_mark_written(memory_find(buffer), buffer, 64);
	memset((void *)(uintptr_t)buffer, 0, 64);
	cr_assert(fixture_run(zero, &(struct fixture_launch){.blocks = 1}, 0, buffer, &fault));
	static const char ptx[] = FIXTURE_KERNEL(
		"atom.global.add.u32 %r1, [%out], 1; red.global.add.f32 [%out+4], 0f3F800000;\n"
		"red.global.max.s32 [%out+8], %t; atom.global.inc.u32 %r2, [%out+12], 9;\n"
		"red.global.add.noftz.f16x2 [%out+16], %r9; atom.global.or.b32 %r3, [%out+20], %t;\n"
		"red.global.add.u64 [%out+24], 3; mov.u32 %r4, 0;\n"
		"$again: atom.global.cas.b32 %r5, [%out+32], %r4, %t; atom.global.exch.b32 %r6, [%out+36], "
		"8;\n"
		"red.global.min.u32 [%out+40], 0; red.global.add.v2.f32 [%out+48], {0f3F800000, "
		"0f40000000};");
	cr_assert(fixture_run(ptx, &how, 0, buffer, &fault), "%s", fault.text);
	memcpy(out, (void *)(uintptr_t)buffer, 64);
	float sum, pair[2];
	memcpy(&sum, &out[1], 4);
	memcpy(pair, &out[12], 8);
	cr_assert_eq(out[0], 64 * 96);
	cr_assert_float_eq(sum, 64 * 96, 0);
	cr_assert_eq(out[2], 95);
	cr_assert_eq(out[3], 64 * 96 % 10);
	cr_assert_eq(out[5], 127);
	cr_assert_eq(out[6], 3 * 64 * 96);
	cr_assert_eq(out[9], 8);
	cr_assert_float_eq(pair[0], 64 * 96, 0);
	cr_assert_float_eq(pair[1], 2 * 64 * 96, 0);
}

Test(exec_memory, sectors_and_wavefronts)
{
	uint32_t out[1024] = {0};
	struct fixture_launch how = ONE;
	struct fault fault;
	uint64_t in = fixture_copy(out, sizeof out), to = fixture_buffer(sizeof out);
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .align 128 .b8 s[4096]; mul.wide.u32 %d1, %t, 128; add.s64 %d2, %in, %d1;\n"
		"ld.global.u32 %r1, [%d2];\n" /* 32 sectors */
		"mul.wide.u32 %d1, %t, 4; add.s64 %d2, %in, %d1; ld.global.u32 %r1, [%d2];\n" /* 4 */
		"ld.global.u32 %r1, [%in];\n"                                                 /* 1 */
		"mov.u32 %r2, s; shl.b32 %r3, %t, 7; add.u32 %r3, %r2, %r3;\n"
		"st.shared.u32 [%r3], %t; bar.sync 0; ld.shared.u32 %r4, [%r3];\n"      /* 32 each */
		"shl.b32 %r3, %t, 2; add.u32 %r3, %r2, %r3; st.shared.u32 [%r3], %t;"); /* 1 */
	cr_assert(fixture_run(ptx, &how, in, to, &fault), "%s", fault.text);
	cr_assert_eq(how.counters.global_load_requests, 3);
	cr_assert_eq(how.counters.global_load_sectors, 37);
	cr_assert_eq(how.counters.shared_load_requests, 1);
	cr_assert_eq(how.counters.shared_load_wavefronts, 32);
	cr_assert_eq(how.counters.shared_store_requests, 2);
	cr_assert_eq(how.counters.shared_store_wavefronts, 33);
}

/* Lanes 3 to 13, at neighbouring addresses and at one: the others' registers and elements stay. */
Test(exec_memory, a_run_of_lanes_moves_its_own)
{
	uint32_t in[64], out[64];
	struct fixture_launch how = ONE;
	struct fault fault;
	static const char ptx[] = FIXTURE_KERNEL(
		MINE "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %t, 500; add.u32 %r4, %t, -3;\n"
			 "setp.lt.u32 %p1, %r4, 11; st.global.u32 [%d3+128], %t;\n"
			 "@%p1 ld.global.u32 %r1, [%d2+4]; @%p1 ld.global.u32 %r2, [%in+8];\n"
			 "@%p1 st.global.u32 [%d3+128], %r3; mad.lo.u32 %r1, %r2, 1000, %r1;\n"
			 "st.global.u32 [%d3], %r1;");
	for (uint32_t i = 0; i < 64; i++)
		in[i] = 100 + i;
	uint64_t from = fixture_copy(in, sizeof in), to = fixture_buffer(sizeof out);
	cr_assert(fixture_run(ptx, &how, from, to, &fault), "%s", fault.text);
	memcpy(out, (void *)(uintptr_t)to, sizeof out);
	for (uint32_t i = 0; i < 32; i++) {
		const bool own = i >= 3 && i < 14;
		cr_expect_eq(out[i], own ? 102 * 1000 + 101 + i : 2001, "%u: %u", i, out[i]);
		cr_expect_eq(out[32 + i], own ? 500 + i : i, "%u: %u", i, out[32 + i]);
	}
	cr_expect_eq(how.counters.global_load_requests, 2);
	cr_expect_eq(how.counters.global_load_sectors, 3); /* elements 4 to 14 lie in two */
	cr_expect_eq(how.counters.global_store_sectors, 4 + 2 + 4);
	fixture_expect_fault(FIXTURE_KERNEL("mul.wide.u32 %d1, %t, 4; add.s64 %d2, %in, %d1;\n"
										"setp.lt.u32 %p1, %t, 9; @%p1 ld.global.u32 %r1, "
										"[%d2+992];"),
						 ONE, FAULT_ADDRESS, "thread (8,0,0)");
	fixture_expect_fault(FIXTURE_KERNEL("setp.gt.u32 %p1, %t, 9; @%p1 ld.global.u32 %r1, "
										"[%in+1024];"),
						 ONE, FAULT_ADDRESS, "thread (10,0,0)");
}

/* Lanes of 8 and 16 bytes go in groups; fewer where neighbours share addresses. */
static void expect_passes(const char *load, const char *place, uint64_t wavefronts,
						  uint64_t conflicts)
{
	static const char form[] =
		".shared .align 128 .b8 s[4096]; mov.u32 %%r2, s; shl.b32 %%r3, %%t, 7;\n"
		"add.u32 %%r3, %%r2, %%r3; mov.u32 %%r4, 0;\n"
		"$1: st.shared.u32 [%%r3], 0; add.u32 %%r3, %%r3, 4; add.u32 %%r4, %%r4, 4;\n"
		"setp.lt.u32 %%p1, %%r4, 128; @%%p1 bra $1; bar.sync 0;\n"
		"%s add.u32 %%r3, %%r2, %%r3; ld.shared.%s, [%%r3];";
	char body[sizeof form + 128], ptx[2048];
	uint32_t out[1024] = {0};
	struct fixture_launch how = ONE;
	struct fault fault;
	uint64_t in = fixture_copy(out, sizeof out), to = fixture_buffer(sizeof out);
	snprintf(body, sizeof body, form, place, load);
	fixture_kernel(ptx, sizeof ptx, body);
	cr_assert(fixture_run(ptx, &how, in, to, &fault), "%s", fault.text);
	cr_assert_eq(how.counters.shared_load_wavefronts, wavefronts, "%s of %s: %d", load, place,
				 (int)how.counters.shared_load_wavefronts);
	cr_assert_eq(how.counters.shared_load_conflicts, conflicts, "%s of %s", load, place);
}

Test(exec_memory, wide_accesses_pass_the_banks_in_groups)
{
	static const char wide[] = "v4.u32 {%r4,%r5,%r6,%r7}", middle[] = "v2.u32 {%r4,%r5}";
	static const char next[] = "shl.b32 %r3, %t, 4;";
	static const char pairs[] = "shr.u32 %r3, %t, 1; shl.b32 %r3, %r3, 4;";
	static const char second[] = "and.b32 %r3, %t, 29; shl.b32 %r3, %r3, 4;";
	static const char fourth[] = "and.b32 %r3, %t, 3; shl.b32 %r3, %r3, 4;";
	static const char same[] = "mov.u32 %r3, 0;", apart[] = "shl.b32 %r3, %t, 7;";
	expect_passes(wide, next, 4, 0);
	expect_passes(wide, pairs, 2, 0);
	expect_passes(wide, second, 4, 2); /* two halves, in each of which two share banks */
	expect_passes(wide, fourth, 4, 0);
	expect_passes(wide, same, 2, 0);
	expect_passes(wide, apart, 32, 28);
	expect_passes(middle, "shl.b32 %r3, %t, 3;", 2, 0);
	expect_passes(middle, "shr.u32 %r3, %t, 1; shl.b32 %r3, %r3, 3;", 1, 0);
	expect_passes(middle, apart, 32, 30);
}

/* ------------------------------------------------------------------------
 * Faults */

Test(exec_memory, past_the_end)
{
	/* the fixture's output has 1024 bytes */
	fixture_expect_fault(FIXTURE_KERNEL("st.global.u32 [%out+1024], 1;"), ONE, FAULT_ADDRESS,
						 "0 bytes past the end of a 1024-byte allocation");
	fixture_expect_fault(FIXTURE_KERNEL("st.global.u32 [%out+1028], 1;"), ONE, FAULT_ADDRESS,
						 "4 bytes past the end");
	/* the input lies before it, farther away */
	fixture_expect_fault(FIXTURE_KERNEL("st.global.u32 [%out+-4], 1;"), ONE, FAULT_ADDRESS,
						 "4 bytes before the start of a 1024-byte allocation (test)");
	fixture_expect_fault(FIXTURE_KERNEL("setp.eq.u32 %p1, %t, 9; @%p1 add.s64 %out, %out, 1024;\n"
										"st.global.v2.u32 [%out], {1, 2};"),
						 ONE, FAULT_ADDRESS, "thread (9,0,0)");
	fixture_expect_fault(FIXTURE_KERNEL("mov.u64 %d1, 0; ld.global.u32 %r1, [%d1];"), ONE,
						 FAULT_ADDRESS, "null pointer");
	fixture_expect_fault(FIXTURE_KERNEL("mov.u64 %d1, 8; ld.u32 %r1, [%d1];"), ONE, FAULT_ADDRESS,
						 "ld.u32 at PTX line");
}

Test(exec_memory, misaligned)
{
	fixture_expect_fault(FIXTURE_KERNEL("ld.global.u32 %r1, [%in+2];"), ONE, FAULT_ALIGNMENT,
						 "not a multiple of 4");
	fixture_expect_fault(FIXTURE_KERNEL("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in+8];"), ONE,
						 FAULT_ALIGNMENT, "not a multiple of 16");
}

Test(exec_memory, outside_of_shared_memory)
{
	static const char ptx[] =
		FIXTURE_KERNEL(".shared .b8 s[64]; mov.u32 %r1, s; shl.b32 %r2, %t, 2;\n"
					   "add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], 1;");
	fixture_expect_fault(ptx, ONE, FAULT_ADDRESS, "outside the block's 64 bytes");
	fixture_expect_fault(FIXTURE_KERNEL("mov.u32 %r1, 0; st.shared.u32 [%r1], 1;"), ONE,
						 FAULT_ADDRESS, "shared address 0x0");
}

Test(exec_memory, never_written)
{
	fixture_expect_fault(FIXTURE_KERNEL("ld.global.u32 %r1, [%out+4]; st.global.u32 [%out], %r1;"),
						 ONE, FAULT_UNINITIALISED,
						 "made of memory that nothing wrote, read by ld.global.u32");
	fixture_expect_fault(FIXTURE_KERNEL(".shared .align 4 .b8 s[64]; ld.shared.u32 %r1, [s+4];\n"
										"st.global.u32 [%out], %r1;"),
						 ONE, FAULT_UNINITIALISED, "nothing wrote");
}

/* A generic address is as good as a shared one where the race check looks at every lane, where
 * bytes are not written yet, and in another warp's rows. */
Test(exec_memory, generic_addresses_of_shared_memory)
{
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .align 16 .b8 s[1024]; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;\n"
		"mul.wide.u32 %d2, %t, 16; add.u64 %d1, %d1, %d2;\n"
		"st.u32 [%d1+4], %t; st.v2.u32 [%d1+8], {%t, 7}; bar.sync 0;\n"
		"xor.b32 %r1, %t, 33; mul.wide.u32 %d3, %r1, 16; sub.u64 %d1, %d1, %d2;\n"
		"add.u64 %d3, %d1, %d3; ld.u32 %r2, [%d3+4]; ld.v2.u32 {%r3, %r4}, [%d3+8];\n"
		"add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; mul.wide.u32 %d4, %t, 4;\n"
		"add.u64 %out, %out, %d4; st.u32 [%out], %r2;");
	for (int race = 0; race < 2; race++) {
		uint32_t out[64];
		fixture_expect(ptx, (struct fixture_launch){.threads = 64, .check_race = race != 0}, NULL,
					   0, out, sizeof out);
		for (uint32_t i = 0; i < 64; i++)
			cr_assert_eq(out[i], 2 * (i ^ 33) + 7);
	}
	fixture_expect_fault(
		FIXTURE_KERNEL(".shared .align 4 .b8 s[64]; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;\n"
					   "st.u32 [%d1+62], %t;"),
		ONE, FAULT_ALIGNMENT, "not a multiple of 4");
	fixture_expect_fault(
		FIXTURE_KERNEL(".shared .align 4 .b8 s[64]; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;\n"
					   "st.u32 [%d1+64], %t;"),
		ONE, FAULT_ADDRESS, "outside the block's 64 bytes");
}

Test(exec_memory, constants_are_read_only)
{
	static const char ptx[] = FIXTURE_HEADER
		".const .b32 c = 1;\n.visible .entry k(.param .u64 a, .param .u64 b) {\n"
		".reg .b64 %d<2>; mov.u64 %d1, c; cvta.const.u64 %d1, %d1; st.u32 [%d1], 2; ret; }";
	fixture_expect_fault(ptx, ONE, FAULT_ADDRESS, "constant memory");
}

Test(exec_memory, unknown_instructions_fail_when_reached)
{
	uint32_t out[1];
	words(
		FIXTURE_KERNEL("bra $over; vadd.u32.u32.u32 %r1, %t, %t; $over: st.global.u32 [%out], 3;"),
		ONE, out, 1);
	cr_assert_eq(out[0], 3);
	fixture_expect_fault(FIXTURE_KERNEL("vabsdiff4.u32.u32.u32 %r1, %t, %t, %t;"), ONE,
						 FAULT_UNSUPPORTED, "vabsdiff4.u32.u32.u32 at PTX line");
}

Test(exec_memory, launch_limits)
{
	static const char ptx[] = FIXTURE_KERNEL("");
	fixture_expect_fault(ptx, (struct fixture_launch){.threads = 1056}, FAULT_LAUNCH, "1024");
	fixture_expect_fault(ptx, (struct fixture_launch){.dynamic_shared = 240000}, FAULT_LAUNCH,
						 "227");
	fixture_expect_fault(ptx, (struct fixture_launch){.blocks = 3, .cluster = 2}, FAULT_LAUNCH,
						 "multiple of the cluster");
}

Test(exec_memory, a_division_by_zero_before_a_wild_address_is_named)
{
	fixture_expect_fault(FIXTURE_KERNEL("xor.b32 %r1, %t, %t; div.u32 %r2, 1, %r1;\n"
										"cvt.u64.u32 %d5, %r2; shl.b64 %d5, %d5, 20;\n"
										"ld.global.u32 %r0, [%d5];"),
						 ((struct fixture_launch){.threads = 32}), FAULT_ADDRESS,
						 "an integer was divided by 0 before (div.u32");
}
