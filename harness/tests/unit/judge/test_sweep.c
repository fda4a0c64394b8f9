/* links: judge testcases base */
/* Shapes over the values of one size. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judge/submission/shapes.h"

static struct error err;
static struct judge_options options = {.mode = JUDGE_COMPARES};

static void asked(const char *text)
{
	cr_assert(sweep_parse(text, &options.timing.over, &err), "%s", err.message);
}

/* "8192x8192x64 ..." of all cases; or why there are none. */
static const char *shapes_of(const char *name)
{
	static char all[1024];
	char one[SHAPE_TEXT];
	const struct problem *problem = problem_find(name);
	size_t count;
	struct test_case *cases = shapes_cases(&options, problem, &count, &err);
	all[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		shape_print(problem, &cases[i].shape, one);
		strcat(strcat(all, i > 0 ? " " : ""), one);
	}
	free(cases);
	return cases != NULL ? all : err.message;
}

Test(sweep, text_is_written_again)
{
	static const char *const texts[] = {"K", "M", "N=1", "K=64,128,4096"};
	char text[SWEEP_TEXT];
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		asked(texts[i]);
		sweep_print(&options.timing.over, text);
		cr_expect_str_eq(text, texts[i]);
	}
	asked("k=64,128,256,512,1024,2048,4096,8192"); /* the values of K alone */
	sweep_print(&options.timing.over, text);
	cr_assert_str_eq(text, "K");
	sweep_print(&(struct sweep){0}, text);
	cr_assert_str_eq(text, "");
}

Test(sweep, what_is_none_is_refused)
{
	static const char *const bad[] = {
		"",      "Q",    "K64",       "K=", "K=0",   "K=64,", "K=,64",
		"K=64 ", "K=-1", "K=4194305", "KM", "K=1x2", "B=2",   "K=999999999999999999"};
	struct sweep sweep;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect(!sweep_parse(bad[i], &sweep, &err), "'%s' was taken", bad[i]);
	char many[256] = "K=1";
	for (int i = 1; i <= SWEEP_VALUES_MAX; i++)
		strcat(many, ",1");
	cr_assert(!sweep_parse(many, &sweep, &err));
	cr_assert(strstr(err.message, "32 at most") != NULL, "%s", err.message);
}

Test(sweep, is_of_each_shape)
{
	static const struct shape_text shapes[] = {{3, {128, 256, 512}}, {3, {64, 64, 64}}};
	options.shapes.items = shapes;
	options.shapes.count = 2;
	asked("M=1,2");
	cr_assert_str_eq(shapes_of("gemm-f16"), "1x256x512 2x256x512 1x64x64 2x64x64");
}

Test(sweep, has_a_shape_of_its_own)
{
	asked("K=64,128");
	cr_assert_str_eq(shapes_of("gemm-f16"), "4096x4096x64 4096x4096x128");
	cr_assert_str_eq(shapes_of("batched-f16"), "32x256x256x64 32x256x256x128");
	asked("N=64");
	cr_assert(strstr(shapes_of("gemv-f32"), "--over N=64: gemv-f32 has no such size") != NULL);
}

Test(sweep, without_one_is_what_a_comparison_shows)
{
	cr_assert_str_eq(shapes_of("gemm-bf16"),
					 "8192x8192x8192 8192x8192x1024 4096x4096x64 4096x4096x128 4096x4096x256 "
					 "4096x4096x512 4096x4096x1024 4096x4096x2048 4096x4096x4096 4096x4096x8192");
	cr_assert_str_eq(shapes_of("batched-f16"), "32x256x256x256");
	options.mode = JUDGE_TIMES;
	cr_assert_str_eq(shapes_of("gemm-bf16"), "1024x1024x1024");
}

Test(sweep, a_value_that_does_not_fit_is_named)
{
	static const struct shape_text grouped = {4, {64, 64, 64, 32}};
	options.shapes.items = &grouped;
	options.shapes.count = 1;
	asked("K=64,7");
	cr_assert(strstr(shapes_of("gemm-w4"), "--over K=64,7: 64x64x7x32") != NULL, "%s", err.message);
}
