/* links: store; seeds: harness/tests/fuzz/seeds/measured */
/* words: harness/serve/openapi.json */
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
	struct measured_list runs;
	struct leaderboard board;
	struct error err;
	const char *path = fuzz_file("report.json", data, size);
	if (!measured_read_report(path, &runs, &err))
		return;
	for (size_t i = 0; i < runs.count && i < 4; i++) {
		look_at(&runs.items[i]);
		compare(&runs.items[0], &runs.items[i]);
	}
	if (leaderboard_make(&runs, true, &board, &err))
		leaderboard_free(&board);
	measured_list_free(&runs);
}
