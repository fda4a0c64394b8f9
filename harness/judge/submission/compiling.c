#include "judge/submission/compiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "judge/run/ahead.h"

#define SECONDS_SHOWN 2.0 /* nvcc is slow from then on */

struct compiling {
	struct run *owner;
	struct run quiet; /* as it was at the start, without anybody who looks on */
	struct submission *submissions;
	struct ahead *ahead;
	struct result {
		bool compiled;
		struct error err;
	} results[];
};

static void compile_one(void *context, size_t i, const struct child_control *control)
{
	struct compiling *compiling = context;
	struct submission *s = &compiling->submissions[i];
	struct result *result = &compiling->results[i];
	/* a file may vanish at any time, and is itself to blame for that */
	result->compiled = s->refused[0] != '\0' || !submission_holds(s) ||
					   submission_compile(&compiling->quiet, control, s, &result->err) ||
					   !submission_holds(s);
}

struct compiling *compiling_open(struct run *run, struct submission *submissions, size_t count,
								 bool paused, struct error *err)
{
	struct compiling *compiling = calloc(1, sizeof *compiling + count * sizeof *compiling->results);
	if (compiling == NULL) {
		error_set(err, "out of memory for %zu files", count);
		return NULL;
	}
	size_t threads = ahead_threads() < count ? ahead_threads() : count;
	struct ahead_plan plan = {.count = count,
							  .threads = threads,
							  .spare = threads > 1, /* whose core a judgement has */
							  .paused = paused,
							  .lead = run->options->mode == JUDGE_CHECKS ? threads : count,
							  .work = compile_one,
							  .context = compiling};
	compiling->owner = run;
	compiling->quiet = *run;
	compiling->quiet.progress = NULL;
	compiling->submissions = submissions;
	compiling->ahead = ahead_open(&plan, err);
	if (compiling->ahead == NULL) {
		free(compiling);
		return NULL;
	}
	run->ahead = compiling->ahead;
	run->control = ahead_control(compiling->ahead);
	return compiling;
}

/* Who waits for a file, and since when. */
struct wait {
	const struct run *run;
	const char *file;
	double begun;
};

/* Asked ten times a second: tells those who look on how long it takes, where that is long. */
static bool stop(const void *context)
{
	const struct wait *wait = context;
	double seconds = clock_seconds() - wait->begun;
	char what[32];
	if (seconds >= SECONDS_SHOWN) {
		snprintf(what, sizeof what, "compiling, %.0f s", floor(seconds));
		run_progress(wait->run, wait->file, what, 0, 1);
	}
	return run_stopped(wait->run);
}

static void tell_unasked(const struct run *run, const struct submission *s)
{
	char line[1024];
	text_format(line, sizeof line, "%.400s: compiled as a whole, as it did not say its parts: %s",
				s->file, s->unasked);
	run_note(run, line);
}

bool compiling_take(struct compiling *compiling, const struct run *run, size_t i, bool *stopped,
					struct error *err)
{
	const struct wait wait = {run, compiling->submissions[i].file, clock_seconds()};
	run_progress(run, wait.file, "compiling", 0, 1);
	*stopped = !ahead_take(compiling->ahead, i, stop, &wait);
	timeline_end(&run->spends, TIMELINE_COMPILE, wait.begun);
	if (!*stopped && compiling->submissions[i].unasked[0] != '\0')
		tell_unasked(run, &compiling->submissions[i]);
	if (*stopped || compiling->results[i].compiled)
		return true;
	*err = compiling->results[i].err;
	return false;
}

void compiling_close(struct compiling *compiling)
{
	if (compiling == NULL)
		return;
	ahead_close(compiling->ahead);
	compiling->owner->ahead = NULL;
	compiling->owner->control = NULL;
	free(compiling);
}
