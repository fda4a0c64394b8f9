#include "judge/timing/lane.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/thread.h"
#include "judge/run/finding.h"

/* of one process: what they leave behind adds up */
#define LOADS_MAX 32u
#define KEPT_MAX ((int64_t)1 << 30)

void lane_failed(struct timing_entry *entry, struct outcome outcome)
{
	entry->ran = false;
	entry->verdict = outcome.verdict;
	text_format(entry->detail, sizeof entry->detail, "%s: %s", verdict_name(outcome.verdict),
				outcome.detail);
}

bool lane_check(const struct lane_check *check, uint32_t set, struct lane *lane,
				struct timing_entry *entry, struct error *err)
{
	struct run *run = check->run;
	const struct case_run one = {.run = run,
								 .problem = check->problem,
								 .entrant = lane->entrant,
								 .contestant = &lane->contestant,
								 .test = check->test,
								 .tolerance = check->tolerance};
	struct check_summary found;
	struct outcome outcome;
	if (!finding_check(&one, &(struct referee_result){.set = set, .rows = check->rows}, &found,
					   &outcome, err))
		return false;
	if (outcome.verdict != VERDICT_ACCEPTED) {
		lane_failed(entry, outcome);
		return true;
	}
	char detail[1024];
	entry->compared += found.elements;
	enum verdict verdict =
		finding_verdict(check->problem, check->test, run_chain(run), &found, detail);
	if (verdict == VERDICT_ACCEPTED)
		return true;
	if (verdict == VERDICT_WRONG_ANSWER && lane->contestant.left.verdict != VERDICT_ACCEPTED) {
		lane_failed(entry, lane->contestant.left);
		return true;
	}
	entry->wrong += found.wrong + found.extra_wrong;
	entry->worst_ratio = fmax(entry->worst_ratio, found.worst_ratio);
	entry->rms_ratio = fmax(entry->rms_ratio, found.rms_ratio);
	if (lane->entrant->is_reference && verdict == VERDICT_WRONG_ANSWER)
		return true;
	lane_failed(entry, (struct outcome){.verdict = verdict});
	text_format(entry->detail, sizeof entry->detail, "%s in a timed call: %s",
				verdict_name(verdict), detail);
	return true;
}

struct opening {
	struct run *run;
	struct lane *lane;
	const struct test_case *test;
	struct outcome *outcome;
	pthread_t thread;
	bool started;
};

/* Of a library: its mode, and the fastest of its algorithms. */
static struct outcome choose_mode(const struct run *run, struct lane *lane)
{
	struct contestant_library_reply reply;
	struct outcome outcome = contestant_link_library(
		&lane->contestant,
		(struct contestant_library){.mode = lane->entrant->mode,
									.thorough = run->options->timing.thorough,
									.use = LIBRARY_FASTEST,
									.tell = LIBRARY_FASTEST},
		&reply);
	lane->has_modes = outcome.verdict == VERDICT_ACCEPTED && reply.has_modes;
	return outcome;
}

static void *open_one(void *context)
{
	const struct opening *opening = context;
	struct run *run = opening->run;
	struct lane *lane = opening->lane;
	struct contestant_link *contestant = &lane->contestant;
	const struct arena *arena = &run->referee.arena;
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	lane->span_missing = false;
	if (!lane->running) {
		lane->loads = 0;
		lane->kept = 0;
		outcome = contestant_link_open(contestant);
	} else if (!lane->loaded) {
		outcome = contestant_link_load(contestant);
	}
	if (outcome.verdict == VERDICT_ACCEPTED && lane->entrant->is_reference)
		outcome = choose_mode(run, lane);
	lane->loads += !lane->loaded;
	lane->loaded = outcome.verdict == VERDICT_ACCEPTED;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_case(contestant, arena, run->referee.arena_fd, opening->test);
	/* The first call pays for lazy loading and the library's own tuning. */
	double seconds = 0.0;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_run(contestant, 0, run->timeout + LANE_FIRST_SECONDS, &seconds);
	lane->call = 1e6 * seconds;
	lane->running = !outcome.dead;
	lane->kept += contestant->facts.kept_bytes;
	*opening->outcome = outcome;
	return NULL;
}

void lane_open_all(struct run *run, struct lane *const *lanes, size_t count,
				   const struct test_case *test, struct outcome *outcomes)
{
	struct opening openings[LANES_TOGETHER];
	for (size_t i = 0; i < count; i++) {
		struct opening *opening = &openings[i];
		*opening =
			(struct opening){.run = run, .lane = lanes[i], .test = test, .outcome = &outcomes[i]};
		opening->started = i + 1 < count && thread_start(&opening->thread, open_one, opening);
		if (!opening->started)
			open_one(opening);
	}
	for (size_t i = 0; i < count; i++)
		if (openings[i].started)
			pthread_join(openings[i].thread, NULL);
}

void lane_take(struct lane *lane, struct run *run, const struct problem *problem,
			   const struct entrant *entrant)
{
	if (lane->running && run->library_folder != NULL && lane->loads < LOADS_MAX &&
		lane->kept < KEPT_MAX) {
		lane->setup.library = entrant->library;
	} else {
		lane_close(lane);
		lane->setup = run_contestant(run, problem, entrant);
		lane->setup.timed = true;
		lane->setup.timeout += LANE_FIRST_SECONDS;
		lane->contestant = (struct contestant_link){.setup = &lane->setup};
	}
	lane->entrant = entrant;
	lane->loaded = lane->dropped = false;
}

void lane_close(struct lane *lane)
{
	contestant_link_close(&lane->contestant);
	lane->running = lane->loaded = false;
}
