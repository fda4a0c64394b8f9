/* What the emulator needs of the processor that it runs on, and C does not say. Linux on x86-64 and
 * aarch64.
 *
 * Vectors are written by the intrinsics of x86-64, which there are the compiler's own. Elsewhere
 * SIMDe makes them of what the processor has (NEON), with the same result for every operand, also
 * where a conversion is out of range. The level there is 2, that of SSE4.2. */
#ifndef EMULATOR_PROCESSOR_H
#define EMULATOR_PROCESSOR_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse4.2.h>
#endif

/* Of this thread's arithmetic of f32 and f64. */
enum rounding_mode { ROUNDING_NEAREST, ROUNDING_ZERO, ROUNDING_DOWN, ROUNDING_UP };

/* Sets the mode, and returns what rounding_set_back() takes. */
static inline uint64_t rounding_set(enum rounding_mode mode)
{
#if defined(__x86_64__)
	static const uint32_t control[] = {0x0000, 0x6000, 0x2000, 0x4000}; /* MXCSR.RC */
	uint32_t before = _mm_getcsr();
	_mm_setcsr((before & ~0x6000u) | control[mode]);
#elif defined(__aarch64__)
	static const uint64_t control[] = {0, 3u << 22, 2u << 22, 1u << 22}; /* FPCR.RMode */
	uint64_t before;
	__asm__ volatile("mrs %0, fpcr" : "=r"(before));
	__asm__ volatile("msr fpcr, %0" ::"r"((before & ~(3ull << 22)) | control[mode]));
#else
#error "How is the rounding mode set here?"
#endif
	return before;
}

static inline void rounding_set_back(uint64_t before)
{
#if defined(__x86_64__)
	_mm_setcsr((uint32_t)before);
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" ::"r"(before));
#endif
}

/* A counter that runs at the same rate all the time. */
static inline uint64_t processor_clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t now;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

#endif
