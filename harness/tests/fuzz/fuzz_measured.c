/* links: store; seeds: harness/tests/fuzz/seeds/measured */
/* words: harness/store/measured.c harness/report/json.c */
/* JSON reports as diff reads them, which anybody could have written. */
#include <ctype.h>
#include <math.h>

#include "fuzz.h"
#include "store/leaderboard.h"
#include "store/pairs.h"

/* What is shown as it stands must steer no terminal. */
static void is_clean(const char *text)
{
	for (; *text != '\0'; text++)
		if (iscntrl((unsigned char)*text))
			fuzz_found("a control character is handed on");
}

static void look_at(const struct measured *run)
{
	char shape[MEASURED_SHAPE];
	is_clean(run->file);
	is_clean(run->detail);
	is_clean(run->verdict);
	is_clean(run->when);
	for (size_t i = 0; i < run->time_count; i++) {
		measured_shape(&run->times[i], shape);
		is_clean(shape);
	}
}

static void compare(const struct measured *a, const struct measured *b)
{
	struct pair pair;
	struct error err;
	if (!pair_make(a, b, &pair, &err))
		return;
	for (size_t i = 0; i < pair.shape_count; i++)
		if (pair.shapes[i].difference.kind != DIFFERENCE_NONE &&
			!(fabs(log(pair.shapes[i].difference.ratio)) > 0.0))
			fuzz_found("a difference of nothing");
	pair_free(&pair);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct measured_list runs = {0};
	struct leaderboard board;
	struct error err;
	size_t count = 1;
	const char *path = fuzz_file("report.json", data, size);
	for (size_t i = 0; i < count && i < 4; i++) {
		struct measured *run = measured_add(&runs);
		if (run == NULL || !measured_read_report(path, i, run, &count, &err)) {
			runs.count -= run != NULL;
			break;
		}
		look_at(run);
		compare(&runs.items[0], run);
	}
	if (leaderboard_make(&runs, &board, &err))
		leaderboard_free(&board);
	measured_list_free(&runs);
}
