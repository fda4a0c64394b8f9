/* links: emulator_core */
/* Asynchronous copies, mbarriers and matrices: what correct kernels may do, and what is found when
 * a wait or a fence is missing. */
#include "exec_async.h"

/* ------------------------------------------------------------------------
 * cp.async */

Test(exec_async, copies_land_when_waited_for)
{
	uint32_t out[32];
	fixture_ramp(
		FIXTURE_KERNEL(
			WORD "cp.async.ca.shared.global [%r8], [%d2], 4; cp.async.commit_group;\n"
				 "cp.async.ca.shared.global [%r8+128], [%d2+128], 4;\n"
				 "cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [%r8];\n"
				 "cp.async.wait_all; ld.shared.u32 %r2, [%r8+128]; add.u32 %r0, %r1, %r2;\n" STORE),
		ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], t + 1 + t + 33);
}

Test(exec_async, short_sources_are_filled_with_zero)
{
	uint32_t out[128];
	fixture_ramp(
		FIXTURE_KERNEL(WORD "shl.b32 %r7, %t, 4; add.u32 %r7, %r9, %r7; mul.wide.u32 %d3, %t, 16;\n"
							"add.s64 %d3, %in, %d3; and.b32 %r1, %t, 3; shl.b32 %r1, %r1, 2;\n"
							"cp.async.cg.shared.global.L2::128B [%r7], [%d3], 16, %r1;\n"
							"cp.async.wait_all; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r7];\n"
							"mul.wide.u32 %d4, %t, 16; add.s64 %d4, %out, %d4;\n"
							"st.global.v4.u32 [%d4], {%r1, %r2, %r3, %r4};"),
		ONE, out, 128);
	for (uint32_t i = 0; i < 128; i++)
		cr_assert_eq(out[i], i % 4 < i / 4 % 4 ? i + 1 : 0, "%u", i);
}

/* Each lane copies its own 4, 8 or 16 bytes to where all ones were: %r3 has as many of
 * them as its number modulo 3 has words, and %p1 holds where that is 0. */
#define SIZED_COPY(bytes, source)                                                                  \
	FIXTURE_KERNEL(                                                                                \
		WORD "mov.b32 %r2, -1; st.shared.b32 [%r8], %r2; st.shared.b32 [%r8+128], %r2;\n"          \
			 "st.shared.b32 [%r8+256], %r2; st.shared.b32 [%r8+384], %r2; bar.sync 0;\n"           \
			 "mad.lo.u32 %r7, %t, " bytes ", %r9; mad.wide.u32 %d3, %t, " bytes ", %in;\n"         \
			 "rem.u32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; shl.b32 %r3, %r1, 2;\n"                 \
			 "min.u32 %r3, %r3, " bytes "; cp.async.ca.shared.global [%r7], [%d3], " bytes source  \
			 "; cp.async.wait_all; bar.sync 0; mad.wide.u32 %d4, %t, 4, %out;\n"                   \
			 "ld.shared.b32 %r1, [%r8]; st.global.b32 [%d4], %r1;\n"                               \
			 "ld.shared.b32 %r1, [%r8+128]; st.global.b32 [%d4+128], %r1;\n"                       \
			 "ld.shared.b32 %r1, [%r8+256]; st.global.b32 [%d4+256], %r1;\n"                       \
			 "ld.shared.b32 %r1, [%r8+384]; st.global.b32 [%d4+384], %r1;\n")

static void check_copies(const char *ptx, uint32_t words, uint32_t none, uint32_t one, uint32_t two)
{
	uint32_t out[128], copied[3] = {none, one, two};
	fixture_ramp(ptx, ONE, out, 128);
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t lane = i / words;
		uint32_t want = lane >= 32 ? UINT32_MAX : i % words < copied[lane % 3] ? i + 1 : 0;
		cr_assert_eq(out[i], want, "word %u: %u, not %u", i, out[i], want);
	}
}

Test(exec_async, copies_of_every_size)
{
	check_copies(SIZED_COPY("4", ""), 1, 1, 1, 1);
	check_copies(SIZED_COPY("8", ""), 2, 2, 2, 2);
	check_copies(SIZED_COPY("16", ""), 4, 4, 4, 4);
	check_copies(SIZED_COPY("4", ", %r3"), 1, 0, 1, 1);
	check_copies(SIZED_COPY("8", ", %r3"), 2, 0, 1, 2);
	check_copies(SIZED_COPY("16", ", %r3"), 4, 0, 1, 2);
	check_copies(SIZED_COPY("4", ", %p1"), 1, 0, 1, 1);
	check_copies(SIZED_COPY("8", ", %p1"), 2, 0, 2, 2);
	check_copies(SIZED_COPY("16", ", %p1"), 4, 0, 4, 4);
}

Test(exec_async, missing_wait_is_found)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(WORD "cp.async.ca.shared.global [%r8], [%d2], 4;\n"
							"cp.async.commit_group; bar.sync 0; ld.shared.u32 %r1, [%r8];"),
		ONE, FAULT_ASYNC, "a wait is missing");
	/* also when an older copy had landed there */
	fixture_expect_fault(
		FIXTURE_KERNEL(WORD "cp.async.ca.shared.global [%r8], [%d2], 4;\n"
							"cp.async.wait_all; cp.async.ca.shared.global [%r8], [%d2], 4;\n"
							"cp.async.commit_group; cp.async.wait_group 1;\n"
							"ld.shared.u32 %r1, [%r8];"),
		ONE, FAULT_ASYNC, "a wait is missing");
}

Test(exec_async, copy_past_the_end_is_found)
{
	fixture_expect_fault(FIXTURE_KERNEL(WORD "cp.async.ca.shared.global [%r8], [%in+1022], 4;"),
						 ONE, FAULT_ADDRESS, "past the end");
}

/* ------------------------------------------------------------------------
 * mbarrier and bulk copies */

Test(exec_async, mbarrier_phases)
{
	uint32_t out[64];
	fixture_ramp(
		FIXTURE_KERNEL(WORD INIT(
			64) "st.shared.u32 [%r8], %t; mbarrier.arrive.shared::cta.b64 %d5, [%r7];\n"
				"$l: mbarrier.test_wait.shared::cta.b64 %p2, [%r7], %d5; @!%p2 bra $l;\n"
				"xor.b32 %r1, %t, 63; shl.b32 %r1, %r1, 2; add.u32 %r1, %r9, %r1;\n"
				"ld.shared.u32 %r0, [%r1]; mbarrier.arrive.shared::cta.b64 _, [%r7];\n" WAIT(1)
						   STORE),
		(struct fixture_launch){.threads = 64, .check_race = true}, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t ^ 63);
}

/* PTX ISA, mbarrier.init: undefined where a valid mbarrier lies. */
#define AGAIN(between)                                                                             \
	FIXTURE_KERNEL(WORD INIT(64) "mbarrier.arrive.shared::cta.b64 _, [%r7];\n" WAIT(               \
		0) "mov.b64 %d9, 0; bar.sync 0;\n" between                                                 \
		   "bar.sync 0; @%p1 mbarrier.init.shared.b64 [%r7], 64; bar.sync 0;\n"                    \
		   "mbarrier.arrive.shared::cta.b64 %d5, [%r7];\n"                                         \
		   "$l: mbarrier.test_wait.shared::cta.b64 %p2, [%r7], %d5; @!%p2 bra $l;\n"               \
		   "mov.u32 %r0, 3;\n" STORE)

Test(exec_async, a_valid_mbarrier_is_not_initialised)
{
	uint32_t out[64];
	const struct fixture_launch two = {.blocks = 2, .threads = 64};
	fixture_expect_fault(AGAIN(""), two, FAULT_BARRIER,
						 "mbarrier.init.shared.b64 at PTX line 18: initialises the mbarrier at "
						 "offset 4096 again, with no mbarrier.inval since "
						 "mbarrier.init.shared::cta.b64 at PTX line 12");
	fixture_ramp(AGAIN("@%p1 mbarrier.inval.shared.b64 [%r7];\n"), two, out, 64);
	cr_expect_eq(out[63], 3);
	/* nothing of an mbarrier is left where something else was stored */
	fixture_ramp(AGAIN("@%p1 st.shared.b64 [%r7], %d9;\n"), two, out, 64);
	fixture_ramp(AGAIN("st.shared.b32 [%r8], %t; @%p1 st.shared.b64 [%r7], %in;\n"), two, out, 64);
	fixture_ramp(AGAIN(""), (struct fixture_launch){.threads = 64, .check_none = true}, out, 64);
}

#define BULK                                                                                       \
	"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256;\n"                              \
	"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%in], 256, "   \
	"[%r7];\n"

Test(exec_async, bulk_copy_completes_on_its_mbarrier)
{
	uint32_t out[64];
	fixture_ramp(FIXTURE_KERNEL(WORD INIT(1) BULK WAIT(0) "ld.shared.u32 %r0, [%r8];\n" STORE),
				 (struct fixture_launch){.threads = 64, .check_race = true}, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t + 1);
}

Test(exec_async, bulk_copy_read_without_waiting)
{
	fixture_expect_fault(FIXTURE_KERNEL(WORD INIT(1) BULK "bar.sync 0; ld.shared.u32 %r0, [%r8];"),
						 (struct fixture_launch){.threads = 64}, FAULT_ASYNC, "a wait is missing");
}

Test(exec_async, bulk_copy_of_too_few_bytes_never_completes)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(
			WORD INIT(1) "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 512;\n"
						 "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
						 "[%r9], [%in], 256, [%r7];\n" WAIT(0)),
		(struct fixture_launch){.threads = 64, .step_budget = 1000000}, FAULT_BUDGET,
		"does not end");
}

Test(exec_async, bulk_store)
{
	uint32_t out[64];
	fixture_ramp(
		FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], %t; fence.proxy.async.shared::cta; bar.sync 0;\n"
							"setp.eq.u32 %p1, %t, 0; @!%p1 bra $end;\n"
							"cp.async.bulk.global.shared::cta.bulk_group [%out], [%r9], 256;\n"
							"cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n$end:"),
		(struct fixture_launch){.threads = 64, .check_race = true}, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t);
}

/* 128 bytes and, added to them or compared with them, the 128 behind those. */
#define REDUCE(what)                                                                               \
	FIXTURE_KERNEL(WORD "ld.global.u32 %r0, [%d2+128]; st.shared.u32 [%r8], %r0;\n"                \
						"ld.global.u32 %r0, [%d2];\n" STORE                                        \
						"fence.proxy.async; bar.sync 0; setp.eq.u32 %p1, %t, 0;\n"                 \
						"@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group." what            \
						" [%out], [%r9], 128;\n"                                                   \
						"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")

Test(exec_async, bulk_reductions_of_integers)
{
	uint32_t in[64], out[32];
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i * 0x9e3779b9u;
	fixture_expect(REDUCE("add.u32"), ONE, in, sizeof in, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], in[i] + in[32 + i]);
	fixture_expect(REDUCE("min.s32"), ONE, in, sizeof in, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq((int32_t)out[i],
					 (int32_t)in[i] < (int32_t)in[32 + i] ? (int32_t)in[i] : (int32_t)in[32 + i]);
	fixture_expect(REDUCE("xor.b64"), ONE, in, sizeof in, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], in[i] ^ in[32 + i]);
}

/* What is there counts up to the operand, then starts again; or down from it. */
Test(exec_async, bulk_reductions_that_count)
{
	uint32_t in[64], out[32];
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i < 32 ? i : 20;
	fixture_expect(REDUCE("inc.u32"), ONE, in, sizeof in, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], i >= 20 ? 0 : i + 1);
	fixture_expect(REDUCE("dec.u32"), ONE, in, sizeof in, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], i == 0 || i > 20 ? 20 : i - 1);
}

Test(exec_async, bulk_reductions_of_floats)
{
	double wide[32], wide_out[16];
	_Float16 half[128], half_out[64];
	for (int i = 0; i < 32; i++)
		wide[i] = i * 1.25 - 11;
	for (int i = 0; i < 128; i++)
		half[i] = (_Float16)(i * 37 % 64 - 20);
	fixture_expect(REDUCE("add.f64"), ONE, wide, sizeof wide, wide_out, sizeof wide_out);
	for (int i = 0; i < 16; i++)
		cr_assert_eq(wide_out[i], wide[i] + wide[16 + i], "%d: %g", i, wide_out[i]);
	fixture_expect(REDUCE("max.f16"), ONE, half, sizeof half, half_out, sizeof half_out);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(half_out[i], half[i] > half[64 + i] ? half[i] : half[64 + i]);
}

/* atom and red flush them: of 2^-149 and 2^-149 an H200 makes 2 here, and 0 there. */
Test(exec_async, bulk_additions_keep_subnormals)
{
	uint32_t in[64], out[32];
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i % 32 == 0 ? 1 : 0x00400000 + i % 32;
	fixture_expect(REDUCE("add.f32"), ONE, in, sizeof in, out, sizeof out);
	cr_assert_eq(out[0], 2);
	for (uint32_t i = 1; i < 32; i++)
		cr_assert_eq(out[i], 0x00800000 + 2 * i, "%u: %x", i, out[i]);
}

Test(exec_async, bulk_store_without_a_fence)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], %t; bar.sync 0; setp.eq.u32 %p1, %t, 0;\n"
							"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r9], 128;"),
		(struct fixture_launch){.threads = 64}, FAULT_ASYNC, "no fence.proxy.async");
}

/* One thread may fence for all, after a barrier. */
Test(exec_async, bulk_store_fenced_by_its_issuer)
{
	uint32_t out[64];
	fixture_ramp(
		FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], %t; bar.sync 0; setp.eq.u32 %p1, %t, 0;\n"
							"@%p1 fence.proxy.async;\n"
							"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r9], 256;"),
		(struct fixture_launch){.threads = 64}, out, 64);
	cr_assert_eq(out[63], 63);
}

#define WGMMA_D "{%f0, %f1, %f2, %f3}"
#define WGMMA_MULTIPLY                                                                             \
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " WGMMA_D ", %d5, %d5, %p1, 1, 1, 0, 0;\n"  \
	"wgmma.commit_group.sync.aligned;\n"
/* D = 1 + A * B, whose pairs of elements are `pair`: the four warps of a group, 64 x 8 x 16.
 * The descriptors both point at s, without swizzling. */
#define WGMMA_OF(pair, after_store, before, after)                                                 \
	FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], " pair "; st.shared.u32 [%r8+512], " pair ";\n"      \
						"st.shared.u32 [%r8+1024], " pair ";\n"                                    \
						"st.shared.u32 [%r8+1536], " pair ";\n" after_store                        \
						"bar.sync 0; shr.u32 %r1, %r9, 4; cvt.u64.u32 %d5, %r1;\n"                 \
						"or.b64 %d5, %d5, 0x1000080000; mov.f32 %f0, 0f3F800000;\n"                \
						"mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n" before           \
						"mov.pred %p1, 1;\n" WGMMA_MULTIPLY after                                  \
						"mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1;\n"                       \
						"st.global.f32 [%d1], %f2;")
#define WGMMA(after_store, before, after) WGMMA_OF("0", after_store, before, after)
#define FENCE "fence.proxy.async.shared::cta;\n"
#define WGMMA_FENCE "wgmma.fence.sync.aligned;\n"
#define WGMMA_WAIT "wgmma.wait_group.sync.aligned 0;\n"

Test(exec_async, wgmma_waited_for)
{
	uint32_t out[128];
	fixture_ramp(WGMMA(FENCE, WGMMA_FENCE, WGMMA_WAIT), (struct fixture_launch){.threads = 128},
				 out, 128);
	for (int i = 0; i < 128; i++)
		cr_assert_eq(out[i], 0x3f800000);
}

/* A move in between sees all that is pending on its register, not the first of it. */
Test(exec_async, wgmma_moved_before_its_wait)
{
	uint32_t out[128];
	fixture_ramp(WGMMA_OF("0x3C003C00", FENCE, WGMMA_FENCE,
						  WGMMA_MULTIPLY WGMMA_MULTIPLY "mov.b32 %r1, %f2;\n" WGMMA_WAIT
														"mov.b32 %f2, %r1;\n"),
				 (struct fixture_launch){.threads = 128}, out, 128);
	for (int i = 0; i < 128; i++)
		cr_assert_eq(out[i], 0x42440000, "%x", out[i]); /* 1 + 3 * 16 */
}

Test(exec_async, wgmma_without_its_fences_and_waits)
{
	struct fixture_launch group = {.threads = 128};
	fixture_expect_fault(WGMMA(FENCE, WGMMA_FENCE, ""), group, FAULT_ASYNC,
						 "nothing waited for (wgmma.mma_async.sync.");
	fixture_expect_fault(WGMMA(FENCE, "", WGMMA_WAIT), group, FAULT_ASYNC,
						 "no wgmma.fence before it");
	fixture_expect_fault(
		WGMMA(FENCE, WGMMA_FENCE, WGMMA_WAIT "add.f32 %f2, %f2, %f2;\n" WGMMA_MULTIPLY WGMMA_WAIT),
		group, FAULT_ASYNC, "were touched (add.f32 at PTX line ");
	fixture_expect_fault(WGMMA("", WGMMA_FENCE, WGMMA_WAIT), group, FAULT_ASYNC,
						 "no fence.proxy.async");
	fixture_expect_fault(WGMMA(FENCE, WGMMA_FENCE, WGMMA_WAIT),
						 (struct fixture_launch){.threads = 64}, FAULT_BARRIER, "fewer than four");
}

/* What ptxas serialises needs no fence and no wait, and reads its operands at once. */
Test(exec_async, wgmma_that_is_serialised)
{
	uint32_t out[128];
	struct fixture_launch how = {.threads = 128, .serialised = "other,k"};
	fixture_ramp(WGMMA_OF("0x3C003C00", FENCE, "", "add.f32 %f2, %f2, %f2;\n"), how, out, 128);
	for (int i = 0; i < 128; i++)
		cr_assert_eq(out[i], 0x42080000, "%x", out[i]); /* 2 * (1 + 16) */
	fixture_ramp(
		WGMMA_OF("0x3C003C00", FENCE, "",
				 "bar.sync 0; st.shared.u32 [%r8], 0; st.shared.u32 [%r8+512], 0;\n" WGMMA_WAIT),
		how, out, 128);
	for (int i = 0; i < 128; i++)
		cr_assert_eq(out[i], 0x41880000, "%x", out[i]); /* 1 + 16 */
	fixture_expect_fault(WGMMA("", "", ""), how, FAULT_ASYNC, "no fence.proxy.async");
	how.serialised = "kk,other";
	fixture_expect_fault(WGMMA(FENCE, "", ""), how, FAULT_ASYNC, "no wgmma.fence before it");
}

Test(exec_async, arriving_too_often)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(WORD INIT(48) "mbarrier.arrive.shared::cta.b64 _, [%r7];\n"
									 "mbarrier.arrive.noComplete.shared::cta.b64 %d5, [%r7], 30;"),
		(struct fixture_launch){.threads = 32}, FAULT_BARRIER, "arrives more often");
}

/* Its bytes would come into another block's memory. */
Test(exec_async, blocks_outlive_their_bulk_copies)
{
#define AHEAD(wait)                                                                                \
	FIXTURE_KERNEL(                                                                                \
		WORD INIT(1) "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n"             \
					 "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "     \
					 "[%r9], [%in], 128, [%r7];\n" wait)
	fixture_expect_fault(AHEAD(""), ONE, FAULT_ASYNC,
						 "its block ends while this copy into its shared memory is under way (128 "
						 "bytes at offset");
	uint32_t in[32] = {0}, out[1];
	fixture_expect(AHEAD(WAIT(0)), ONE, in, sizeof in, out, sizeof out);
}

/* ------------------------------------------------------------------------
 * Matrices */

Test(exec_async, ldmatrix_and_transpose)
{
	/* element (row, column) of an 8 x 8 matrix of halves is row * 8 + column */
	uint16_t in[64];
	uint32_t out[64];
	for (uint16_t i = 0; i < 64; i++)
		in[i] = i;
	fixture_expect(
		FIXTURE_KERNEL(WORD "ld.global.u32 %r1, [%d2]; st.shared.u32 [%r8], %r1; bar.sync 0;\n"
							"and.b32 %r2, %t, 7; shl.b32 %r2, %r2, 4; add.u32 %r2, %r9, %r2;\n"
							"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r2];\n"
							"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r3}, [%r2];\n" STORE
							"st.global.u32 [%d1+128], %r3;"),
		ONE, in, sizeof in, out, sizeof out);
	for (uint32_t lane = 0; lane < 32; lane++) {
		uint32_t row = lane / 4, column = lane % 4 * 2;
		cr_assert_eq(out[lane], (row * 8 + column) | (row * 8 + column + 1) << 16);
		cr_assert_eq(out[32 + lane], (column * 8 + row) | ((column + 1) * 8 + row) << 16);
	}
}

Test(exec_async, ldmatrix_needs_the_whole_warp)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(WORD "setp.lt.u32 %p1, %t, 9; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
							"{%r0}, [%r9];"),
		ONE, FAULT_BARRIER, "9 lanes");
}

/* A = I, so that D = B + C, for m16n8k16. */
Test(exec_async, mma_with_the_identity)
{
	uint32_t out[128];
	fixture_ramp(
		FIXTURE_KERNEL(
			/* a0: rows 0-7, k 0-7: lane (g, t) holds (g, 2t), (g, 2t+1) */
			"shr.u32 %r1, %t, 2; and.b32 %r2, %t, 3; shl.b32 %r2, %r2, 1; mov.u32 %r3, 0;\n"
			"setp.eq.u32 %p1, %r1, %r2; @%p1 mov.u32 %r3, 0x3c00; add.u32 %r4, %r2, 1;\n"
			"setp.eq.u32 %p1, %r1, %r4; @%p1 mov.u32 %r3, 0x3c000000; mov.u32 %r5, 0;\n"
			/* b[k][n] = k + n / 16, exact in f16; lane (g, t) holds k = 2t, 2t+1, n = g */
			"cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3D800000; cvt.rn.f32.u32 %f2, %r2;\n"
			"add.f32 %f3, %f1, %f2; add.f32 %f4, %f3, 0f3F800000; cvt.rn.f16x2.f32 %r6, %f4, %f3;\n"
			"add.f32 %f3, %f3, 0f41000000; add.f32 %f4, %f4, 0f41000000;\n"
			"cvt.rn.f16x2.f32 %r7, %f4, %f3; mov.f32 %f10, 0f42C80000;\n"
			"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8},\n"
			"{%r3, %r5, %r5, %r3}, {%r6, %r7}, {%f10, %f10, %f10, %f10};\n"
			"mul.wide.u32 %d1, %t, 16; add.s64 %d1, %out, %d1;\n"
			"st.global.v4.f32 [%d1], {%f5, %f6, %f7, %f8};"),
		ONE, out, 128);
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
			float value;
			memcpy(&value, &out[lane * 4 + i], 4);
			cr_assert_float_eq(value, 100 + (float)row + (float)column / 16, 0, "%u %u: %f", lane,
							   i, (double)value);
		}
}
