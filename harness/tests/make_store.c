/* Writes a store of made-up judgements, so that golden tests and pages have times on every machine.
 * usage: make_store FILE */
#include <time.h>

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
	{"matrizen-\xc3\xbc.cu", "44444444444444444444444444444444", 216.1, SEAL_OUTSIDE,
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

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: make_store FILE\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
		struct judgement_list list =
			fixture_timed(judged[i].file, judged[i].content, judged[i].median, judged[i].seal);
		list.items[0].verdict = judged[i].verdict;
		strcpy(list.facts.device.driver, "580.159.04");
		list.items[0].has_timing = judged[i].verdict == VERDICT_ACCEPTED;
		if (judged[i].seal == SEAL_UNCERTAIN) {
			list.items[0].has_larger = true;
			list.items[0].larger = fixture_timing(judged[i].file, 4096, 300.0, SEAL_CONFIRMED);
		}
		fixture_append(argv[1], list, "judge");
	}
	fixture_append(argv[1], benched(), "bench");
	return 0;
}
