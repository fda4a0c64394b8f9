/* links: emulator_core */
/* Undefined values: shared memory that nothing wrote may be read, but not used. Of global memory:
 * test_exec_unwritten.c. */
#include "exec_fixture.h"

#define ONE ((struct fixture_launch){.threads = 32})
/* %r1: the lane's four bytes of s; %r0: an undefined value; %p1: half of the lanes */
#define START                                                                                      \
	".shared .align 128 .b8 s[4096]; .local .align 16 .b8 l[64]; mov.u32 %r9, s;\n"                \
	"shl.b32 %r1, %t, 2; add.u32 %r1, %r9, %r1; setp.lt.u32 %p1, %t, 16;\n"                        \
	"cvt.u64.u32 %d2, %t; shl.b64 %d2, %d2, 2; add.s64 %out, %out, %d2;\n"                         \
	"ld.shared.b32 %r0, [%r1];\n"
#define STORE(value) "st.global.b32 [%out], " value ";\n"

/* Ends well, and stores `expected` in each lane. */
static void right(const char *body, uint32_t expected)
{
	char ptx[8192], whole[6144];
	uint32_t out[32];
	snprintf(whole, sizeof whole, "%s%s", START, body);
	fixture_expect(fixture_kernel(ptx, sizeof ptx, whole), ONE, NULL, 0, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], expected, "lane %u: %x\n%s", i, out[i], body);
}

static void wrong(const char *body, const char *needle)
{
	char ptx[8192], whole[6144];
	snprintf(whole, sizeof whole, "%s%s", START, body);
	fixture_expect_fault(fixture_kernel(ptx, sizeof ptx, whole), ONE, FAULT_UNINITIALISED, needle);
}

Test(exec_undefined, unused)
{
	right(STORE("7"), 7);
	right("add.u32 %r2, %r0, 1; mov.b64 %d1, {%r0, %r2}; mov.u32 %r0, 5;\n" STORE("%r0"), 5);
	right("ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [s+1024]; mov.u32 %r4, 3;\n" STORE("%r4"), 3);
	right("ld.shared.u8 %r2, [%r1]; ld.shared.s8 %r3, [s+77]; ld.shared.b64 %d1, [s+256];\n" STORE(
			  "9"),
		  9);
	right("cvta.shared.u64 %d1, %d31; mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;\n"
		  "ld.b32 %r2, [%d1+512];\n" STORE("2"),
		  2);
}

Test(exec_undefined, a_pattern_shows)
{
	/* all ones: what the judge's host would see */
	wrong(STORE("%r0"), "stores a value made of shared memory that nothing wrote, read by "
						"ld.shared.b32 at PTX line");
	wrong("ld.shared.b32 %r2, [s+512]; add.u32 %r2, %r2, %t;\n" STORE("%r2"), "offset 512");
	wrong("ld.shared.u8 %r2, [%r1];\n" STORE("%r2"), "stores a value");
	wrong("ld.shared.v2.b32 {%r2, %r3}, [s+8]; mul.lo.u32 %r3, %r3, %r3;\n" STORE("%r3"),
		  "stores a value");
	wrong("mov.u64 %d1, s; cvta.shared.u64 %d1, %d1; ld.b32 %r2, [%d1+512];\n" STORE("%r2"),
		  "read by ld.b32 at");
}

Test(exec_undefined, sinks)
{
	wrong("add.u32 %r2, %r1, %r0; ld.shared.b32 %r3, [%r2];\n", "uses an address made of");
	wrong("cvt.u64.u32 %d1, %r0; add.s64 %d1, %d1, %out; st.global.b32 [%d1], 1;\n",
		  "uses an address made of");
	wrong("setp.eq.u32 %p2, %r0, 0; @%p2 bra $x; " STORE("1") "$x:\n",
		  "branches on a value made of");
	wrong("setp.eq.u32 %p2, %r0, 0; @%p2 " STORE("1"), "executed on a predicate made of");
	wrong("bar.sync %r0;\n", "has an operand made of");
	wrong("red.global.add.u32 [%out], %r0;\n", "has an operand made of");
	wrong("atom.global.add.u32 %r2, [%out], %r0;\n", "has an operand made of");
	wrong("st.global.v2.b32 [%in], {1, %r0};\n", "stores a value made of");
	wrong("mov.u64 %d1, %out; st.b32 [%d1], %r0;\n", "stores a value made of");
	/* an atomic reads and writes at once */
	wrong("atom.shared.add.u32 %r2, [s+2048], 1;\n", "reads shared memory that nothing wrote");
}

Test(exec_undefined, lanes)
{
	right("@%p1 mov.u32 %r0, 4; @!%p1 mov.u32 %r0, 4;\n" STORE("%r0"), 4);
	wrong("@%p1 mov.u32 %r0, 4;\n" STORE("%r0"), "thread (16,0,0)");
	right("@%p1 mov.u32 %r0, 4; mov.u32 %r2, 4; @%p1 mov.u32 %r2, %r0;\n" STORE("%r2"), 4);
	/* a lane takes the value of another one */
	right("@%p1 mov.u32 %r0, 4; shfl.sync.idx.b32 %r2, %r0, 3, 31, -1;\n" STORE("%r2"), 4);
	wrong("@%p1 mov.u32 %r0, 4; shfl.sync.idx.b32 %r2, %r0, 17, 31, -1;\n" STORE("%r2"),
		  "stores a value");
	right("@%p1 mov.u32 %r0, 4; shfl.sync.bfly.b32 %r0, %r0, 16, 31, -1; @%p1 mov.u32 %r0, "
		  "4;\n" STORE("%r0"),
		  4);
	wrong("vote.sync.any.pred %p2, %p3, -1; setp.eq.u32 %p3, %r0, 0; and.pred %p3, %p3, %p1;\n"
		  "vote.sync.ballot.b32 %r2, %p3, -1;\n" STORE("%r2"),
		  "stores a value");
}

Test(exec_undefined, parts)
{
	/* the other half of a register; what is shifted or masked out; the side not chosen */
	right("mov.b32 {%h1, %h2}, %r0; mov.b16 %h1, 5; cvt.u32.u16 %r2, %h1;\n" STORE("%r2"), 5);
	wrong("mov.b16 %h1, 5; mov.b32 {%h3, %h2}, %r0; mov.b32 %r2, {%h1, %h2};\n" STORE("%r2"),
		  "stores a value");
	right("mov.b16 %h1, 5; mov.b32 {%h3, %h2}, %r0; mov.b32 %r2, {%h1, %h2};\n"
		  "mov.b32 {%h4, %h5}, %r2; mov.b16 %h5, 0; mov.b32 %r3, {%h4, %h5};\n" STORE("%r3"),
		  5);
	right("mov.b16 %h1, 5; mov.b32 {%h3, %h2}, %r0; mov.b32 %r2, {%h1, %h2};\n"
		  "and.b32 %r2, %r2, 0xffff;\n" STORE("%r2"),
		  5);
	right("mov.b64 %d1, {%r0, %t}; mov.b64 {%r2, %r3}, %d1; sub.u32 %r3, %r3, %t;\n" STORE("%r3"),
		  0);
	right("mov.b64 %d1, {%r0, %t}; shr.u64 %d1, %d1, 32; cvt.u32.u64 %r3, %d1;\n"
		  "sub.u32 %r3, %r3, %t;\n" STORE("%r3"),
		  0);
	right("setp.eq.u32 %p2, %t, %t; selp.b32 %r2, 3, %r0, %p2;\n" STORE("%r2"), 3);
	wrong("setp.eq.u32 %p2, %t, 3; selp.b32 %r2, 3, %r0, %p2;\n" STORE("%r2"), "(0,0,0)");
	right("prmt.b32 %r2, %r0, 0x1234, 0x5454;\n" STORE("%r2"), 0x12341234);
	wrong("prmt.b32 %r2, %r0, 0x1234, 0x5450;\n" STORE("%r2"), "stores a value");
	/* pairs of halves */
	right(
		"mov.b16 %h1, 0x3c00; mov.b32 {%h3, %h2}, %r0; mov.b32 %r2, {%h1, %h2};\n"
		"add.rn.f16x2 %r2, %r2, %r2; mov.b32 {%h4, %h5}, %r2; cvt.u32.u16 %r2, %h4;\n" STORE("%r2"),
		0x4000);
	right("mov.b32 %f1, %r0; cvt.rn.f16x2.f32 %r2, %f1, 0f3f800000;\n"
		  "mov.b32 {%h4, %h5}, %r2; cvt.u32.u16 %r2, %h4;\n" STORE("%r2"),
		  0x3c00);
	wrong("mov.b32 %f1, %r0; cvt.rn.f16x2.f32 %r2, %f1, 0f3f800000;\n"
		  "mov.b32 {%h4, %h5}, %r2; cvt.u32.u16 %r2, %h5;\n" STORE("%r2"),
		  "stores a value");
}

Test(exec_undefined, predicates)
{
	/* a bound that fails makes the whole false, whatever was compared with it */
	right("setp.gt.u32 %p2, %r0, 5; setp.gt.u32 %p3, %t, 99; and.pred %p4, %p3, %p2;\n"
		  "@%p4 bra $x; " STORE("1") "$x:\n",
		  1);
	right("setp.gt.u32 %p2, %r0, 5; setp.lt.u32 %p3, %t, 99; or.pred %p4, %p2, %p3;\n"
		  "mov.u32 %r2, 0; @%p4 mov.u32 %r2, 1;\n" STORE("%r2"),
		  1);
	wrong("setp.gt.u32 %p2, %r0, 5; and.pred %p4, %p1, %p2; @%p4 bra $x; " STORE("1") "$x:\n",
		  "branches");
	right("setp.gt.u32 %p3, %t, 99; setp.gt.and.u32 %p2, %r0, 5, %p3; selp.u32 %r2, 1, 2, "
		  "%p2;\n" STORE("%r2"),
		  2);
	wrong("setp.gt.and.u32 %p2, %r0, 5, %p1; selp.u32 %r2, 1, 2, %p2;\n" STORE("%r2"),
		  "thread (0,0,0)");
	wrong("add.cc.u32 %r2, %r0, 1; addc.u32 %r3, 0, 0;\n" STORE("%r3"), "stores a value");
}

Test(exec_undefined, through_memory)
{
	/* what is stored undefined is undefined where it lies, and defined once written */
	wrong("st.shared.b32 [%r1+1024], %r0; ld.shared.b32 %r2, [%r1+1024];\n" STORE("%r2"),
		  "made of shared memory that an undefined value was stored to");
	right("st.shared.b32 [%r1+1024], %r0; st.shared.b32 [%r1+1024], 8;\n"
		  "ld.shared.b32 %r2, [%r1+1024];\n" STORE("%r2"),
		  8);
	right("st.shared.v2.b32 [s+1024], {%r0, 8}; ld.shared.b32 %r2, [s+1028];\n" STORE("%r2"), 8);
	wrong("st.shared.v2.b32 [s+1024], {8, %r0}; ld.shared.b32 %r2, [s+1028];\n" STORE("%r2"),
		  "offset 1028");
	wrong("st.local.b32 [l+4], %r0; ld.local.b32 %r2, [l+4];\n" STORE("%r2"), "stores a value");
	right("st.local.b32 [l+4], %r0; st.local.b32 [l+8], 6; ld.local.b32 %r2, [l+8];\n" STORE("%r2"),
		  6);
	right("st.local.b32 [l+4], %r0; st.local.b32 [l+4], 6; ld.local.b32 %r2, [l+4];\n" STORE("%r2"),
		  6);
}

/* Row r of a matrix of 8 x 8 halves at s + 16r; rows 4 to 7 are not written. */
#define MATRIX                                                                                     \
	"setp.lt.u32 %p2, %t, 4; shl.b32 %r10, %t, 4; and.b32 %r10, %r10, 127;\n"                      \
	"add.u32 %r10, %r9, %r10; mov.u32 %r11, 0x3c003c00;\n"                                         \
	"@%p2 st.shared.v4.b32 [%r10], {%r11, %r11, %r11, %r11};\n"

Test(exec_undefined, matrices)
{
	/* lanes 0 to 15 have rows 0 to 3 */
	right(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r10];\n"
				 "@!%p1 mov.b32 %r2, %r11;\n" STORE("%r2"),
		  0x3c003c00);
	wrong(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r10];\n" STORE("%r2"),
		  "thread (16,0,0)");
	/* transposed, lanes with c = 0 and 1 have them */
	right(MATRIX
		  "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r2}, [%r10];\n"
		  "and.b32 %r3, %t, 2; setp.ne.u32 %p3, %r3, 0; @%p3 mov.b32 %r2, %r11;\n" STORE("%r2"),
		  0x3c003c00);
	wrong(MATRIX "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r2}, [%r10];\n" STORE("%r2"),
		  "thread (2,0,0)");
	wrong(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r10];\n"
				 "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10+512], {%r2};\n"
				 "ld.shared.b32 %r3, [s+576];\n" STORE("%r3"),
		  "stores a value");
	right(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r10];\n"
				 "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10+512], {%r2};\n"
				 "ld.shared.b32 %r3, [s+560];\n" STORE("%r3"),
		  0x3c003c00);
}

#define MMA(a, b, c)                                                                               \
	"mov.b32 %r20, 0x3c003c00; mov.f32 %f20, 0f00000000; mov.b32 %f21, %r0;\n"                     \
	"@%p1 mov.f32 %f21, %f20; @%p1 mov.b32 %r0, %r20;\n"                                           \
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, " a ", " b ", " c     \
	";\n"

Test(exec_undefined, products)
{
	/* rows 4 to 7 of A are undefined: these of D are lanes 16 to 31 of the first two registers */
	right(MMA("{%r0, %r20, %r20, %r20}", "{%r20, %r20}", "{%f20, %f20, %f20, %f20}") STORE("%f2"),
		  0x41800000);
	wrong(MMA("{%r0, %r20, %r20, %r20}", "{%r20, %r20}", "{%f20, %f20, %f20, %f20}") STORE("%f1"),
		  "thread (16,0,0)");
	/* columns 4 to 7 of B: lanes whose c is 2 or 3 */
	wrong(MMA("{%r20, %r20, %r20, %r20}", "{%r20, %r0}", "{%f20, %f20, %f20, %f20}") STORE("%f3"),
		  "thread (2,0,0)");
	right(MMA("{%r20, %r20, %r20, %r20}", "{%r20, %r0}",
			  "{%f20, %f20, %f20, %f20}") "and.b32 %r3, %t, 2; setp.ne.u32 %p3, %r3, 0; @%p3 "
										  "mov.b32 %f3, 0f41800000;\n" STORE("%f3"),
		  0x41800000);
	/* an element of C */
	right(MMA("{%r20, %r20, %r20, %r20}", "{%r20, %r20}", "{%f20, %f21, %f20, %f20}") STORE("%f0"),
		  0x41800000);
	wrong(MMA("{%r20, %r20, %r20, %r20}", "{%r20, %r20}", "{%f20, %f21, %f20, %f20}") STORE("%f1"),
		  "thread (16,0,0)");
}

/* Metadata is defined in every fourth lane. */
#define SPARSE(selector)                                                                           \
	"mov.b32 %r20, 0x3c003c00; mov.f32 %f20, 0f00000000; and.b32 %r3, %t, 3;\n"                    \
	"setp.eq.u32 %p2, %r3, 0; @%p2 mov.b32 %r0, 0x44444444;\n"                                     \
	"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                      \
	"{%f0, %f1, %f2, %f3}, {%r20, %r20}, {%r20, %r20}, {%f20, %f20, %f20, %f20}, %r0, " selector   \
	";\n"

Test(exec_undefined, metadata)
{
	right(SPARSE("0") STORE("%f3"), 0x41000000);
	wrong(SPARSE("1") STORE("%f3"), "thread (0,0,0)");
}

#define TILE "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
#define A8 "{%r2, %r3, %r4, %r5, %r12, %r13, %r14, %r15}"

Test(exec_undefined, tiles)
{
	right(TILE A8 ", [s], 16;\n" STORE("1"), 1);
	wrong(TILE A8 ", [s], 16;\n" STORE("%r5"), "read by wmma.load.a.sync");
	right("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
		  "%f7}, [s], 16;\n"
		  "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s+1024], {%f0, %f1, %f2, %f3, %f4, "
		  "%f5, %f6, %f7}, 16;\n" STORE("1"),
		  1);
	wrong("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
		  "%f7}, [s], 16;\n"
		  "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s+1024], {%f0, %f1, %f2, %f3, %f4, "
		  "%f5, %f6, %f7}, 16;\n ld.shared.b32 %r3, [s+1040];\n" STORE("%r3"),
		  "offset 1040");
	wrong("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
		  "%f7}, [s], 16;\n"
		  "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%in], {%f0, %f1, %f2, %f3, %f4, "
		  "%f5, %f6, %f7}, 16;\n",
		  "stores a value made of");
}

/* Warp 0 reads what warp 1 has yet to write: it gives up no turn over it. */
Test(exec_undefined, a_barrier_too_few)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(".shared .align 128 .b8 s[256]; mov.u32 %r9, s; shl.b32 %r1, %t, 2;\n"
					   "add.u32 %r2, %r9, %r1; xor.b32 %r1, %r1, 252; add.u32 %r3, %r9, %r1;\n"
					   "st.shared.b32 [%r2], %t; ld.shared.b32 %r4, [%r3];\n"
					   "st.global.b32 [%out], %r4;"),
		(struct fixture_launch){.threads = 64}, FAULT_UNINITIALISED, "thread (0,0,0)");
}

/* Counters are those of a kernel that reads the same, written. */
Test(exec_undefined, counters)
{
	struct counters counters[2];
	for (int written = 0; written < 2; written++) {
		char ptx[8192], body[2048];
		struct fault fault;
		snprintf(body, sizeof body,
				 ".shared .align 128 .b8 s[512]; mov.u32 %%r9, s; shl.b32 %%r1, %%t, 3;\n"
				 "add.u32 %%r1, %%r9, %%r1; setp.eq.u32 %%p1, %d, %%t; setp.lt.u32 %%p2, %%t, 64;\n"
				 "@%%p%d st.shared.b64 [%%r1], 0; ld.shared.b32 %%r2, [%%r1]; add.u32 %%r3, %%r2, "
				 "1;\n"
				 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%%r4}, [s]; ld.shared.b32 %%r2, [s];\n",
				 77, written ? 2 : 1);
		struct fixture_launch how = ONE;
		cr_assert(fixture_run(fixture_kernel(ptx, sizeof ptx, body), &how, fixture_buffer(8),
							  fixture_buffer(8), &fault),
				  "%s", fault.text);
		counters[written] = how.counters;
	}
	cr_assert_eq(counters[0].warp_instructions, counters[1].warp_instructions);
	cr_assert_eq(counters[0].lane_instructions, counters[1].lane_instructions);
	cr_assert_eq(counters[0].shared_load_requests, counters[1].shared_load_requests);
	cr_assert_eq(counters[0].shared_load_wavefronts, counters[1].shared_load_wavefronts);
	cr_assert_eq(counters[0].shared_load_conflicts, counters[1].shared_load_conflicts);
	for (int i = 0; i < CLASS_COUNT; i++)
		cr_assert_eq(counters[0].classes[i].instructions, counters[1].classes[i].instructions);
}

/* A branch of which only registers depend is one more reader. */
Test(exec_undefined, branches)
{
#define UNKNOWN "setp.eq.u32 %p2, %r0, 0; mov.u32 %r2, 1; mov.u32 %r3, 2;\n"
	right(UNKNOWN "@%p2 bra $x; mov.u32 %r2, 3; $x:\n" STORE("%r3"), 2);
	wrong(UNKNOWN "@%p2 bra $x; mov.u32 %r2, 3; $x:\n" STORE("%r2"),
		  "stores a value made of shared");
	/* the side that is not taken counts as well: all ones are not 0 */
	wrong(UNKNOWN "@!%p2 bra $x; mov.u32 %r2, 3; $x:\n" STORE("%r2"),
		  "stores a value made of shared");
	wrong(UNKNOWN "@%p2 bra $x; mov.u32 %r2, 3; bra.uni $y; $x: mov.u32 %r3, 4; $y:\n" STORE("%r3"),
		  "stores a value made of shared");
	/* lanes whose value is defined */
	right(UNKNOWN "@%p1 bra $z; mov.u32 %r0, 7; $z: setp.eq.u32 %p2, %r0, 0;\n"
				  "@%p2 bra $x; mov.u32 %r2, 3; $x: @%p1 mov.u32 %r2, 3;\n" STORE("%r2"),
		  3);
	/* a loop that an undefined value ends */
	right(UNKNOWN "$x: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r0, %r2; @%p2 bra $x;\n" STORE("%r3"),
		  2);
	wrong(UNKNOWN "$x: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r0, %r2; @%p2 bra $x;\n" STORE("%r2"),
		  "stores a value made of shared");
	/* what more than registers depends on */
	wrong(UNKNOWN "@%p2 bra $x; bar.sync 0; $x:\n", "branches on a value");
	wrong(UNKNOWN "@%p2 bra $x; st.shared.u32 [s], 1; $x:\n", "branches on a value");
	wrong(UNKNOWN "@%p2 bra $x; " STORE("1") "$x:\n", "branches on a value");
	wrong(UNKNOWN "@%p2 bra $x; exit; $x:\n", "branches on a value");
	wrong(UNKNOWN "@%p2 bra $x; red.global.add.u32 [%in], 1; $x:\n", "branches on a value");
	/* lanes exchange values where only some of them are */
	right(
		"setp.eq.u32 %p2, %r0, 0; @%p2 bra $x; shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; $x:\n" STORE(
			"2"),
		2);
	wrong("@%p1 mov.u32 %r0, 4; setp.eq.u32 %p2, %r0, 0; @%p2 bra $x;\n"
		  "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; $x:\n",
		  "branches on a value");
	right(UNKNOWN "@%p2 mov.u32 %r2, 5;\n" STORE("%r3"), 2);
	wrong(UNKNOWN "@%p2 mov.u32 %r2, 5;\n" STORE("%r2"), "stores a value");
}

/* Rows 0 to 15 of 32 have a count, 0; the others' decides how often a loop runs that stores, or
 * copies, for none of them. */
Test(exec_undefined, branches_that_lanes_do_not_take)
{
#define COUNT "mov.u32 %r6, 16; mov.u32 %r2, 0; @%p1 mov.u32 %r0, 0;\n"
#define LOOP(body)                                                                                 \
	COUNT "setp.lt.s32 %p2, %r0, 1; @%p2 bra $x; $l:\n" body                                       \
		  "$m: add.u32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, %r0; @%p2 bra $l; $x:\n"
#define COPY "cp.async.ca.shared.global [%r1], [%out], 4; cp.async.commit_group;\n"
	right(LOOP("setp.ge.u32 %p3, %t, %r6; @%p3 bra $m; " STORE("1")) STORE("2"), 2);
	wrong(LOOP("setp.ge.u32 %p3, %t, %r6; @!%p3 bra $m; " STORE("1")), "branches on a value");
	wrong(LOOP("setp.ge.u32 %p3, %t, %r6; @%p3 bra $m; " STORE("1")) STORE("%r2"),
		  "stores a value made of");
	right(LOOP("setp.lt.u32 %p3, %t, %r6; @%p3 " STORE("1")) STORE("2"), 2);
	wrong(LOOP("setp.ge.u32 %p3, %t, %r6; @%p3 " STORE("1")), "branches on a value");
	right(LOOP("@%p1 " COPY "cp.async.wait_group 0;\n") STORE("2"), 2);
	wrong(LOOP("@!%p1 " COPY "cp.async.wait_group 0;\n"), "branches on a value");
	/* a condition that is one of two, and the other is false for these lanes */
	right(LOOP("setp.lt.u32 %p3, %t, %r6; setp.lt.u32 %p4, %r2, 9; and.pred %p3, %p3, %p4;\n"
			   "@%p3 " STORE("1")) STORE("2"),
		  2);
	wrong(LOOP("setp.lt.u32 %p3, %t, %r6; setp.lt.u32 %p4, %r2, 9; or.pred %p3, %p3, %p4;\n"
			   "@%p3 " STORE("1")),
		  "branches on a value");
	/* conditions that the loop changes, in the text before its use and behind */
	wrong(LOOP("setp.eq.u32 %p3, %r2, 3; @%p3 " STORE("1")), "branches on a value");
	wrong("setp.eq.u32 %p3, 0, 1;\n" LOOP("@%p3 " STORE("1") "setp.ge.u32 %p3, %t, %r6;\n"),
		  "branches on a value");
	wrong(LOOP("mov.u32 %r7, %clock; setp.eq.u32 %p3, %r7, 3; @%p3 " STORE("1")),
		  "branches on a value");
	/* a lane that has copies under way: which group is waited for depends on the trips */
	wrong(COPY LOOP("cp.async.commit_group;\n") "cp.async.wait_all;\n", "branches on a value");
	right(COPY "cp.async.wait_all;\n" LOOP("cp.async.commit_group;\n") STORE("2"), 2);
}

Test(exec_undefined, votes)
{
	right("@%p1 mov.u32 %r0, 1; setp.ne.u32 %p2, %r0, 0; vote.sync.any.pred %p3, %p2, -1;\n"
		  "selp.b32 %r2, 1, 0, %p3;\n" STORE("%r2"),
		  1);
	right("@%p1 mov.u32 %r0, 0; setp.ne.u32 %p2, %r0, 0; vote.sync.all.pred %p3, %p2, -1;\n"
		  "selp.b32 %r2, 1, 0, %p3;\n" STORE("%r2"),
		  0);
	wrong("@%p1 mov.u32 %r0, 0; setp.ne.u32 %p2, %r0, 0; vote.sync.any.pred %p3, %p2, -1;\n"
		  "selp.b32 %r2, 1, 0, %p3;\n" STORE("%r2"),
		  "stores a value");
}
