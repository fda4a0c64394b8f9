/* links: schedules compile testcases base */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "schedules/queue.h"
#include "schedules/rank.h"

static struct error err;
static struct space space;
static struct tune_gpu gpu;
static struct schedule_list list;
static struct test_case test;

static void let_go(void)
{
	schedules_free(&list);
	space_free(&space);
}

TestSuite(tune_schedule, .fini = let_go);
TestSuite(tune_rank, .fini = let_go);

/* All schedules of the text at M x N x K on an H200. */
static bool enumerate(const char *text, int m, int n, int k, float beta)
{
	const struct shape shape = {{1, m, n, k, 1}};
	const float scalars[] = {1, beta};
	let_go();
	cr_assert(gpu_find("h200", &gpu, &err));
	cr_assert(space_parse("x.cu", text, problem_find("sgemm"), &space, &err), "%s", err.message);
	test = case_of_shape(space.problem, &shape, scalars, 1);
	return schedules_enumerate(&space, &gpu, &test, &list, &err);
}

static void none(const char *text, const char *why)
{
	cr_assert(!enumerate(text, 1024, 1024, 1024, 0), "there are %zu: %s", list.count, text);
	cr_expect(strcmp(err.message, why) == 0, "\"%s\" was expected, got: %s", why, err.message);
	cr_expect(list.count == 0 && list.items == NULL);
}

Test(tune_schedule, in_the_order_of_the_declaration)
{
	/* the constraint asks for C and A first */
	cr_assert(enumerate("// tune A = 1 : 1 2\n// tune B = 8 : 8 7 6\n// tune C = 1 : 1 2\n"
						"// tune where A == C\n",
						64, 64, 64, 0),
			  "%s", err.message);
	static const char *const expected[] = {"A=1 B=8 C=1", "A=1 B=7 C=1", "A=1 B=6 C=1",
										   "A=2 B=8 C=2", "A=2 B=7 C=2", "A=2 B=6 C=2"};
	cr_assert(list.count == 6 && list.combinations == 12 && list.standard == 0);
	for (size_t i = 0; i < list.count; i++) {
		char text[SCHEDULE_TEXT];
		schedule_print(&space, list.items[i].values, text);
		cr_expect(strcmp(text, expected[i]) == 0, "%s", text);
	}
	cr_expect(list.refused[0] == 6 && list.undefined[0] == 0);
	struct schedule_flags flags;
	schedule_flags(&space, list.items[5].values, &flags);
	cr_assert(flags.count == 3);
	cr_expect_str_eq(flags.text[0], "-DA=2");
	cr_expect_str_eq(flags.text[1], "-DB=6");
}

Test(tune_schedule, every_combination_is_counted_once)
{
	cr_assert(enumerate("// tune A = 1 : 1..10\n// tune B = 1 : 0..9\n// tune C = 1 : 1..10\n"
						"// tune let Q = A / B\n"
						"// tune where Q >= 1\n"
						"// tune where C <= A\n"
						"// tune role block_m = A - 1\n",
						64, 64, 64, 0),
			  "%s", err.message);
	double refused = 0;
	for (size_t i = 0; i < space.rule_count; i++)
		refused += list.refused[i];
	/* the role refuses A = 1; B from 1 to A or 9, C from 1 to A */
	size_t expected = 0;
	for (int a = 2; a <= 10; a++)
		expected += (size_t)(a < 9 ? a : 9) * (size_t)a;
	cr_expect(list.count == expected, "%zu, not %zu", list.count, expected);
	cr_expect(refused + (double)list.count == 1000 && list.combinations == 1000);
	cr_expect(list.undefined[1] == 90, "B = 0: %g", list.undefined[1]);
	cr_expect(list.standard == list.count && list.standard_line == 7, "by their role");
	for (size_t i = 0; i < list.count; i++)
		cr_assert(list.items[i].roles.value[TUNE_BLOCK_M] == list.items[i].values[0] - 1);
}

Test(tune_schedule, sizes_and_gpu_decide)
{
	static const char text[] = "// tune T = 64 : 64 128 256 512 1024 2048\n"
							   "// tune where T <= gpu_threads_per_block && T <= M\n"
							   "// tune role threads = beta_is_0 ? T : 1\n";
	cr_assert(enumerate(text, 300, 64, 64, 0));
	cr_expect(list.count == 3 && list.items[2].roles.value[TUNE_THREADS] == 256);
	cr_expect(roles_have(&list.items[0].roles, TUNE_THREADS));
	cr_expect(roles_or(&list.items[0].roles, TUNE_SPLIT_K, 7) == 7);
	cr_assert(enumerate(text, 4096, 64, 64, 0.5f));
	cr_expect(list.count == 5 && list.items[2].roles.value[TUNE_THREADS] == 1);
	cr_expect(list.standard == 0 && list.standard_line == 0);
	cr_assert(enumerate("// tune A = 4 : 1..9\n// tune where A % 2 == 1\n// tune where A < 4\n", 64,
						64, 64, 0));
	cr_expect(list.standard_line == 2);
}

Test(tune_schedule, tables_choose_several_at_once)
{
	char path[] = "/tmp/gemmjudge-rows-XXXXXX", text[256];
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	fputs("CUT TILE\n0 64\n1 128\n2 256\n", file);
	fclose(file);
	snprintf(text, sizeof text,
			 "// tune CUT = 1\n// tune X = 1 : 1 2\n// tune rows %s\n"
			 "// tune where TILE >= 128\n// tune role block_m = TILE\n",
			 strrchr(path, '/') + 1);
	cr_assert(space_parse("/tmp/x.cu", text, problem_find("sgemm"), &space, &err), "%s",
			  err.message);
	remove(path);
	const struct shape shape = {{1, 64, 64, 64, 1}};
	cr_assert(gpu_find("t4", &gpu, &err));
	test = case_of_shape(space.problem, &shape, NULL, 1);
	cr_assert(schedules_enumerate(&space, &gpu, &test, &list, &err), "%s", err.message);
	cr_assert(list.count == 4 && list.constants == 2 && list.combinations == 6);
	char shown[SCHEDULE_TEXT];
	schedule_print(&space, list.items[1].values, shown);
	cr_expect_str_eq(shown, "CUT=2 X=1");
	cr_expect(list.items[1].roles.value[TUNE_BLOCK_M] == 256 && list.standard == 0);
}

Test(tune_schedule, nothing_fits)
{
	none("// tune A = 4 : 4 8\n// tune B = 1 : 1..100\n// tune where A >= 8\n// tune where A < 8\n",
		 "x.cu:3: no schedule fits 1024x1024x1024 on NVIDIA H200: 'where A >= 8' refuses 50% of "
		 "200 combinations");
	none(
		"// tune A = 4 : 4 8\n// tune where A > 4\n// tune where A % 3 == 0\n// tune where 2 > 3\n",
		"x.cu:4: no schedule fits 1024x1024x1024 on NVIDIA H200: 'where 2 > 3' refuses 100% of "
		"2 combinations");
	none("// tune A = 4 : 4 8\n// tune where 1 / (A % 4) < 2\n",
		 "x.cu:2: no schedule fits 1024x1024x1024 on NVIDIA H200: 'where 1 / (A % 4) < 2' refuses "
		 "100% of 2 combinations, having no value: it divides by zero, or goes beyond 64 bits");
	none("// tune A = 4 : 4 8\n// tune role split_k = A - 8\n",
		 "x.cu:2: no schedule fits 1024x1024x1024 on NVIDIA H200: 'role split_k = A - 8' refuses "
		 "100% of 2 combinations, being out of the role's range");
}

Test(tune_schedule, too_many)
{
	none("// tune A = 1 : 1..1025\n// tune B = 1 : 1..1024\n",
		 "x.cu: more than 1048576 schedules meet the constraints: fewer candidates or more "
		 "constraints are needed");
	cr_assert(enumerate("// tune A = 1 : 1..1024\n// tune B = 1 : 1..1024\n", 64, 64, 64, 0));
	cr_expect(list.count == SCHEDULES_MAX);
	none("// tune A = 1 : 1..4096\n// tune B = 1 : 1..4096\n// tune C = 1 : 1..4096\n"
		 "// tune where A + B + C == 0\n",
		 "x.cu: gave up after 67108864 tries: fewer candidates, or constraints on fewer names, "
		 "are needed");
}

/* 10^8 combinations, 10^5 of which are valid: constraints that are tried as soon as they can be. */
Test(tune_schedule, a_large_space_takes_less_than_a_second)
{
	double begun = clock_seconds();
	cr_assert(enumerate("// tune SWIZZLE = 1 : 1..16\n"
						"// tune SPLIT_K = 1 : 1..16\n"
						"// tune BLOCK_M = 128 : 16..256+16\n"
						"// tune BLOCK_N = 128 : 16..256+16\n"
						"// tune WARP_M = 32 : 16..128+16\n"
						"// tune WARP_N = 64 : 16..128+16\n"
						"// tune THREAD_M = 8 : 1..8*2\n"
						"// tune THREAD_N = 8 : 1..8*2\n"
						"// tune LOAD_K = 8 : 1..8*2\n"
						"// tune let THREADS = BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32\n"
						"// tune where BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0\n"
						"// tune where THREAD_M == THREAD_N\n"
						"// tune where WARP_M / THREAD_M * (WARP_N / THREAD_N) == 32\n"
						"// tune where WARP_M % THREAD_M == 0 && WARP_N % THREAD_N == 0\n"
						"// tune where THREADS <= gpu_threads_per_block\n"
						"// tune where SWIZZLE <= 8\n"
						"",
						4096, 4096, 4096, 0),
			  "%s", err.message);
	double seconds = clock_seconds() - begun;
	cr_expect(list.combinations > 1e8 && list.count > 100000);
	cr_expect(seconds < 5, "%g s", seconds); /* a machine with other work, and sanitizers */
}

/* ---- the thesis' order -------------------------------------------------------------- */

#define TILES                                                                                      \
	"// tune role block_m = BM\n// tune role block_n = BN\n// tune role split_k = S\n"             \
	"// tune role warp_m = WM\n// tune role warp_n = WN\n"                                         \
	"// tune role thread_m = T\n// tune role thread_n = T\n"

/* The cost of one schedule, its values in this order. */
static struct thesis_cost cost(const char *tiles, int m, int n, int k, float beta)
{
	static const char *const names[] = {"BM", "BN", "WM", "WN", "T", "S"};
	char text[1024] = "", copy[128], *rest = copy;
	snprintf(copy, sizeof copy, "%s", tiles);
	for (size_t i = 0; i < 6; i++) {
		const char *value = strtok_r(rest, " ", &rest);
		sprintf(text + strlen(text), "// tune %s = %s : %s\n", names[i], value, value);
	}
	strcat(text, TILES);
	cr_assert(enumerate(text, m, n, k, beta), "%s", err.message);
	cr_assert(list.count == 1 && thesis_cost_applies(&list.items[0].roles));
	return thesis_cost_of(&gpu, &test, &list.items[0].roles);
}

/* By hand from equations 3.1 to 3.4. */
Test(tune_rank, volumes_of_the_thesis)
{
	/* 64 blocks of 8 warps: 64 ((128 + 128) 1024 + 128^2), 512 (64 + 32) 1024 */
	struct thesis_cost at = cost("128 128 64 32 8 1", 1024, 1024, 1024, 0);
	cr_expect(at.global_volume == 17825792 && at.shared_volume == 50331648);
	cr_expect(at.cores == 16384 && at.split_k == 1 && at.block_n == 128);
	/* C is read, too: 64 128^2 more */
	at = cost("128 128 64 32 8 1", 1024, 1024, 1024, 1);
	cr_expect(at.global_volume == 18874368 && at.shared_volume == 50331648);
	/* four blocks share a tile of C: A and B once, C four times */
	at = cost("128 128 64 32 8 4", 1024, 1024, 1024, 0);
	cr_expect(at.global_volume == 64 * 4 * (256.0 * 256 + 16384));
	cr_expect(at.shared_volume == 50331648);
	cr_expect(at.cores == 132 * 128, "at most all of the GPU");
	/* a tile that hangs over the edge counts whole */
	at = cost("128 128 64 32 8 1", 129, 100, 16, 0);
	cr_expect(at.global_volume == 2 * (256.0 * 16 + 16384));
}

/* The example of the thesis: a warp's tile of 16x32, threads of 4x4, a product of 16x16: 16 of the
 * 32 threads do something. */
Test(tune_rank, cores_that_do_something)
{
	cr_expect(cost("16 32 16 32 4 1", 16, 16, 64, 0).cores == 16);
	cr_expect(cost("16 32 16 32 4 4", 16, 16, 64, 0).cores == 64);
	/* K = 5 in four parts of 2: the last one is empty */
	cr_expect(cost("16 32 16 32 4 4", 16, 16, 5, 0).cores == 48);
	cr_expect(cost("16 32 16 32 4 1", 17, 16, 64, 0).cores == 20);
}

Test(tune_rank, what_is_not_declared)
{
	cr_assert(enumerate("// tune B = 64 : 64\n// tune role block_m = B\n// tune role block_n = B\n"
						"// tune role threads = 128\n",
						100, 64, 32, 0));
	struct thesis_cost at = thesis_cost_of(&gpu, &test, &list.items[0].roles);
	cr_expect(at.cores == 256 && at.shared_volume == 0);
	cr_expect(at.global_volume == 2 * (128.0 * 32 + 4096));
	cr_assert(enumerate("// tune B = 64 : 64\n// tune role block_m = B\n", 100, 64, 32, 0));
	cr_expect_not(thesis_cost_applies(&list.items[0].roles));
	cr_assert(enumerate("// tune B = 64 : 64\n// tune role block_m = B\n// tune role block_n = B\n"
						"// tune role blocks = 132\n",
						4096, 4096, 32, 0));
	at = thesis_cost_of(&gpu, &test, &list.items[0].roles);
	cr_expect(at.global_volume == 132 * (128.0 * 32 + 4096), "of a persistent grid");
}

Test(tune_rank, order)
{
	const struct thesis_cost best = {100, 50, 40, 2, 64};
	struct thesis_cost worse[] = {{99, 1, 1, 1, 999},
								  {100, 51, 1, 1, 999},
								  {100, 50, 41, 1, 999},
								  {100, 50, 40, 3, 999},
								  {100, 50, 40, 2, 63}};
	for (size_t i = 0; i < 5; i++) {
		cr_expect(thesis_cost_compare(&best, &worse[i]) < 0, "%zu", i);
		cr_expect(thesis_cost_compare(&worse[i], &best) > 0, "%zu", i);
	}
	cr_expect(thesis_cost_compare(&best, &best) == 0);

	cr_assert(
		enumerate("// tune BM = 64 : 32 64 128\n// tune BN = 64 : 32 64 128\n// tune X = 1 : 1 2\n"
				  "// tune role block_m = BM\n// tune role block_n = BN\n"
				  "// tune role threads = 256\n",
				  8192, 8192, 8192, 0));
	cr_assert(list.count == 18);
	struct ranked ranking;
	cr_assert(ranked_make(&space, &gpu, &test, &ranking, &err) && ranking.has_thesis);
	char text[SCHEDULE_TEXT];
	static const char *const expected[] = {"BM=128 BN=128 X=1", "BM=128 BN=128 X=2",
										   "BM=64 BN=128 X=1", "BM=64 BN=128 X=2",
										   "BM=128 BN=64 X=1"};
	for (size_t i = 0; i < 5; i++) {
		schedule_print(&space, ranking.list.items[ranked_at(&ranking, i)].values, text);
		cr_expect(strcmp(text, expected[i]) == 0, "%zu: %s", i, text);
		cr_expect(ranking.thesis_place[ranking.by_thesis[i]] == i);
	}
	ranked_free(&ranking);
}

static double twice_the_columns(const void *context, const struct schedule *schedule)
{
	int64_t columns = schedule->roles.value[TUNE_BLOCK_N];
	return columns == 96 ? NAN : *(const double *)context * (double)columns;
}

Test(tune_rank, by_a_model)
{
	struct ranked ranked;
	const double twice = 2;
	cr_assert(enumerate("// tune BM = 64 : 64 128\n// tune BN = 64 : 64 96 32\n"
						"// tune role block_m = BM\n// tune role block_n = BN\n",
						8192, 8192, 8192, 0));
	cr_assert(ranked_make(&space, &gpu, &test, &ranked, &err));
	cr_assert(!ranked.has_model && ranked_at(&ranked, 0) == ranked.by_thesis[0]);
	cr_assert(ranked_add_model(&ranked, twice_the_columns, &twice));
	static const char *const expected[] = {"BM=128 BN=32", "BM=64 BN=32",  "BM=128 BN=64",
										   "BM=64 BN=64",  "BM=128 BN=96", "BM=64 BN=96"};
	for (size_t i = 0; i < 6; i++) {
		char text[SCHEDULE_TEXT];
		size_t at = ranked_at(&ranked, i);
		schedule_print(&space, ranked.list.items[at].values, text);
		cr_expect(strcmp(text, expected[i]) == 0, "%zu: %s", i, text);
		cr_expect(ranked.model_place[at] == i);
	}
	cr_expect(ranked.seconds[ranked_at(&ranked, 0)] == 64);
	cr_expect(isinf(ranked.seconds[ranked_at(&ranked, 5)]));
	ranked_free(&ranked);
}

static double by_tile(const void *context, const struct schedule *schedule)
{
	(void)context;
	const int64_t *role = schedule->roles.value;
	return 1e6 * (double)role[TUNE_BLOCK_N] - 1e3 * (double)role[TUNE_BLOCK_M] +
		   (double)role[TUNE_SWIZZLE];
}

/* A dozen schedules of the best tile do not hide the best of another tile. */
Test(tune_rank, queue_has_each_kind_early)
{
	struct ranked ranked;
	size_t order[24];
	cr_assert(
		enumerate("// tune BM = 32 : 32 64 128\n// tune BN = 64 : 64 128\n// tune X = 4 : 1 2 3 4\n"
				  "// tune role block_m = BM\n// tune role block_n = BN\n"
				  "// tune role swizzle = X\n",
				  8192, 8192, 8192, 0));
	cr_assert(ranked_make(&space, &gpu, &test, &ranked, &err));
	cr_assert(ranked_add_model(&ranked, by_tile, NULL));
	cr_assert(queue_make(&ranked, 24, order) == 24);
	static const char *const expected[] = {"BM=32 BN=64 X=4", /* default */
										   "BM=128 BN=64 X=1",  "BM=64 BN=64 X=1",
										   "BM=128 BN=128 X=1", "BM=128 BN=64 X=2",
										   "BM=32 BN=64 X=1",   "BM=64 BN=128 X=1"};
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		char text[SCHEDULE_TEXT];
		schedule_print(&space, ranked.list.items[order[i]].values, text);
		cr_expect(strcmp(text, expected[i]) == 0, "%zu: %s", i, text);
	}
	bool in_line[24] = {false};
	for (size_t i = 0; i < 24; i++) {
		cr_expect_not(in_line[order[i]], "%zu is in line twice", order[i]);
		in_line[order[i]] = true;
	}
	ranked_free(&ranked);
}

/* ---- GPUs ----------------------------------------------------------------------------- */

/* The peaks of the data sheets follow from the table, in TFLOP/s. */
Test(tune_gpu, peaks)
{
	static const struct {
		char id[8];
		double fma, tensor;
	} peaks[] = {{"t4", 8.1, 65}, {"v100", 15.7, 125}, {"a100", 19.5, 312}, {"h200", 66.9, 1070}};
	for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
		cr_assert(gpu_find(peaks[i].id, &gpu, &err), "%s", err.message);
		double scale = 2.0 * gpu.multiprocessors * gpu.clock_mhz * 1e-6;
		cr_expect_float_eq(scale * gpu.fma_lanes, peaks[i].fma, 0.01 * peaks[i].fma);
		cr_expect_float_eq(scale * gpu.multiply_adds[UNIT_TENSOR_16], peaks[i].tensor,
						   0.01 * peaks[i].tensor);
	}
	cr_expect(gpu_find("H100", &gpu, &err));
	cr_expect_not(gpu_find("h2000", &gpu, &err));
	cr_expect_eq(strncmp(err.message, "unknown GPU 'h2000'; did you mean 'h200'? (", 43), 0);
	cr_expect_not_null(strstr(err.message, ", h200, "));
}

Test(tune_gpu, of_a_device)
{
	struct device_properties facts = {
		.name = "NVIDIA H200", .architecture = "90a", .multiprocessors = 120, .l2_bytes = 1 << 20};
	cr_assert(gpu_of_device(&facts, DEVICE_CUDA, &gpu, &err));
	cr_expect_str_eq(gpu.id, "h200");
	cr_expect(gpu.multiprocessors == 120 && gpu.l2_bytes == 1 << 20 && gpu.clock_mhz == 1980);
	snprintf(facts.name, sizeof facts.name, "NVIDIA GH200 480GB");
	cr_assert(gpu_of_device(&facts, DEVICE_CUDA, &gpu, &err));
	cr_expect(gpu.id[0] == '\0' && gpu.compute == 90 && gpu.shared_per_block == 227 * 1024);
	static const char *const named[][2] = {
		{"NVIDIA GeForce RTX 4090", "rtx4090"}, {"NVIDIA L40S", "l40s"}, {"NVIDIA L4", "l4"}};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		snprintf(facts.name, sizeof facts.name, "%s", named[i][0]);
		cr_expect(gpu_of_device(&facts, DEVICE_CUDA, &gpu, &err));
		cr_expect_str_eq(gpu.id, named[i][1]);
	}
	snprintf(facts.name, sizeof facts.name, "NVIDIA GeForce GTX 1080");
	snprintf(facts.architecture, sizeof facts.architecture, "61");
	cr_expect_not(gpu_of_device(&facts, DEVICE_CUDA, &gpu, &err));
	cr_expect(strstr(err.message, "of compute capability 6.1") != NULL);
	snprintf(facts.name, sizeof facts.name, "emulated GPU (t4)");
	cr_expect(gpu_of_device(&facts, DEVICE_EMULATED, &gpu, &err) && gpu.compute == 75);
	snprintf(facts.name, sizeof facts.name, "emulated GPU");
	cr_expect(gpu_of_device(&facts, DEVICE_EMULATED, &gpu, &err) && gpu.compute == 90);
}
