#include "judge/lane.h"

#include <stdio.h>

void lane_failed(struct timing_entry *entry, struct outcome outcome)
{
	entry->ran = false;
	entry->verdict = outcome.verdict;
	snprintf(entry->detail, sizeof entry->detail, "%s: %.460s", verdict_name(outcome.verdict),
			 outcome.detail);
}

struct outcome lane_open(struct run *run, struct lane *lane, const struct test_case *test)
{
	struct referee_link *referee = &run->referee;
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	lane->span_missing = false;
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_case(&lane->contestant, &referee->arena, referee->arena_fd, test);
	/* The first call pays for lazy loading and the library's own tuning. */
	double seconds;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome =
			contestant_link_run(&lane->contestant, 0, run->timeout + LANE_FIRST_SECONDS, &seconds);
	lane->running = !outcome.dead;
	return outcome;
}

void lane_close(struct lane *lane)
{
	contestant_link_close(&lane->contestant);
	lane->running = false;
}
