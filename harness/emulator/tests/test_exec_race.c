/* links: emulator_core */
#include "exec_async.h"

#define RACING ((struct fixture_launch){.threads = 64, .check_race = true})
#define MIRROR "xor.b32 %r1, %t, 63; shl.b32 %r1, %r1, 2; add.u32 %r1, %r9, %r1;\n"

Test(exec_race, write_then_read)
{
	fixture_expect_fault(FIXTURE_KERNEL(WORD MIRROR
										"st.shared.u32 [%r8], %t; bar.sync 0;\n"
										"st.shared.u32 [%r8], %t; ld.shared.u32 %r0, [%r1];"),
						 RACING, FAULT_RACE, "without a barrier between");
	uint32_t out[64];
	fixture_ramp(FIXTURE_KERNEL(WORD MIRROR
								"st.shared.u32 [%r8], %t; bar.sync 0; ld.shared.u32 %r0, [%r1];\n"
								"bar.sync 0; st.shared.u32 [%r8], 3; bar.sync 0;\n" STORE),
				 RACING, out, 64);
	cr_assert_eq(out[5], 58);
}

Test(exec_race, read_then_write)
{
	/* warp 1 comes last to the barrier, and so goes on first */
	fixture_expect_fault(FIXTURE_KERNEL(WORD MIRROR
										"st.shared.u32 [%r8], %t; setp.lt.u32 %p1, %t, 32;\n"
										"bar.sync 0; @!%p1 ld.shared.u32 %r0, [%r1];\n"
										"@%p1 st.shared.u32 [%r8], 3;"),
						 RACING, FAULT_RACE, "warp 1 reads (ld.shared.u32 at PTX line ");
}

Test(exec_race, write_and_write)
{
	fixture_expect_fault(FIXTURE_KERNEL(WORD "st.shared.u32 [%r9], %t;"), RACING, FAULT_RACE,
						 "warp 0 writes");
}

/* Both sides of a finding by their source lines, where the PTX has them. */
#define LINES "\n.file 1 \"/some/where/gemm.cu\"\n"

Test(exec_race, names_the_writer)
{
	static const char loads[] =
		FIXTURE_KERNEL(WORD MIRROR "st.shared.u32 [%r8], %t; setp.lt.u32 %p1, %t, 32; bar.sync 0;\n"
								   ".loc 1 7 3\n@!%p1 st.shared.u32 [%r8], %t;\n"
								   ".loc 1 9 3\n@%p1 ld.shared.u32 %r0, [%r1];") LINES;
	fixture_expect_fault(loads, RACING, FAULT_RACE, "ld.shared.u32 at gemm.cu:9: reads");
	fixture_expect_fault(loads, RACING, FAULT_RACE, "writes (st.shared.u32 at gemm.cu:7) without");
}

Test(exec_race, names_the_reader)
{
	static const char stores[] =
		FIXTURE_KERNEL(WORD MIRROR "st.shared.u32 [%r8], %t; setp.lt.u32 %p1, %t, 32; bar.sync 0;\n"
								   ".loc 1 7 3\n@!%p1 ld.shared.u32 %r0, [%r1];\n"
								   ".loc 1 9 3\n@%p1 st.shared.u32 [%r8], 3;") LINES;
	fixture_expect_fault(stores, RACING, FAULT_RACE, "st.shared.u32 at gemm.cu:9: writes");
	fixture_expect_fault(stores, RACING, FAULT_RACE, "reads (ld.shared.u32 at gemm.cu:7) without");
}

/* A word's bytes are told apart where only some are accessed, before a whole access and after. */
Test(exec_race, parts_of_a_word)
{
#define PARTS                                                                                      \
	WORD "setp.lt.u32 %p1, %t, 32; mov.b16 %h0, 0; shr.u32 %r2, %t, 5; shl.b32 %r2, %r2, 1;\n"     \
		 "add.u32 %r2, %r9, %r2; st.shared.u32 [%r8], %t; bar.sync 0;\n"
#define RACES(body, needle)                                                                        \
	fixture_expect_fault(FIXTURE_KERNEL(PARTS body), RACING, FAULT_RACE, needle)
	uint32_t out[64];
	fixture_ramp(FIXTURE_KERNEL(PARTS
								"st.shared.b16 [%r2], %h0; bar.sync 0; ld.shared.u32 %r0, [%r9];\n"
								"bar.sync 0; @%p1 st.shared.u32 [%r9], 3; bar.sync 0;\n"
								"st.shared.b16 [%r2], %h0; ld.shared.u16 %h0, [%r2]; bar.sync 0;\n"
								"@!%p1 st.shared.u32 [%r9], 3;\n" STORE),
				 RACING, out, 64);
	cr_assert_eq(out[5], 0);
	RACES("@!%p1 st.shared.u8 [%r9+3], %h0; @%p1 ld.shared.u32 %r0, [%r9];", "at offset 3, which");
	RACES("@!%p1 ld.shared.u8 %h1, [%r9+3]; @%p1 st.shared.u32 [%r9], 3;", "at offset 3, which");
	RACES("@!%p1 ld.shared.u32 %r0, [%r9]; @%p1 st.shared.u8 [%r9+2], %h0;", "at offset 2, which");
	RACES("@!%p1 st.shared.u32 [%r9], 3; @%p1 ld.shared.u8 %h1, [%r9+1];", "at offset 1, which");
	RACES("st.shared.b16 [%r2], %h0; bar.sync 0; @!%p1 st.shared.u32 [%r9], 3;\n"
		  "@%p1 ld.shared.u16 %h1, [%r9+2];",
		  "at offset 2, which");
	RACES("@!%p1 ld.shared.u8 %h1, [%r9+1]; @!%p1 ld.shared.v2.u32 {%r3, %r4}, [%r9];\n"
		  "@%p1 st.shared.u8 [%r9+3], %h0;",
		  "at offset 3, which");
}

Test(exec_race, the_wrong_named_barrier_orders_nothing)
{
	/* warp 1 waits for itself only */
	fixture_expect_fault(FIXTURE_KERNEL(WORD
										"setp.lt.u32 %p1, %t, 32; @%p1 st.shared.u32 [%r9], %t;\n"
										"@%p1 bar.sync 1, 32; @!%p1 bar.sync 2, 32;\n"
										"@!%p1 ld.shared.u32 %r0, [%r9];"),
						 RACING, FAULT_RACE, "without a barrier between");
}

Test(exec_race, atomics_do_not_race)
{
	uint32_t out[64];
	fixture_ramp(
		FIXTURE_KERNEL(
			WORD
			"setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%r9], 0; bar.sync 0;\n"
			"atom.shared.add.u32 %r1, [%r9], 1; bar.sync 0; ld.shared.u32 %r0, [%r9];\n" STORE),
		RACING, out, 64);
	cr_assert_eq(out[9], 64);
}

/* Lane 3 of warp 0 stores, and lane 0 arrives; warp 1 waits and reads. */
#define ARRIVES(meet)                                                                              \
	FIXTURE_KERNEL(".shared .align 8 .b64 full; .shared .align 4 .b32 word;\n"                     \
				   "mov.u32 %r8, full; mov.u32 %r9, word; setp.eq.u32 %p1, %t, 0;\n"               \
				   "@%p1 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0;\n"                         \
				   "setp.lt.u32 %p2, %t, 32; setp.eq.u32 %p3, %t, 3;\n"                            \
				   "@!%p2 bra WAIT;\n"                                                             \
				   "@%p3 st.shared.u32 [%r9], 7;\n" meet                                           \
				   "@%p1 mbarrier.arrive.shared.b64 _, [%r8];\n"                                   \
				   "bra END;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p4, [%r8], 0;\n"          \
				   "@!%p4 bra WAIT;\nld.shared.u32 %r0, [%r9];\nEND:\n")

Test(exec_race, a_lane_arrives_for_itself)
{
	uint32_t out[1];
	fixture_expect_fault(ARRIVES(""), RACING, FAULT_RACE, "which lane 3 of warp 0 writes");
	fixture_expect(ARRIVES("bar.warp.sync 0xffffffff;\n"), RACING, NULL, 0, out, 4);
	fixture_expect(ARRIVES("shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffffffff;\n"), RACING, NULL, 0,
				   out, 4);
}

/* As barriers do, an mbarrier at which all lanes arrive orders the lanes of its own warp. */
Test(exec_race, lanes_that_wait_have_met)
{
	uint32_t out[1];
	fixture_expect(ARRIVES(".shared .align 8 .b64 all; mov.u32 %r10, all;\n"
						   "@%p1 mbarrier.init.shared.b64 [%r10], 32; bar.warp.sync 0xffffffff;\n"
						   "@%p3 st.shared.u32 [%r9], 8;\n"
						   "mbarrier.arrive.shared.b64 _, [%r10];\n"
						   "MET: mbarrier.try_wait.parity.shared.b64 %p4, [%r10], 0;\n"
						   "@!%p4 bra MET;\n"),
				   RACING, NULL, 0, out, 4);
}

/* Warp 0 stores, and arrives; lane 0 of warp 1 waits for it, and lane 5 reads. */
#define WAITS(meet)                                                                                \
	FIXTURE_KERNEL(".shared .align 8 .b64 full; .shared .align 4 .b32 word;\n"                     \
				   "mov.u32 %r8, full; mov.u32 %r9, word; setp.eq.u32 %p1, %t, 0;\n"               \
				   "@%p1 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0;\n"                         \
				   "setp.lt.u32 %p2, %t, 32; setp.ne.u32 %p3, %t, 32; setp.eq.u32 %p5, %t, 37;\n"  \
				   "@!%p2 bra SECOND;\n@%p1 st.shared.u32 [%r9], 7;\n"                             \
				   "@%p1 mbarrier.arrive.shared.b64 _, [%r8];\nbra END;\n"                         \
				   "SECOND: @%p3 bra MEET;\n"                                                      \
				   "WAIT: mbarrier.try_wait.parity.shared.b64 %p4, [%r8], 0;\n@!%p4 bra WAIT;\n"   \
				   "MEET:\n" meet "@%p5 ld.shared.u32 %r0, [%r9];\nEND:\n")

Test(exec_race, a_lane_waits_for_itself)
{
	uint32_t out[1];
	fixture_expect_fault(WAITS(""), RACING, FAULT_RACE, "which warp 0 writes");
	fixture_expect(WAITS("bar.warp.sync 0xffffffff;\n"), RACING, NULL, 0, out, 4);
	fixture_expect(WAITS("setp.eq.u32 %p5, %t, 32;\n"), RACING, NULL, 0, out, 4);
}

Test(exec_race, an_mbarrier_is_made_before_it_is_used)
{
	fixture_expect_fault(FIXTURE_KERNEL(".shared .align 8 .b64 full;\n"
										"mov.u32 %r8, full; setp.eq.u32 %p1, %t, 0;\n"
										"@%p1 mbarrier.init.shared.b64 [%r8], 64;\n"
										"mbarrier.arrive.shared.b64 _, [%r8];"),
						 RACING, FAULT_RACE, "which warp 0 writes (mbarrier.init");
}

/* 64 x 8 x 16: B is stored by all before a barrier; each of the 64 rows of A, 32 bytes in two
 * 16-byte pieces, by the thread of the number that %r11 is, and nothing but its warp meets then. */
#define OWN_ROWS(number)                                                                           \
	FIXTURE_KERNEL(".shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256];\n"              \
				   "mov.u32 %r8, a; mov.u32 %r9, b; shl.b32 %r10, %t, 1; add.u32 %r10, %r9, "      \
				   "%r10; mov.b16 %h0, 0; mov.b32 %r0, 0;\n"                                       \
				   "st.shared.b16 [%r10], %h0; bar.sync 0;\n" number                               \
				   "shl.b32 %r12, %r11, 4; add.u32 %r12, %r8, %r12;\n"                             \
				   "st.shared.v4.b32 [%r12], {%r0, %r0, %r0, %r0};\n"                              \
				   "fence.proxy.async; bar.warp.sync -1;\n"                                        \
				   "shr.u32 %r13, %r8, 4; shr.u32 %r14, %r9, 4; cvt.u64.u32 %d5, %r13;\n"          \
				   "cvt.u64.u32 %d6, %r14;\n"                                                      \
				   "mov.b64 %d7, 0x1000080000; or.b64 %d5, %d5, %d7; or.b64 %d6, %d6, %d7;\n"      \
				   "setp.ne.b32 %p1, 0, 0; wgmma.fence.sync.aligned;\n"                            \
				   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d5, " \
				   "%d6, %p1, 1, 1, 0, 0;\n"                                                       \
				   "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n")

Test(exec_race, a_warp_reads_its_own_rows_of_a_wgmma)
{
	struct fixture_launch group = {.threads = 128, .check_race = true};
	uint32_t out[1];
	/* without swizzling 8 rows of 16 bytes follow each other: a warp's 16 rows are 32 pieces */
	fixture_expect(OWN_ROWS("mov.u32 %r11, %t;\n"), group, NULL, 0, out, 4);
	fixture_expect_fault(OWN_ROWS("xor.b32 %r11, %t, 32;\n"), group, FAULT_RACE,
						 "without a barrier between");
}

/* Lanes of one warp exchange words without and with a point where they meet. */
#define EXCHANGE(access, meet)                                                                     \
	FIXTURE_KERNEL(WORD "xor.b32 %r1, %t, 1; shl.b32 %r1, %r1, 2; add.u32 %r1, %r9, %r1;\n"        \
						"st" access "shared.u32 [%r8], %t;\n" meet "ld" access                     \
						"shared.u32 %r0, [%r1];\n" STORE)

Test(exec_race, lanes_of_a_warp_need_not_run_in_step)
{
	uint32_t out[64];
	static const char *const meets[] = {
		EXCHANGE(".", "bar.warp.sync 0xffffffff;\n"),
		EXCHANGE(".", "bar.sync 0;\n"),
		EXCHANGE(".", "shfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffffffff;\n"),
		EXCHANGE(".", "vote.sync.any.pred %p1, %p1, 0xffffffff;\n"),
		EXCHANGE(".volatile.", "bar.warp.sync 0xffffffff;\n"),
	};
	for (size_t i = 0; i < sizeof meets / sizeof *meets; i++) {
		fixture_ramp(meets[i], RACING, out, 64);
		cr_assert_eq(out[6], 7);
	}
	fixture_expect_fault(EXCHANGE(".", ""), RACING, FAULT_RACE,
						 "lane 1 of the same warp writes (st.shared.u32");
	fixture_expect_fault(EXCHANGE(".volatile.", ""), RACING, FAULT_RACE,
						 "of the same warp writes (st.volatile.shared.u32");
}

#define READ_THEN_WRITE(meet)                                                                      \
	FIXTURE_KERNEL(WORD "setp.eq.u32 %p1, %t, 3; st.shared.u32 [%r8], %t; bar.sync 0;\n"           \
						"ld.shared.u32 %r0, [%r9]; " meet "@%p1 st.shared.u32 [%r9], 3;\n")

Test(exec_race, a_lane_writes_what_another_has_read)
{
	const struct fixture_launch warp = {.threads = 32, .check_race = true};
	uint32_t out[1];
	fixture_expect_fault(READ_THEN_WRITE(""), warp, FAULT_RACE,
						 "lane 0 of the same warp reads (ld.shared.u32");
	fixture_expect(READ_THEN_WRITE("bar.warp.sync 0xffffffff;\n"), warp, NULL, 0, out, 4);
}

/* Warp 1 stores to a word that warp 0 has looked at. */
#define LOOKS(load, loop)                                                                          \
	FIXTURE_KERNEL(WORD "setp.lt.u32 %p1, %t, 32; st.volatile.shared.u32 [%r8], 0; bar.sync 0;\n"  \
						"@!%p1 bra WRITE;\nWAIT: " load " %r0, [%r9];\n" loop "bra END;\n"         \
						"WRITE: st.volatile.shared.u32 [%r9], 1;\nEND:\n")

Test(exec_race, volatile_orders_nothing)
{
	uint32_t out[1];
	fixture_expect_fault(LOOKS("ld.volatile.shared.u32", ""), RACING, FAULT_RACE,
						 "without a barrier between");
	fixture_expect(LOOKS("ld.relaxed.cta.shared.u32", ""), RACING, NULL, 0, out, 4);
	/* what waits for the other value may find either */
	fixture_expect(LOOKS("ld.volatile.shared.u32", "setp.eq.u32 %p2, %r0, 0; @%p2 bra WAIT;\n"),
				   RACING, NULL, 0, out, 4);
}

/* 16 rows of 64 bytes: more than an instruction stores anywhere else. */
#define TILE(value)                                                                                \
	FIXTURE_KERNEL(".shared .align 16 .b8 c[1024]; mov.u32 %r8, c; shr.u32 %r1, %t, 5;\n"          \
				   "cvt.rn.f32.u32 %f1, %r1; mov.f32 %f0, " value "; mov.u32 %r2, 16;\n"           \
				   "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r8], "                    \
				   "{%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}, %r2;\n")

Test(exec_race, warps_store_the_same_tile)
{
	uint32_t out[1];
	fixture_expect(TILE("0f40400000"), RACING, NULL, 0, out, 4);
	fixture_expect_fault(TILE("%f1"), RACING, FAULT_RACE, "writes shared memory");
}
