/* Writes a store of made-up judgements, so that golden tests and pages have times on every machine.
 * usage: make_store FILE [SOLUTION] */
#include <time.h>

#include "compile/content.h"
#include "store/tuned.h"
#include "unit/store/store_fixture.h"

static const struct {
	const char *file, *content;
	double median;
	enum seal_state seal;
	enum verdict verdict;
} judged[] = {
	{"hopper.cu", "11111111111111111111111111111111", 10.1, SEAL_CONFIRMED, VERDICT_ACCEPTED},
	{"hopper.cu", "22222222222222222222222222222222", 9.61, SEAL_CONFIRMED, VERDICT_ACCEPTED},
	{"a_kernel_with_a_rather_long_name.cu", "33333333333333333333333333333333", 9.65,
	 SEAL_CONFIRMED, VERDICT_ACCEPTED},
	{"matrizen-\xc3\xbc.cu", "44444444444444444444444444444444", 216.1, SEAL_HOST_SIDE,
	 VERDICT_ACCEPTED},
	{"naive.cu", "55555555555555555555555555555555", 14321.0, SEAL_CONFIRMED, VERDICT_ACCEPTED},
	{"cheat.cu", "66666666666666666666666666666666", 1.0, SEAL_CONFIRMED, VERDICT_RULE_VIOLATION},
	{"short.cu", "77777777777777777777777777777777", 5.0, SEAL_UNCERTAIN, VERDICT_ACCEPTED},
};

/* Several shapes of one file. */
static struct judgement_list benched(void)
{
	struct judgement_list list = fixture_judged("hopper.cu", judged[1].content);
	list.bench_count = 3;
	list.bench = calloc(list.bench_count, sizeof *list.bench);
	for (size_t i = 0; i < list.bench_count; i++)
		list.bench[i] = fixture_timing("hopper.cu", 512 << i, 4.0 * (double)(1 << i), SEAL_NONE);
	return list;
}

/* A schedule of fixtures/tuned.cu, as tune chooses them. */
static void choose_schedule(const char *store, const char *solution)
{
	const struct shape shape = {{1, 1024, 512, 64, 1}};
	const struct problem *problem = problem_find("sgemm");
	const struct test_case test = case_of_shape(problem, &shape, (float[]){1, 0}, 1);
	struct tuned_choice choice = {.beta_is_0 = true,
								  .constants = "BLOCK_M=8 BLOCK_N=64 THREAD_N=2 FAULT=0",
								  .median = 400.0,
								  .tried = 2,
								  .judged = true};
	char content[CONTENT_TEXT];
	struct error err;
	fixture_demand(content_hash(solution, content, &err), &err);
	const struct tuned_key key = {.device = "NVIDIA H200",
								  .problem = problem,
								  .content = content,
								  .epilogue = "",
								  .flags = "",
								  .test = &test};
	fixture_demand(tuned_choose(store, &key, &choice, &err), &err);
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		fputs("usage: make_store FILE [SOLUTION]\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
		struct judgement_list list =
			fixture_timed(judged[i].file, judged[i].content, judged[i].median, judged[i].seal);
		list.items[0].verdict = judged[i].verdict;
		strcpy(list.facts.device.driver, "580.159.04");
		strcpy(list.facts.nvcc, i == 0 ? "13.0.88" : "13.5.37");
		strcpy(list.facts.device.library, i == 0 ? "cuBLAS 13.1.0" : "cuBLAS 13.10.0");
		list.items[0].has_timing = judged[i].verdict == VERDICT_ACCEPTED;
		if (judged[i].seal == SEAL_UNCERTAIN) {
			list.items[0].has_larger = true;
			list.items[0].larger = fixture_timing(judged[i].file, 4096, 300.0, SEAL_CONFIRMED);
		}
		fixture_append(argv[1], list, "judge");
	}
	fixture_append(argv[1], benched(), "bench");
	if (argc == 3)
		choose_schedule(argv[1], argv[2]);
	return 0;
}
