/* links: emulator_core; label: threads */
/* Divergence, barriers, communication within a warp, calls. */
#include "exec_fixture.h"

#define ONE ((struct fixture_launch){0})
#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;"

static void lanes(const char *ptx, struct fixture_launch how, uint32_t *out, size_t count)
{
	fixture_expect(ptx, how, NULL, 0, out, count * 4);
}

Test(exec_control, nested_loops_diverge)
{
	/* r0 = number of (i, j) with i < t % 5, j < i + t % 3 */
	uint32_t out[64];
	lanes(
		FIXTURE_KERNEL("rem.u32 %r1, %t, 5; rem.u32 %r2, %t, 3; mov.u32 %r0, 0; mov.u32 %r3, 0;\n"
					   "$outer: setp.ge.u32 %p1, %r3, %r1; @%p1 bra $end; add.u32 %r4, %r3, %r2;\n"
					   "mov.u32 %r5, 0;\n"
					   "$inner: setp.ge.u32 %p2, %r5, %r4; @%p2 bra $next; add.u32 %r0, %r0, 1;\n"
					   "add.u32 %r5, %r5, 1; bra $inner;\n"
					   "$next: add.u32 %r3, %r3, 1; bra.uni $outer;\n$end: " STORE),
		(struct fixture_launch){.threads = 64}, out, 64);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < t % 5; i++)
			count += i + t % 3;
		cr_assert_eq(out[t], count, "thread %u", t);
	}
}

Test(exec_control, groups_merge_again)
{
	/* after an if/else all lanes are together for the ballot */
	uint32_t out[32];
	lanes(FIXTURE_KERNEL("and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra $odd;\n"
						 "mov.u32 %r2, 10; bra $join;\n$odd: mov.u32 %r2, 20;\n"
						 "$join: activemask.b32 %r0;\n" STORE),
		  ONE, out, 32);
	for (int t = 0; t < 32; t++)
		cr_assert_eq(out[t], 0xffffffff);
}

Test(exec_control, early_exit_leaves_the_rest)
{
	uint32_t out[64];
	lanes(FIXTURE_KERNEL("mov.u32 %r0, 7; " STORE " setp.lt.u32 %p1, %t, 40; @%p1 exit;\n"
						 "bar.sync 0; mov.u32 %r0, 8;\n" STORE),
		  (struct fixture_launch){.threads = 64}, out, 64);
	for (int t = 0; t < 64; t++)
		cr_assert_eq(out[t], t < 40 ? 7u : 8u);
}

Test(exec_control, barrier_after_divergence)
{
	/* every thread publishes, all meet, every thread reads its mirror */
	uint32_t out[128];
	lanes(FIXTURE_KERNEL(
			  ".shared .b8 s[512]; mov.u32 %r9, s; shl.b32 %r1, %t, 2;\n"
			  "add.u32 %r1, %r9, %r1; and.b32 %r2, %t, 3; setp.eq.u32 %p1, %r2, 2;\n"
			  "@%p1 bra $special; mov.u32 %r3, %t; bra $store;\n"
			  "$special: mul.lo.u32 %r3, %t, 100;\n$store: st.shared.u32 [%r1], %r3;\n"
			  "bar.sync 0; sub.u32 %r4, 127, %t; shl.b32 %r4, %r4, 2; add.u32 %r4, %r9, %r4;\n"
			  "ld.shared.u32 %r0, [%r4];\n" STORE),
		  (struct fixture_launch){.threads = 128}, out, 128);
	for (uint32_t t = 0; t < 128; t++) {
		uint32_t mirror = 127 - t;
		cr_assert_eq(out[t], mirror % 4 == 2 ? mirror * 100 : mirror);
	}
}

Test(exec_control, branch_tables)
{
	uint32_t out[32];
	lanes(FIXTURE_KERNEL("rem.u32 %r1, %t, 3; $table: .branchtargets $a, $b, $c;\n"
						 "brx.idx %r1, $table;\n$a: mov.u32 %r0, 5; bra $end;\n"
						 "$b: mov.u32 %r0, 6; bra $end;\n$c: mov.u32 %r0, 7;\n$end: " STORE),
		  ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], 5 + t % 3);
}

Test(exec_control, functions_with_parameters)
{
	static const char ptx[] = FIXTURE_HEADER
		".func (.param .b32 result) add_twice(.param .b32 x, .param .align 4 .b8 pair[8])\n{\n"
		".reg .b32 %r<9>; .reg .pred %p; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [pair+4];\n"
		"setp.gt.u32 %p, %r1, 20; @%p bra $big; mad.lo.u32 %r3, %r2, 2, %r1;\n"
		"st.param.b32 [result], %r3; ret;\n$big: st.param.b32 [result], 999; ret;\n}\n"
		".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
		".reg .b32 %r<9>; .reg .b64 %out, %d1; .reg .b32 %t; .reg .pred %q;\n"
		"ld.param.u64 %out, [b]; mov.u32 %t, %tid.x; mov.u32 %r0, 1; setp.ne.u32 %q, %t, 3;\n"
		"{ .param .b32 p0; .param .align 4 .b8 p1[8]; .param .b32 r;\n"
		"st.param.b32 [p0], %t; st.param.b32 [p1], 0; st.param.b32 [p1+4], 50;\n"
		"@%q call.uni (r), add_twice, (p0, p1); @%q ld.param.b32 %r0, [r]; }\n" STORE "ret; }";
	uint32_t out[32];
	lanes(ptx, ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		if (t != 3)
			cr_assert_eq(out[t], t > 20 ? 999 : t + 100);
}

/* `pointer` gives %d2, which is called by all lanes but lane 3, of which %r0 stays 1. Then all
 * lanes are together: %r1. */
#define POINTERS(pointer, targets)                                                                 \
	FIXTURE_HEADER                                                                                 \
	".func (.param .b32 r) plus(.param .b32 x, .param .b32 y)\n{ .reg .b32 %r<3>;\n"               \
	"ld.param.u32 %r0, [x]; ld.param.u32 %r1, [y]; add.u32 %r2, %r0, %r1;\n"                       \
	"st.param.b32 [r], %r2; ret; }\n"                                                              \
	".func (.param .b32 r) times(.param .b32 x, .param .b32 y)\n{ .reg .b32 %r<3>; .reg .pred "    \
	"%p;\n"                                                                                        \
	"ld.param.u32 %r0, [x]; ld.param.u32 %r1, [y]; setp.gt.u32 %p, %r0, 20;\n"                     \
	"@%p bra $big; mul.lo.u32 %r2, %r0, %r1; st.param.b32 [r], %r2; ret;\n"                        \
	"$big: st.param.b32 [r], 999; ret; }\n"                                                        \
	".func (.param .b32 r) twice(.param .b32 x)\n{ ret; }\n"                                       \
	".func (.param .b32 r) unnamed(.param .b32 x, .param .b32 y)\n{ st.param.b32 [r], 5; ret; }\n" \
	".global .align 8 .u64 table[3] = {plus, times, twice};\n"                                     \
	".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                         \
	".reg .b32 %r<9>; .reg .b64 %out, %d<9>; .reg .b32 %t; .reg .pred %q;\n"                       \
	".shared .align 8 .b64 s;\n"                                                                   \
	"ld.param.u64 %out, [b]; mov.u32 %t, %tid.x; mov.u32 %r0, 1; setp.ne.u32 %q, %t, 3;\n"         \
	"and.b32 %r1, %t, 1; mul.wide.u32 %d1, %r1, 8; mov.u64 %d3, table;\n" pointer                  \
	"\n{ .param .b32 p0; .param .b32 p1; .param .b32 r;\n"                                         \
	"st.param.b32 [p0], %t; st.param.b32 [p1], 50;\n" targets                                      \
	"@%q call (r), %d2, (p0, p1), to; @%q ld.param.b32 %r0, [r]; }\n"                              \
	"activemask.b32 %r1; not.b32 %r1, %r1; add.u32 %r0, %r0, %r1;\n" STORE "ret; }"
#define PROTOTYPE "to: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
#define OF_TABLE "add.s64 %d3, %d3, %d1; ld.global.u64 %d2, [%d3];"

Test(exec_control, calls_through_pointers)
{
	uint32_t out[32];
	lanes(POINTERS(OF_TABLE, PROTOTYPE), ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], t == 3 ? 1 : t % 2 == 0 ? t + 50 : t > 20 ? 999 : t * 50);
	/* the address of one that is in no table, by way of memory */
	lanes(POINTERS("mov.u64 %d2, unnamed; st.shared.b64 [s], %d2; ld.shared.b64 %d2, [s];",
				   PROTOTYPE),
		  ONE, out, 32);
	cr_assert_eq(out[31], 5);
	lanes(POINTERS(OF_TABLE, "to: .calltargets plus, times;\n"), ONE, out, 32);
	cr_assert_eq(out[31], 999);
}

Test(exec_control, calls_of_what_is_no_function)
{
	fixture_expect_fault(POINTERS("mov.u64 %d2, 0;", PROTOTYPE), ONE, FAULT_PC,
						 "calls 0x0, which is the address of no function");
	fixture_expect_fault(POINTERS("mov.u64 %d2, table;", PROTOTYPE), ONE, FAULT_PC,
						 "which is the address of no function");
	fixture_expect_fault(POINTERS("ld.global.u64 %d2, [table+16];", PROTOTYPE), ONE, FAULT_PC,
						 "calls twice, which this call cannot reach");
	fixture_expect_fault(POINTERS(OF_TABLE, "to: .calltargets plus;\n"), ONE, FAULT_PC,
						 "calls times, which");
	fixture_expect_fault(POINTERS("ld.shared.b64 %d2, [s];", PROTOTYPE), ONE, FAULT_UNINITIALISED,
						 "call at PTX line");
}

#define CALL(function, from, to)                                                                   \
	"{ .param .b32 q; .param .b32 s; st.param.b32 [q], " from "; call.uni (s), " function          \
	", (q);\n"                                                                                     \
	"ld.param.b32 " to ", [s]; }\n"
/* `begin`, a function's, and its result %r3 of %r1. */
#define FUNCTION(name, begin, body)                                                                \
	".func (.param .b32 r) " name "(.param .b32 n)\n{ .reg .b32 %r<9>; .reg .pred %p; " begin      \
	"\nld.param.u32 %r1, [n]; mov.u32 %r3, %r1;\n" body "st.param.b32 [r], %r3; ret; }\n"
#define FIBONACCI(begin)                                                                           \
	FUNCTION("fibonacci", begin,                                                                   \
			 "setp.lt.u32 %p, %r1, 2; @%p bra $end; sub.u32 %r2, %r1, 1;\n" CALL(                  \
				 "fibonacci", "%r2",                                                               \
				 "%r4") "sub.u32 %r2, %r1, 2;\n" CALL("fibonacci", "%r2",                          \
													  "%r5") "add.u32 %r3, %r4, %r5;\n$end: ")
/* Counts down in turns with another one: what is left over when 10 was taken often enough. */
#define TURNS(name, other)                                                                         \
	FUNCTION(name, "",                                                                             \
			 "setp.lt.u32 %p, %r1, 10; @%p bra $end; sub.u32 %r2, %r1, 10;\n" CALL(                \
				 other, "%r2", "%r4") "mad.lo.u32 %r3, %r4, 2, %r1;\n$end: ")
#define RECURSIVE(functions, call)                                                                 \
	FIXTURE_HEADER functions                                                                       \
		".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<9>; .reg .b32 %t;\n"     \
		".reg .b64 %out, %d1; ld.param.u64 %out, [b]; mov.u32 %t, %tid.x; mov.u32 %r7, 7;\n" call  \
		"add.u32 %r0, %r0, %r7;\n" STORE "ret; }"

static uint32_t in_turns(uint32_t n)
{
	return n < 10 ? n : 2 * in_turns(n - 10) + n; /* NOLINT(misc-no-recursion): what is tested */
}

Test(exec_control, recursion)
{
	static const uint32_t numbers[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
	uint32_t out[32];
	/* %t of each lane is a number of its own, and lives on */
	lanes(RECURSIVE(FIBONACCI(""), "rem.u32 %r6, %t, 10;\n" CALL("fibonacci", "%r6", "%r0")), ONE,
		  out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], numbers[t % 10] + 7, "%u: %u", t, out[t]);
	lanes(RECURSIVE(".func (.param .b32 r) pong(.param .b32 n);\n" TURNS("ping", "pong")
						TURNS("pong", "ping"),
					"mul.lo.u32 %r6, %t, 5;\n" CALL("ping", "%r6", "%r0")),
		  ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], in_turns(t * 5) + 7, "%u: %u", t, out[t]);
}

/* What is undefined before it is so behind it, and nothing else. */
#define UNWRITTEN ".shared .align 4 .b32 own; ld.shared.u32 %r6, [own];\n"

Test(exec_control, recursion_keeps_what_is_undefined)
{
	uint32_t out[32];
	lanes(RECURSIVE(FIBONACCI(""), UNWRITTEN CALL("fibonacci", "6", "%r0")), ONE, out, 32);
	cr_assert_eq(out[31], 8 + 7);
	fixture_expect_fault(
		RECURSIVE(FIBONACCI(""), UNWRITTEN CALL("fibonacci", "6", "%r0") "mov.u32 %r0, %r6;\n"),
		ONE, FAULT_UNINITIALISED, "shared memory that nothing wrote");
}

Test(exec_control, recursion_has_its_limits)
{
	/* 1024 bytes of stack */
	fixture_expect_fault(RECURSIVE(TURNS("ping", "ping"), CALL("ping", "400", "%r0")), ONE,
						 FAULT_ADDRESS,
						 "call.uni at PTX line 8: calls itself too often: that takes 1056 bytes");
	/* whose address would have to be another one for each call */
	fixture_expect_fault(RECURSIVE(FIBONACCI(".local .b32 own;"), CALL("fibonacci", "%t", "%r0")),
						 ONE, FAULT_UNSUPPORTED, "call.uni at PTX line");
}

/* ------------------------------------------------------------------------
 * Within a warp */

Test(exec_control, shuffles)
{
	static const struct {
		const char *text;
		int from[32];
	} table[] = {
		{"shfl.sync.up.b32 %r0|%p1, %t, 3, 0, -1;", {0}},
		{"shfl.sync.down.b32 %r0|%p1, %t, 5, 31, -1;", {0}},
		{"shfl.sync.bfly.b32 %r0|%p1, %t, 9, 31, -1;", {0}},
		{"shfl.sync.idx.b32 %r0|%p1, %t, 4, 31, -1;", {0}},
		{"shfl.sync.down.b32 %r0|%p1, %t, 5, 0x1807, -1;", {0}}, /* segments of 8 */
	};
	for (int k = 0; k < 5; k++) {
		char ptx[4096], body[512];
		uint32_t out[32];
		snprintf(body, sizeof body,
				 "%s selp.u32 %%r1, 1000, 0, %%p1; add.u32 %%r0, %%r0, %%r1;\n%s", table[k].text,
				 STORE);
		lanes(fixture_kernel(ptx, sizeof ptx, body), ONE, out, 32);
		for (int t = 0; t < 32; t++) {
			int from = k == 0 ? t - 3 : k == 1 ? t + 5 : k == 2 ? t ^ 9 : k == 3 ? 4 : t + 5;
			bool valid = k == 0 ? from >= 0 : k == 4 ? from / 8 == t / 8 : from < 32;
			cr_assert_eq(out[t], (uint32_t)(valid ? from + 1000 : t), "%s lane %d: %u",
						 table[k].text, t, out[t]);
		}
	}
}

Test(exec_control, votes_and_matches)
{
	uint32_t out[32];
	lanes(FIXTURE_KERNEL(
			  "and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 1; vote.sync.ballot.b32 %r2, %p1, -1;\n"
			  "vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;\n"
			  "vote.sync.uni.pred %p4, !%p3, -1; match.any.sync.b32 %r3, %r1, -1;\n"
			  "match.all.sync.b32 %r4|%p5, %r1, -1; redux.sync.add.u32 %r5, %t, -1;\n"
			  "redux.sync.max.s32 %r6, %t, -1; elect.sync _|%p6, -1; mov.u32 %r0, 0;\n"
			  "setp.eq.and.u32 %p2, %r2, 0x22222222, %p2; setp.eq.and.u32 %p2, %r5, 496, %p2;\n"
			  "setp.eq.and.u32 %p2, %r6, 31, %p2; and.pred %p2, %p2, %p4; setp.eq.and.u32 %p2, "
			  "%r4, 0, %p2;\n"
			  "not.pred %p3, %p3; not.pred %p5, %p5; and.pred %p2, %p2, %p3; and.pred %p2, %p2, "
			  "%p5;\n"
			  "selp.u32 %r0, 1, 0, %p2; selp.u32 %r7, 2, 0, %p6; add.u32 %r0, %r0, %r7;\n"
			  "shl.b32 %r8, 0x11111111, %r1; setp.eq.u32 %p7, %r3, %r8; selp.u32 %r7, 4, 0, %p7;\n"
			  "add.u32 %r0, %r0, %r7;" STORE),
		  ONE, out, 32);
	for (int t = 0; t < 32; t++)
		cr_assert_eq(out[t], t == 0 ? 7u : 5u, "lane %d: %u", t, out[t]);
}

Test(exec_control, shuffle_waits_for_its_members)
{
	/* the odd lanes take a longer way to the same shuffle */
	uint32_t out[32];
	lanes(FIXTURE_KERNEL("and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %t;\n"
						 "@%p1 bra $shuffle; mov.u32 %r3, 0;\n"
						 "$loop: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %t; @%p2 bra $loop;\n"
						 "add.u32 %r2, %r2, 100;\n"
						 "$shuffle: shfl.sync.bfly.b32 %r0, %r2, 1, 31, -1;\n" STORE),
		  ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], (t ^ 1) + (t % 2 == 0 ? 100 : 0));
}

Test(exec_control, pairs_of_lanes_shuffle_by_masks_of_their_own)
{
	/* lane 3 comes later than the others, from statements further down */
	uint32_t out[32];
	lanes(FIXTURE_KERNEL("and.b32 %r1, %t, 30; shl.b32 %r1, 3, %r1; setp.eq.u32 %p1, %t, 3;\n"
						 "add.u32 %r2, %t, 100; @%p1 bra $late;\n"
						 "$shuffle: shfl.sync.bfly.b32 %r0, %r2, 1, 31, %r1; bra $end;\n"
						 "$late: add.u32 %r2, %r2, 100; bra $shuffle;\n$end: " STORE),
		  ONE, out, 32);
	for (uint32_t t = 0; t < 32; t++)
		cr_assert_eq(out[t], (t ^ 1) + (t == 2 ? 200 : 100), "lane %u: %u", t, out[t]);
}

Test(exec_control, syncwarp_in_both_branches)
{
	uint32_t out[32];
	lanes(
		FIXTURE_KERNEL("setp.lt.u32 %p1, %t, 16; @%p1 bra $low; bar.warp.sync -1; mov.u32 %r0, 2;\n"
					   "bra $end;\n$low: bar.warp.sync -1; mov.u32 %r0, 1;\n$end: " STORE),
		ONE, out, 32);
	cr_assert_eq(out[3], 1);
	cr_assert_eq(out[20], 2);
}

/* ------------------------------------------------------------------------
 * Barriers of a block */

Test(exec_control, named_barriers_of_producer_and_consumer)
{
	/* warp 0 fills, warps 1 and 2 read: barrier 1 says full, 2 says empty */
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .b8 s[128]; mov.u32 %r9, s; and.b32 %r8, %t, 31; shl.b32 %r8, %r8, 2;\n"
		"add.u32 %r8, %r8, %r9; mov.u32 %r1, 0; mov.u32 %r0, 0; setp.lt.u32 %p1, %t, 32;\n"
		"@!%p1 bra $consumer;\n"
		"$producer: mad.lo.u32 %r2, %r1, 10, %t; st.shared.u32 [%r8], %r2; bar.arrive 1, 96;\n"
		"bar.sync 2, 96; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 5; @%p2 bra $producer; bra "
		"$end;\n"
		"$consumer: barrier.sync 1, 96; ld.shared.u32 %r3, [%r8]; add.u32 %r0, %r0, %r3;\n"
		"bar.arrive 2, 96; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 5; @%p2 bra "
		"$consumer;\n$end: " STORE);
	uint32_t out[96];
	lanes(ptx, (struct fixture_launch){.threads = 96}, out, 96);
	for (uint32_t t = 32; t < 96; t++)
		cr_assert_eq(out[t], 5 * (t % 32) + 100);
}

Test(exec_control, barrier_reductions)
{
	uint32_t out[64];
	lanes(FIXTURE_KERNEL("setp.lt.u32 %p1, %t, 10; bar.red.popc.u32 %r0, 0, %p1;\n"
						 "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, %p1;\n"
						 "@%p2 add.u32 %r0, %r0, 1000; @%p3 add.u32 %r0, %r0, 100;\n" STORE),
		  (struct fixture_launch){.threads = 64}, out, 64);
	for (int t = 0; t < 64; t++)
		cr_assert_eq(out[t], 110);
}

Test(exec_control, deadlock_is_reported)
{
	fixture_expect_fault(
		FIXTURE_KERNEL("setp.lt.u32 %p1, %t, 32; @%p1 bra $a; bar.sync 1; bra $end;\n"
					   "$a: bar.sync 0;\n$end:"),
		(struct fixture_launch){.threads = 64}, FAULT_BARRIER, "32 threads wait for barrier 0");
	fixture_expect_fault(FIXTURE_KERNEL("bar.sync 3, 96;"), (struct fixture_launch){.threads = 64},
						 FAULT_BARRIER, "64 threads wait for barrier 3");
}

Test(exec_control, spin_without_end_is_reported)
{
	struct fixture_launch how = {.step_budget = 100000};
	fixture_expect_fault(
		FIXTURE_KERNEL("$l: ld.volatile.global.u32 %r1, [%in]; setp.eq.u32 %p1, %r1, 0;\n"
					   "@%p1 bra $l;"),
		how, FAULT_BUDGET, "does not end");
}

/* The budget is that of all blocks, to the instruction, however many threads the host has. */
Test(exec_control, budget_of_a_launch_is_exact)
{
	static const char *const ptx =
		FIXTURE_KERNEL("mov.u32 %r1, 0; $l: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5000;\n"
					   "@%p1 bra $l;");
	struct fixture_launch how = {.blocks = 7, .threads = 64};
	struct fault fault;
	uint64_t in = fixture_buffer(64), out = fixture_buffer(64);
	cr_assert(fixture_run(ptx, &how, in, out, &fault), "%s", fault.text);
	const uint64_t all = how.counters.warp_instructions;
	cr_assert(all > 7 * 2 * 15000);
	for (how.host_threads = 1; how.host_threads <= 3; how.host_threads++) {
		how.step_budget = all;
		cr_assert(fixture_run(ptx, &how, in, out, &fault), "%s", fault.text);
		how.step_budget = all - 1;
		fixture_expect_fault(ptx, how, FAULT_BUDGET, "does not end");
	}
}

Test(exec_control, divergent_spin_lets_others_go_on)
{
	/* lane 0 waits, at a lower address, for what lane 1 does later */
	uint32_t out[32];
	lanes(
		FIXTURE_KERNEL(".shared .b32 flag; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [flag], 0;\n"
					   "bar.warp.sync -1; @!%p1 bra $set;\n"
					   "$spin: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0;\n"
					   "@%p2 bra $spin; bra $end;\n"
					   "$set: setp.eq.u32 %p3, %t, 1; @%p3 st.shared.u32 [flag], 1;\n"
					   "$end: mov.u32 %r0, 4;\n" STORE),
		ONE, out, 32);
	cr_assert_eq(out[0], 4);
}

/* Block 0 waits for the last block, which waits for block 1, on one host thread. */
Test(exec_control, blocks_may_wait_for_later_ones)
{
	static const char ptx[] = FIXTURE_HEADER
		".global .align 4 .b32 flags[2];\n.visible .entry k(.param .u64 a, .param .u64 b) {\n"
		".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>; ld.param.u64 %d1, [b];\n"
		"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra $first;\n"
		"setp.eq.u32 %p1, %r1, 11; @%p1 bra $last; setp.eq.u32 %p1, %r1, 1;\n"
		"@%p1 st.release.gpu.global.u32 [flags], 1; ret;\n"
		"$first: ld.acquire.gpu.global.u32 %r3, [flags+4]; setp.eq.u32 %p2, %r3, 0;\n"
		"@%p2 bra $first; mul.wide.u32 %d2, %r2, 4; add.s64 %d1, %d1, %d2;\n"
		"st.global.u32 [%d1], %r3; ret;\n"
		"$last: ld.acquire.gpu.global.u32 %r3, [flags]; setp.eq.u32 %p2, %r3, 0; @%p2 bra $last;\n"
		"st.release.gpu.global.u32 [flags+4], 5; ret; }";
	uint32_t out[32];
	lanes(ptx, (struct fixture_launch){.blocks = 12, .host_threads = 1}, out, 32);
	cr_assert_eq(out[31], 5);
}

Test(exec_control, trap)
{
	fixture_expect_fault(FIXTURE_KERNEL("setp.eq.u32 %p1, %t, 5; @%p1 trap;"), ONE, FAULT_TRAP,
						 "thread (5,0,0)");
}

/* ------------------------------------------------------------------------
 * Clusters */

Test(exec_control, blocks_of_a_cluster_read_each_other)
{
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .b8 s[128]; mov.u32 %r9, s; shl.b32 %r8, %t, 2; add.u32 %r8, %r9, %r8;\n"
		"mov.u32 %r1, %cluster_ctarank; mad.lo.u32 %r2, %r1, 100, %t; st.shared.u32 [%r8], %r2;\n"
		"barrier.cluster.arrive.release; barrier.cluster.wait.acquire; xor.b32 %r3, %r1, 1;\n"
		"mapa.shared::cluster.u32 %r4, %r8, %r3; ld.shared::cluster.u32 %r0, [%r4];\n"
		"mov.u32 %r5, %ctaid.x; mad.lo.u32 %t, %r5, 32, %t;\n" STORE
		"barrier.cluster.arrive; barrier.cluster.wait;");
	uint32_t out[128];
	lanes(ptx, (struct fixture_launch){.blocks = 4, .cluster = 2}, out, 128);
	for (uint32_t i = 0; i < 128; i++)
		cr_assert_eq(out[i], ((i / 32 & 1) ^ 1) * 100 + i % 32);
}
