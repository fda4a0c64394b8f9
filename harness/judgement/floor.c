#include "judgement/floor.h"

#include <math.h>
#include <stdlib.h>

/* Dense operations a clock and multiprocessor on operands of 16 bits, by compute capability (CUDA
 * C++ Programming Guide, "Arithmetic Instructions"; NVIDIA's architecture papers). Newer ones than
 * the last count like it, twofold. */
static double operations_per_clock(int major)
{
	static const double known[] = {[7] = 1024, [8] = 2048, [9] = 4096, [10] = 8192};
	const int last = sizeof known / sizeof *known - 1;
	return major > last ? 2 * known[last] : major < 7 ? 256 : known[major];
}

/* Of the left operand, or of the first: half as many at 32 bits, twice as many at 8. */
static double width_factor(const struct problem *problem)
{
	const struct operand *left = problem_part(problem, PART_LEFT);
	const struct type *type = type_of(left != NULL ? left->type : problem->operands[0].type);
	return 16.0 / type->format.bits;
}

struct roof floor_roof(const struct device_properties *facts, const struct problem *problem)
{
	struct roof roof = {.bytes_per_second = fmax(facts->memory_bytes_per_second, 0.0)};
	int major = atoi(facts->architecture) / 10; /* "90a" */
	if (facts->sm_clock_khz > 0 && major > 0)
		roof.operations_per_second = operations_per_clock(major) * width_factor(problem) *
									 facts->multiprocessors * facts->sm_clock_khz * 1e3;
	return roof;
}

/* Bytes that go through the device's memory at least. What is written may stay in the L2 cache when
 * the call has ended. */
static double bytes_moved(const struct device_properties *facts, const struct problem *problem,
						  const struct test_case *test)
{
	double read = 0, written = 0;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		const double bytes = (double)operand_bytes(operand, &test->shape);
		const bool in = operand->role == ROLE_INPUT ||
						(operand->role == ROLE_BOTH && test->scalar[SCALAR_BETA] != 0.0f);
		read += in ? bytes : 0;
		written += operand->role != ROLE_INPUT ? bytes : 0;
	}
	return read + fmax(written - (double)facts->l2_bytes, 0);
}

double floor_of(const struct device_properties *facts, const struct timing_result *timing)
{
	const struct problem *problem = problem_find(timing->problem);
	double floor = 0;
	if (problem == NULL)
		return 0;
	struct roof roof = floor_roof(facts, problem);
	if (roof.bytes_per_second > 0)
		floor = bytes_moved(facts, problem, &timing->test) / roof.bytes_per_second * 1e6;
	if (!(roof.operations_per_second > 0) || problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return floor;
	return fmax(floor, 2.0 * shape_terms(&timing->test.shape) / roof.operations_per_second * 1e6);
}
