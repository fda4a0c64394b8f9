/* What gcc's -fsanitize-coverage=trace-pc,trace-cmp tells of a run. This file is compiled
 * without it. */
#include <string.h>

#include "fuzz.h"

#define EDGES 65536u
#define PAIRS 512u

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b);
void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b);
void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b);
void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b);
void __sanitizer_cov_trace_cmpf(float a, float b);
void __sanitizer_cov_trace_cmpd(double a, double b);
void __sanitizer_cov_trace_switch(uint64_t value, void *which);

static struct {
	bool on;
	uintptr_t last;
	size_t edges, pairs;
	uint8_t counts[EDGES], seen[EDGES];
	struct {
		uint64_t a, b;
		size_t width;
	} compared[PAIRS];
} coverage;

void __sanitizer_cov_trace_pc(void)
{
	/* by the distance to a function here: the same in every run */
	uintptr_t pc = (uintptr_t)__builtin_return_address(0) - (uintptr_t)fuzz_coverage_begin;
	pc = pc * 0x9E3779B97F4A7C15u >> 48;
	uint8_t *count = &coverage.counts[(pc ^ coverage.last) % EDGES];
	*count += *count < UINT8_MAX;
	coverage.last = pc >> 1;
}

static void compare(uint64_t a, uint64_t b, size_t width)
{
	if (!coverage.on || a == b)
		return;
	size_t at = coverage.pairs++ % PAIRS;
	coverage.compared[at].a = a;
	coverage.compared[at].b = b;
	coverage.compared[at].width = width;
}

void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b)
{
	compare(a, b, 2);
}

void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b)
{
	compare(a, b, 4);
}

void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b)
{
	compare(a, b, 8);
}

/* The first one is the constant. */
void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b)
{
	compare(b, a, 2);
}

void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b)
{
	compare(b, a, 4);
}

void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b)
{
	compare(b, a, 8);
}

/* Of no use for changing bytes. */
void __sanitizer_cov_trace_cmpf(float a, float b)
{
	(void)a, (void)b;
}

void __sanitizer_cov_trace_cmpd(double a, double b)
{
	(void)a, (void)b;
}

/* Which: how many, bits of the value, the cases. */
void __sanitizer_cov_trace_switch(uint64_t value, void *which)
{
	const uint64_t *cases = which;
	size_t width = cases[1] / 8;
	for (uint64_t i = 0; i < cases[0] && i < 64 && width > 0; i++)
		compare(value, cases[2 + i], width);
}

void fuzz_coverage_begin(void)
{
	memset(coverage.counts, 0, sizeof coverage.counts);
	coverage.last = 0;
	coverage.on = true;
}

/* Few counts differ much, many differ little. */
static uint8_t class_of(uint8_t count)
{
	return count < 4     ? (uint8_t)(1u << (count - 1))
		   : count < 8   ? 8
		   : count < 16  ? 16
		   : count < 32  ? 32
		   : count < 128 ? 64
						 : 128;
}

size_t fuzz_coverage_end(void)
{
	size_t new = 0;
	coverage.on = false;
	for (size_t i = 0; i < EDGES; i += sizeof(uint64_t)) {
		uint64_t eight;
		memcpy(&eight, coverage.counts + i, sizeof eight);
		for (size_t j = i; eight != 0 && j < i + sizeof eight; j++) {
			uint8_t class = coverage.counts[j] > 0 ? class_of(coverage.counts[j]) : 0;
			new += (class & ~coverage.seen[j]) != 0;
			coverage.edges += class != 0 && coverage.seen[j] == 0;
			coverage.seen[j] |= class;
		}
	}
	return new;
}

size_t fuzz_coverage_edges(void)
{
	return coverage.edges;
}

bool fuzz_coverage_compared(uint64_t choice, uint64_t pair[2], size_t *width)
{
	size_t known = coverage.pairs < PAIRS ? coverage.pairs : PAIRS;
	if (known == 0)
		return false;
	pair[0] = coverage.compared[choice % known].a;
	pair[1] = coverage.compared[choice % known].b;
	*width = coverage.compared[choice % known].width;
	return true;
}
