/* links: judge testcases base */
/* The least time of a chain, on the GPU that the emulated one is like: 132 multiprocessors at 1980
 * MHz and 4.8 TB/s. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "judge/run/floor.h"

static struct timing_floor floor_with(const char *chain)
{
	struct error err;
	struct run run = {.referee.device.kind = DEVICE_EMULATED};
	cr_assert(epilogue_open(chain, &run.epilogue, &err), "%s", err.message);
	const struct timing_result timing = {
		.problem = "gemm-f16",
		.test.shape.size = {
			[SIZE_BATCH] = 1, [SIZE_M] = 4096, [SIZE_N] = 4096, [SIZE_K] = 1024, [SIZE_GROUP] = 1}};
	struct timing_floor floor = run_floor(&run, &timing);
	epilogue_close(run.epilogue);
	return floor;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.01;
}

Test(floor, is_of_three_units)
{
	const double clocks = 4096.0 * 4096 / (132 * 1980); /* of one multiprocessor, in microseconds */
	struct timing_floor floor = floor_with("gelu_erf"); /* 9 instructions, 1 special function */
	cr_assert(floor.known && !floor.branches);
	cr_assert(near(floor.special, clocks / 16), "%g", floor.special);
	cr_assert(near(floor.instructions, clocks * 9 / 128), "%g", floor.instructions);
	cr_assert_eq(floor.bytes, 0);
	cr_assert(near(floor.product, 2.0 * 4096 * 4096 * 1024 / (4096.0 * 132 * 1.98e3)), "%g",
			  floor.product);
	floor = floor_with("residual,relu");
	cr_assert(near(floor.bytes, 2.0 * 4096 * 4096 / 4.8e6), "%g", floor.bytes);
	cr_assert_eq(floor.special, 0);
}

Test(floor, is_unknown_without_a_chain)
{
	cr_assert(!floor_with(NULL).known);
	cr_assert(!floor_with("alpha_beta").known);
}
