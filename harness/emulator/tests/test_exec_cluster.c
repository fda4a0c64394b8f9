/* links: emulator_core */
/* Blocks of a cluster at each other's shared memory: loads, stores, atomics, arrivals,
 * bulk copies and multicast; and what is found when a block ends too soon. */
#include "exec_fixture.h"

#define PAIR ((struct fixture_launch){.blocks = 2, .cluster = 2})
/* %r1: the block's rank, %r2: the other's, %r8: the thread's word of s, %r9 and %r10: s
 * and a barrier, %r18, %r19 and %r20: those of the other block, %d2: 4 bytes of %in and
 * %d3: of %out for each thread of the two blocks */
#define NEIGHBOURS                                                                                 \
	".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 full; mov.u32 %r9, s;\n"                \
	"mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mad.lo.u32 %r8, %t, 4, %r9;\n"            \
	"mov.u32 %r10, full; mapa.shared::cluster.u32 %r18, %r8, %r2;\n"                               \
	"mapa.shared::cluster.u32 %r19, %r9, %r2; mapa.shared::cluster.u32 %r20, %r10, %r2;\n"         \
	"mad.lo.u32 %r3, %r1, 32, %t; mad.wide.u32 %d2, %r3, 4, %in;\n"                                \
	"mad.wide.u32 %d3, %r3, 4, %out; setp.eq.u32 %p1, %t, 0;\n"
#define MEET "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
#define WAIT                                                                                       \
	"$wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r10], 0;\n"            \
	"@!%p3 bra $wait;\n"

static void run(const char *ptx, uint32_t out[64])
{
	uint32_t in[64];
	for (uint32_t i = 0; i < 64; i++)
		in[i] = 1000 + i;
	fixture_expect(ptx, PAIR, in, sizeof in, out, 256);
}

Test(exec_cluster, stores_and_atomics)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(NEIGHBOURS
					   "st.shared::cluster.u32 [%r18], %r3; mov.u32 %r4, 0;\n"
					   "@%p1 st.shared.u32 [%r9+512], %r4;\n" MEET
					   "atom.shared::cluster.add.u32 %r5, [%r19+512], 3;\n" MEET
					   "ld.shared.u32 %r5, [%r8]; ld.shared.u32 %r6, [%r9+512];\n"
					   "mad.lo.u32 %r5, %r6, 1000, %r5; st.global.u32 [%d3], %r5;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], 96000 + (i ^ 32), "%u: %u", i, out[i]);
}

/* Generic addresses, made by mapa.u64. */
Test(exec_cluster, generic_addresses)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(NEIGHBOURS
					   "cvt.u64.u32 %d4, %r8; cvta.shared.u64 %d4, %d4;\n"
					   "mapa.u64 %d4, %d4, %r2; st.u32 [%d4], %r3;\n"
					   "getctarank.u64 %r6, %d4;\n" MEET "ld.shared.u32 %r5, [%r8];\n"
					   "mad.lo.u32 %r5, %r6, 1000, %r5; st.global.u32 [%d3], %r5;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], (i < 32 ? 1000 : 0) + (i ^ 32), "%u: %u", i, out[i]);
}

/* A variable's address has its block's rank, as the one that mapa makes; without it, it is
 * the own block's too. */
Test(exec_cluster, own_addresses_have_the_rank)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(NEIGHBOURS
					   "st.shared.u32 [%r8], %r3; mapa.shared::cluster.u32 %r4, %r8, %r1;\n"
					   "and.b32 %r5, %r8, 0xffffff; ld.shared.u32 %r5, [%r5];\n"
					   "cvt.u64.u32 %d4, %r8; cvta.shared.u64 %d4, %d4; ld.u32 %r6, [%d4];\n"
					   "ld.shared.u32 %r7, [s+4];\n"
					   "setp.eq.u32 %p2, %r4, %r8; setp.eq.and.u32 %p2, %r5, %r3, %p2;\n"
					   "setp.eq.and.u32 %p2, %r6, %r3, %p2; selp.u32 %r7, %r7, 0, %p2;\n"
					   "shr.u32 %r4, %r8, 24; mad.lo.u32 %r7, %r4, 100, %r7;\n"
					   "st.global.u32 [%d3], %r7;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], i / 32 * 132 + 101, "%u: %u", i, out[i]);
}

/* Each thread stores for the other block and arrives at that block's barrier. */
Test(exec_cluster, arrivals_at_a_barrier_elsewhere)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(NEIGHBOURS
					   "@%p1 mbarrier.init.shared::cta.b64 [%r10], 32;\n" MEET
					   "st.shared::cluster.u32 [%r18], %r3;\n"
					   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];\n" WAIT
					   "ld.shared.u32 %r5, [%r8]; st.global.u32 [%d3], %r5;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], i ^ 32, "%u: %u", i, out[i]);
}

Test(exec_cluster, bulk_copy_to_another_block)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(
			NEIGHBOURS
			"@%p1 mbarrier.init.shared::cta.b64 [%r10], 1; st.shared.u32 [%r8], %r3;\n"
			"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 128;\n"
			"fence.proxy.async;\n" MEET
			"@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes\n"
			"[%r19+256], [%r9], 128, [%r20];\n" WAIT
			"ld.shared.u32 %r5, [%r8+256]; st.global.u32 [%d3], %r5;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], i ^ 32, "%u: %u", i, out[i]);
}

/* Block 1 brings one row for both, each of which waits at its own barrier. */
#define MULTICAST                                                                                  \
	NEIGHBOURS                                                                                     \
	"@%p1 mbarrier.init.shared::cta.b64 [%r10], 1; mov.b16 %h1, 3;\n"                              \
	"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 128;\n"                             \
	"fence.proxy.async;\n" MEET "setp.eq.and.u32 %p2, %r1, 1, %p1;\n"                              \
	"@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"                       \
	".multicast::cluster [%r9], [%in], 128, [%r10], %h1;\n"

Test(exec_cluster, multicast_reaches_every_block_of_the_mask)
{
	uint32_t out[64];
	run(FIXTURE_KERNEL(MULTICAST WAIT "ld.shared.u32 %r5, [%r8]; st.global.u32 [%d3], %r5;\n" MEET),
		out);
	for (uint32_t i = 0; i < 64; i++)
		cr_assert_eq(out[i], 1000 + i % 32, "%u: %u", i, out[i]);
}

Test(exec_cluster, multicast_read_without_waiting)
{
	fixture_expect_fault(FIXTURE_KERNEL(MULTICAST MEET "ld.shared.u32 %r5, [%r8];\n" MEET), PAIR,
						 FAULT_ASYNC, "a wait is missing");
}

Test(exec_cluster, memory_of_a_block_that_ended)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(NEIGHBOURS "setp.eq.u32 %p2, %r1, 0; @%p2 bra $end; mov.u32 %r5, 0;\n"
								  "$more: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 9000;\n"
								  "@%p3 bra $more; st.shared::cluster.u32 [%r18], %r5;\n$end:"),
		PAIR, FAULT_ADDRESS, "shared memory of block 0 of the cluster, which has ended");
}

Test(exec_cluster, block_that_does_not_exist)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(NEIGHBOURS
					   "mapa.shared::cluster.u32 %r4, %r8, 2; st.shared.u32 [%r4], 1;\n"),
		PAIR, FAULT_ADDRESS, "block 2 of a cluster of 2");
}
