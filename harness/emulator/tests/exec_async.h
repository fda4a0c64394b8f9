/* Pieces of kernels that copy, for the tests of asynchronous copies and of races. */
#ifndef EMULATOR_TESTS_EXEC_ASYNC_H
#define EMULATOR_TESTS_EXEC_ASYNC_H

#include "exec_fixture.h"

#define ONE ((struct fixture_launch){0})
#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"
/* %r8: address of the thread's word in s, %d2: of its word of the input */
#define WORD                                                                                       \
	".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 full; mov.u32 %r9, s;\n"                \
	"shl.b32 %r8, %t, 2; add.u32 %r8, %r9, %r8; mul.wide.u32 %d2, %t, 4; add.s64 %d2, %in, %d2;\n"

static inline void fixture_ramp(const char *ptx, struct fixture_launch how, uint32_t *out,
								size_t count)
{
	uint32_t in[1024];
	for (uint32_t i = 0; i < 1024; i++)
		in[i] = i + 1;
	fixture_expect(ptx, how, in, sizeof in, out, count * 4);
}

/* One mbarrier, made by thread 0 and known to all; waiting for its phase. */
#define INIT(count)                                                                                \
	"mov.u32 %r7, full; setp.eq.u32 %p1, %t, 0;\n"                                                 \
	"@%p1 mbarrier.init.shared::cta.b64 [%r7], " #count ";\n"                                      \
	"fence.mbarrier_init.release.cluster; bar.sync 0;\n"
#define WAIT(parity)                                                                               \
	"$wait" #parity ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r7], " #parity ";\n"        \
	"@!%p2 bra $wait" #parity ";\n"

#endif
