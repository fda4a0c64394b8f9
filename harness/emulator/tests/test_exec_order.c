/* links: emulator_core; label: threads */
/* What blocks on two host threads see of each other's accesses: what PTX promises holds whatever
 * order the host's processor keeps by itself. */
#include "exec_fixture.h"

#define ROUNDS 1000
/* What follows is each block's first thread's. */
#define FIRST                                                                                      \
	"mov.u32 %r5, 0; mov.u32 %r9, 1; mov.u32 %r10, %ctaid.x;\n"                                    \
	"setp.ne.u32 %p1, %t, 0; @%p1 bra $end;\n"
#define END "$end: bar.sync 0;"

static const struct fixture_launch two = {.blocks = 2, .resident = 2, .host_threads = 2};

/* The number of the last message, 64 bytes, and what the message says; block 1 counts the messages
 * that it finds other than they were when their number was written. */
static void pass_messages(const char *write, const char *read)
{
	char body[2048], ptx[4096];
	uint32_t zeros[64] = {0}, out[2] = {1, 1};
	snprintf(body, sizeof body, "%s%s%s%s%s",
			 FIRST "setp.eq.u32 %p2, %r10, 1; mov.u32 %r0, 0; @%p2 bra $reads;\n"
				   "$writes: add.u32 %r5, %r5, 1; st.global.u32 [%in+64], %r5;\n",
			 write,
			 "$taken: ld.acquire.gpu.global.u32 %r6, [%in+128]; setp.ne.u32 %p3, %r6, %r5;\n"
			 "@%p3 bra $taken; setp.lt.u32 %p3, %r5, 1000; @%p3 bra $writes; bra $end;\n"
			 "$reads: add.u32 %r5, %r5, 1;\n$looks:",
			 read,
			 "setp.lt.u32 %p3, %r6, %r5; @%p3 bra $looks;\n"
			 "ld.global.u32 %r7, [%in+64]; setp.ne.u32 %p3, %r7, %r5; @%p3 add.u32 %r0, %r0, 1;\n"
			 "st.release.gpu.global.u32 [%in+128], %r5;\n"
			 "setp.lt.u32 %p3, %r5, 1000; @%p3 bra $reads; st.global.u32 [%out], %r0;\n" END);
	fixture_expect(fixture_kernel(ptx, sizeof ptx, body), two, zeros, sizeof zeros, out,
				   sizeof out);
	cr_expect_eq(out[0], 0, "%s, %s: %u of %d", write, read, out[0], ROUNDS);
}

Test(exec_order, messages_are_there_when_their_flag_is)
{
	static const char *const ways[][2] = {
		{"st.release.gpu.global.u32 [%in], %r5;", "ld.acquire.gpu.global.u32 %r6, [%in];"},
		{"fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%in], %r5;",
		 "ld.relaxed.gpu.global.u32 %r6, [%in]; fence.acq_rel.gpu;"},
		{"membar.gl; st.volatile.global.u32 [%in], %r5;",
		 "ld.volatile.global.u32 %r6, [%in]; membar.gl;"},
		{"membar.gl; atom.global.exch.b32 %r6, [%in], %r5;",
		 "atom.global.add.u32 %r6, [%in], 0; membar.gl;"},
		{"membar.gl; red.global.add.u32 [%in], 1;",
		 "ld.volatile.global.u32 %r6, [%in]; membar.gl;"},
		{"st.release.gpu.global.v2.u32 [%in], {%r5, %r5};",
		 "ld.acquire.gpu.global.v2.u32 {%r6, %r7}, [%in];"},
		{"cvt.u16.u32 %h1, %r5; st.release.gpu.global.u16 [%in], %h1;",
		 "ld.acquire.gpu.global.u16 %h1, [%in]; cvt.u32.u16 %r6, %h1;"},
	};
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		pass_messages(ways[i][0], ways[i][1]);
}

/* Each block stores the round's number to its place, and then loads the other's: behind fence.sc
 * one of them finds what the other has stored. In front of a round both meet. */
Test(exec_order, of_two_that_store_and_look_one_sees_the_other)
{
	static const char ptx[] = FIXTURE_KERNEL(
		FIRST "xor.b32 %r11, %r10, 1; mul.wide.u32 %d1, %r10, 128; add.s64 %d1, %in, %d1;\n"
			  "mul.wide.u32 %d2, %r11, 128; add.s64 %d2, %in, %d2;\n"
			  "mul.wide.u32 %d3, %r10, 4000; add.s64 %d3, %out, %d3;\n"
			  "$next: add.u32 %r5, %r5, 1; shl.b32 %r6, %r5, 1;\n"
			  "atom.global.add.u32 %r7, [%in], 1;\n"
			  "$wait: ld.relaxed.gpu.global.u32 %r8, [%in]; setp.lt.u32 %p2, %r8, %r6;\n"
			  "@%p2 bra $wait; st.relaxed.gpu.global.u32 [%d1+128], %r5; fence.sc.gpu;\n"
			  "ld.relaxed.gpu.global.u32 %r0, [%d2+128];\n"
			  "st.global.u32 [%d3], %r0; add.s64 %d3, %d3, 4;\n"
			  "setp.lt.u32 %p2, %r5, 1000; @%p2 bra $next;\n" END);
	static uint32_t zeros[128], out[2][ROUNDS];
	uint32_t unseen = 0;
	fixture_expect(ptx, two, zeros, sizeof zeros, out, sizeof out);
	for (uint32_t i = 0; i < ROUNDS; i++)
		unseen += out[0][i] <= i && out[1][i] <= i;
	cr_expect_eq(unseen, 0, "in %u rounds of %d neither saw the other", unseen, ROUNDS);
}
