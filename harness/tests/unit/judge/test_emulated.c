/* links: judge compile process testcases base */
/* The environment by which an emulated GPU is told what to look for. */
#include <criterion/criterion.h>
#include <string.h>

#include "judge/run/emulated.h"

Test(emulated, one_thing_is_asked_of_a_variable)
{
	const char *const before[] = {"EMULATED_GPU=H200", NULL};
	const char *once[EMULATED_VARIABLES], *twice[EMULATED_VARIABLES];
	char flat[EMULATED_VARIABLE], wide[EMULATED_VARIABLE];
	cr_assert(emulated_with_swizzle(before, "flat", flat, once));
	cr_expect_str_eq(once[0], before[0]);
	cr_expect_str_eq(once[1], "EMULATED_GPU_SWIZZLE=flat");
	cr_expect_null(once[2]);
	cr_expect_not(emulated_with_swizzle(once, "128", wide, twice), "it is asked for already");
	cr_assert(emulated_with_races(once, twice));
	cr_expect_str_eq(twice[2], "EMULATED_GPU_CHECK=race");
	cr_expect_not(emulated_with_races(twice, once));
}

Test(emulated, there_is_no_room_for_more)
{
	const char *full[EMULATED_VARIABLES], *out[EMULATED_VARIABLES];
	for (size_t i = 0; i + 1 < EMULATED_VARIABLES; i++)
		full[i] = "NAME=value";
	full[EMULATED_VARIABLES - 1] = NULL;
	cr_expect_not(emulated_with_races(full, out));
	full[EMULATED_VARIABLES - 2] = NULL;
	cr_expect(emulated_with_races(full, out));
}
