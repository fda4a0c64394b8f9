/* links: emulator_core */
/* What came with PTX 9.1 to 9.5. */
#include "exec_async.h"

#include <math.h>

/* PTX ISA 9.3, clmad: 64 by 64 bits, as polynomials over GF(2). */
static void carryless(uint64_t a, uint64_t b, uint64_t *low, uint64_t *high)
{
	unsigned __int128 product = 0;
	for (int bit = 0; bit < 64; bit++)
		if (a >> bit & 1)
			product ^= (unsigned __int128)b << bit;
	*low = (uint64_t)product;
	*high = (uint64_t)(product >> 64);
}

Test(exec_later, clmad)
{
	static const uint64_t edges[] = {0, 1, 2, 3, 1ull << 63, UINT64_MAX};
	uint64_t values[4][FIXTURE_LANES], low[FIXTURE_LANES], high[FIXTURE_LANES], state = 7;
	for (int i = 0; i < FIXTURE_LANES; i++) {
		values[0][i] = i < 36 ? edges[i / 6] : fixture_random(&state);
		values[1][i] = i < 36 ? edges[i % 6] : fixture_random(&state);
		values[2][i] = i % 2 ? fixture_random(&state) : 0;
	}
	fixture_instruction("clmad.lo.u64", "dddd", values, low);
	fixture_instruction("clmad.hi.u64", "dddd", values, high);
	for (int i = 0; i < FIXTURE_LANES; i++) {
		uint64_t want[2];
		carryless(values[0][i], values[1][i], &want[0], &want[1]);
		cr_assert_eq(low[i], want[0] ^ values[2][i], "lane %d", i);
		cr_assert_eq(high[i], want[1] ^ values[2][i], "lane %d", i);
	}
}

static float float_of(uint64_t bits)
{
	const uint32_t word = (uint32_t)bits;
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

/* PTX ISA 9.5, sin and cos: of 2 pi times the operand, whatever its size. */
Test(exec_later, sine_and_cosine_of_turns)
{
	static const float edges[] = {0.25f, 0.5f, 8388607.5f, 1e30f, INFINITY};
	uint64_t values[4][FIXTURE_LANES] = {{0}}, sines[FIXTURE_LANES], cosines[FIXTURE_LANES];
	for (size_t i = 0; i < FIXTURE_LANES; i++) {
		const float turns = i < 5 ? edges[i] : 6.0f * (float)i / FIXTURE_LANES - 3;
		uint32_t word;
		memcpy(&word, &turns, sizeof word);
		values[0][i] = word;
	}
	fixture_instruction("sin.approx.ftz.2pi.f32", "rr", values, sines);
	fixture_instruction("cos.approx.ftz.2pi.f32", "rr", values, cosines);
	for (size_t i = 0; i < FIXTURE_LANES; i++) {
		const double angle = 2 * M_PI * fmod((double)float_of(values[0][i]), 1);
		if (isnan(angle)) {
			cr_assert(sines[i] == 0x7fffffff && cosines[i] == 0x7fffffff, "lane %zu", i);
			continue;
		}
		cr_assert(fabs((double)float_of(sines[i]) - sin(angle)) <= 0x1p-20, "lane %zu", i);
		cr_assert(fabs((double)float_of(cosines[i]) - cos(angle)) <= 0x1p-20, "lane %zu", i);
	}
}

/* 64 threads copy 256 bytes, and each stores its word of them. */
#define BULK(copy)                                                                                 \
	WORD INIT(1) "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256;\n" copy
#define IGNORING(from, before, behind)                                                             \
	BULK("@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob "          \
		 "[%r9], [" from "], 256, " before ", " behind ", [%r7];\n" WAIT(0))
static const struct fixture_launch sixty_four = {.threads = 64, .check_race = true};

Test(exec_later, bulk_copy_without_its_ends)
{
	uint32_t out[64];
	fixture_ramp(FIXTURE_KERNEL(IGNORING("%in", "0", "0") "ld.shared.u32 %r0, [%r8];\n" STORE),
				 sixty_four, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t + 1);
	/* 4096 bytes are there: the copy begins 16 before them, or ends 16 behind them */
	fixture_ramp(FIXTURE_KERNEL("add.s64 %in, %in, -16;\n" IGNORING(
					 "%in", "16", "0") "mov.u32 %r0, 7; setp.ge.u32 %p3, %t, 4;\n"
									   "@%p3 ld.shared.u32 %r0, [%r8];\n" STORE),
				 sixty_four, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t < 4 ? 7 : t - 3);
	fixture_ramp(
		FIXTURE_KERNEL("add.s64 %in, %in, 3856;\n" IGNORING(
			"%in", "4", "16") "mov.u32 %r0, 7; setp.ge.u32 %p3, %t, 1; setp.lt.u32 %p4, %t, 60;\n"
							  "and.pred %p3, %p3, %p4; @%p3 ld.shared.u32 %r0, [%r8];\n" STORE),
		sixty_four, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t < 1 || t >= 60 ? 7 : 964 + t + 1);
}

Test(exec_later, bulk_copy_that_ignores_too_little)
{
	fixture_expect_fault(FIXTURE_KERNEL("add.s64 %in, %in, 784;\n" IGNORING("%in", "0", "12")),
						 sixty_four, FAULT_ADDRESS, "past the end");
	fixture_expect_fault(FIXTURE_KERNEL(IGNORING("%in", "128", "132")), sixty_four,
						 FAULT_INSTRUCTION, "ignores 128 and 132 bytes of a copy of 256");
	fixture_expect_fault(FIXTURE_KERNEL(IGNORING("%in+4", "12", "0")), sixty_four, FAULT_ALIGNMENT,
						 "not a multiple of 16");
}

/* The ends that are left out hold nothing that a kernel may use. */
Test(exec_later, bulk_copy_whose_ignored_end_is_read)
{
	fixture_expect_fault(FIXTURE_KERNEL(IGNORING(
							 "%in", "4", "0") "ld.shared.u32 %r0, [%r8]; setp.eq.u32 %p3, %r0, 0;\n"
											  "@%p3 st.global.u32 [%out], %r0;\n"),
						 sixty_four, FAULT_UNINITIALISED, "");
}

Test(exec_later, additions_that_keep_subnormals)
{
	static const uint32_t subnormal = 0x00000100;
	uint32_t in[2] = {subnormal, subnormal}, out[2];
	fixture_expect(FIXTURE_KERNEL("ld.global.b32 %r1, [%in]; mov.b32 %r2, 0;\n"
								  "st.global.b32 [%out], %r2; st.global.b32 [%out+4], %r2;\n"
								  "setp.eq.u32 %p1, %t, 0;\n"
								  "@%p1 red.global.add.noftz.f32 [%out], %r1;\n"
								  "@%p1 red.global.add.f32 [%out+4], %r1;\n"),
				   ONE, in, sizeof in, out, sizeof out);
	cr_assert_eq(out[0], subnormal);
	cr_assert_eq(out[1], 0);
}

/* Stores, fences, hints and waits whose new forms do no more here than the old ones. */
Test(exec_later, forms_that_order_or_hint)
{
	uint32_t out[64];
	fixture_ramp(
		FIXTURE_KERNEL(
			BULK("@%p1 cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes "
				 "[%r9], [%in], 256, [%r7];\n")
				WAIT(0) "prefetch.global.L1::32B.valid_addr [%in];\n"
						"ld.shared.u32 %r0, [%r8]; ld.global.proxy::readonly.u32 %r1, [%d2];\n"
						"ld.mmio.acquire.sys.global.u32 %r2, [%d2]; min.u32 %r0, %r0, %r1;\n"
						"min.u32 %r0, %r0, %r2; fence.proxy.alias.release.sys;\n"
						"fence.proxy.alias.acquire.sys;\n"
						"fence.alias.sync_restrict::read.release.sys;\n" STORE),
		sixty_four, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t + 1);
	fixture_ramp(
		FIXTURE_KERNEL(WORD
					   "add.u32 %r0, %t, 5; st.shared.u32 [%r8], %r0; fence.proxy.async;\n"
					   "bar.sync 0; setp.eq.u32 %p1, %t, 0;\n"
					   "@%p1 cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%out], "
					   "[%r9], 256;\n"
					   "cp.async.bulk.commit_group;\n"
					   "cp.async.bulk.wait_group.sync_restrict::proxy::async 0;\n"),
		(struct fixture_launch){.threads = 64}, out, 64);
	for (uint32_t t = 0; t < 64; t++)
		cr_assert_eq(out[t], t + 5);
}
