#include "judge/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/run/device.h"
#include "judge/run/emulated.h"
#include "judge/submission/compiling.h"
#include "judge/submission/submission.h"

/* A sampled call of a large problem takes seconds; one that is not sampled, minutes. */
#define SECONDS 600.0
#define MEMORY_BYTES ((size_t)32 << 30)

/* The call, once the referee has made its operands. False with err: not for its own fault. */
static bool call_once(struct run *run, struct contestant_link *contestant,
					  const struct test_case *test, struct outcome *outcome, struct error *err)
{
	double seconds;
	*outcome = (struct outcome){.verdict = VERDICT_NOT_RUN};
	if (!referee_link_case(&run->referee, contestant->setup->problem, test, run_chain(run), 1, err))
		return false;
	*outcome = contestant_link_open(contestant);
	if (!contestant_link_holds(contestant, err))
		return false;
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome =
			contestant_link_case(contestant, &run->referee.arena, run->referee.arena_fd, test);
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = contestant_link_run(contestant, 0, run->timeout, &seconds);
	return true;
}

static bool count_calls(struct run *run, const struct submission *s, const struct test_case *test,
						struct judgement *out, struct error *err)
{
	struct emulated_watch watch;
	const struct entrant entrant = submission_entrant(s, submission_name(s->file));
	emulated_watch_open(&watch, run->options, true, &entrant);
	struct contestant_setup setup = run_contestant(run, s->problem, &entrant);
	setup.settings = watch.settings;
	setup.counts = run->options->emulation.counters ? out : NULL;
	struct contestant_link contestant = {.setup = &setup};
	run_progress(run, s->file, "count", 0, 1);
	struct outcome outcome;
	bool called = call_once(run, &contestant, test, &outcome, err);
	contestant_link_close(&contestant);
	emulated_watch_close(&watch);
	out->verdict = outcome.verdict;
	snprintf(out->detail, sizeof out->detail, "%s", outcome.detail);
	return called;
}

/* False with err where there is nothing to run: the compiler's word on the file is no such thing.
 */
static bool compile_alone(struct run *run, struct submission *s, struct error *err)
{
	bool stopped = false;
	struct compiling *compiling = compiling_open(run, s, 1, false, err);
	bool ok = compiling != NULL && compiling_take(compiling, run, 0, &stopped, err);
	compiling_close(compiling);
	if (ok && stopped)
		return error_set(err, "interrupted");
	return ok && (s->refused[0] == '\0' || error_set(err, "%s: %s", s->file, s->refused));
}

/* With the device open. */
static bool compile_and_count(struct run *run, const struct count_request *request,
							  struct counted *out, struct error *err)
{
	struct submission s;
	snprintf(run->referee.facts.architecture, sizeof run->referee.facts.architecture, "%s",
			 request->architecture);
	submission_take(run, request->options->files[0], &s);
	bool ok = s.refused[0] == '\0' || error_set(err, "%s: %s", s.file, s.refused);
	if (ok && (ok = compile_alone(run, &s, err))) {
		submission_to_judgement(&s, &out->judgement);
		if (s.compiled.status == COMPILE_OK && !s.miscounted)
			ok = count_calls(run, &s, request->test, &out->judgement, err);
		out->compiled = s.compiled;
		s.compiled = (struct compiled){0};
	}
	submission_free(&s);
	return ok;
}

enum judge_status judge_count(const struct count_request *request,
							  const struct judge_progress *progress, struct counted *out,
							  struct error *err)
{
	struct judge_options options = *request->options;
	struct run run = {.options = &options, .progress = progress, .lock = -1, .timeout = SECONDS};
	enum judge_status status = JUDGE_BAD_INPUT;
	*out = (struct counted){0};
	options.emulation.counters = true;
	options.emulation.check = "none"; /* what is not run writes nothing */
	run.memory_limit =
		options.limits.memory_mib > 0 ? options.limits.memory_mib << 20 : MEMORY_BYTES;
	if (options.limits.timeout > 0)
		run.timeout = options.limits.timeout;
	if (!epilogue_open(options.epilogue, &run.epilogue, err))
		return status;
	status = JUDGE_CANNOT_RUN;
	const struct device_list emulated = {
		.text = "emu", .kind = DEVICE_EMULATED, .count = 1, .folder = options.device.folder};
	out->judgement.verdict = VERDICT_ACCEPTED;
	if (device_open(&emulated, &run.referee, err) && compile_and_count(&run, request, out, err))
		status = JUDGE_DONE;
	referee_link_close(&run.referee);
	epilogue_close(run.epilogue);
	return status;
}

void count_free(struct counted *counted)
{
	compiled_free(&counted->compiled);
	judgement_free(&counted->judgement);
	*counted = (struct counted){0};
}
