#include "judge/submission/in_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "judge/run/device.h"
#include "judge/run/emulated.h"

/* The process in which solution_part() is called. */
struct asked {
	struct device_choice device;
	char setting[EMULATED_VARIABLE];
	const char *settings[2];
	struct contestant_setup setup;
	struct contestant_link link;
};

static bool asked_open(struct asked *asked, const struct run *run,
					   const struct child_control *control, const struct submission *s,
					   const struct compiled *compiled, struct error *err)
{
	const enum device_kind kind = run->referee.device.kind;
	*asked = (struct asked){.settings = {asked->setting}};
	if (!emulated_twin(run->options, kind, &run->referee.facts, asked->setting))
		return error_set(err, "no emulated GPU is like this device");
	if (kind == DEVICE_EMULATED)
		asked->device = run->referee.device;
	else if (!device_emulated(NULL, &asked->device, err))
		return false;
	asked->setup = (struct contestant_setup){.device = &asked->device,
											 .control = control,
											 .library = compiled->library,
											 .source = compiled->source,
											 .problem = s->problem->name,
											 .order = s->order,
											 .settings = asked->settings,
											 .memory_limit = run->memory_limit,
											 .timeout = run->timeout,
											 .without = run->options->limits.without,
											 .required = run->options->limits.required};
	asked->link = (struct contestant_link){.setup = &asked->setup};
	const struct outcome outcome = contestant_link_open(&asked->link);
	return outcome.verdict == VERDICT_ACCEPTED || error_set(err, "%s", outcome.detail);
}

/* The parts that the cases need, added to *parts. */
static bool ask(const struct run *run, const struct child_control *control,
				const struct submission *s, const struct compiled *compiled,
				const struct test_case *tests, size_t count, struct parts *parts, struct error *err)
{
	struct asked asked;
	bool good = asked_open(&asked, run, control, s, compiled, err);
	const double until = clock_seconds() + run->timeout; /* no question is asked after it */
	for (size_t i = 0; i < count && good; i++) {
		int part;
		const struct outcome outcome = contestant_link_part(&asked.link, &tests[i], &part);
		good = outcome.verdict == VERDICT_ACCEPTED || error_set(err, "%s", outcome.detail);
		if (good && part >= PARTS_MAX)
			good = error_set(err, "solution_part() says %d, and parts have numbers below %d", part,
							 PARTS_MAX);
		if (good && part >= 0)
			parts->has[part] = true;
		if (good && i + 1 < count && clock_seconds() > until)
			good = error_set(err, "solution_part() took more than %g s", run->timeout);
	}
	if (asked.link.setup != NULL)
		contestant_link_close(&asked.link);
	return good;
}

/* The cases that are run; the one that is timed as well. */
static bool ask_own(const struct run *run, const struct child_control *control,
					const struct submission *s, const struct compiled *compiled,
					struct parts *parts, struct error *err)
{
	const struct judge_options *options = run->options;
	const enum device_kind kind = run->referee.device.kind;
	struct test_case *tests = calloc(s->case_count + 1, sizeof *tests);
	char ignored[1024];
	size_t count = 0;
	if (tests == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < s->case_count; i++)
		if (!emulated_too_large(options, kind, run->timeout, &s->cases[i], ignored))
			tests[count++] = s->cases[i];
	if (options->mode == JUDGE_CHECKS && kind == DEVICE_CUDA && !options->timing.untimed)
		tests[count++] = s->timed;
	const bool good = ask(run, control, s, compiled, tests, count, parts, err);
	free(tests);
	return good;
}

/* Takes as many of them as are there, `wanted` at most. */
static size_t threads_take(atomic_size_t *threads, size_t wanted)
{
	size_t left = atomic_load(threads), taken;
	do
		taken = left < wanted ? left : wanted;
	while (!atomic_compare_exchange_weak(threads, &left, left - taken));
	return taken;
}

static enum compile_status compile(const struct run *run, const struct submission *s,
								   const struct compile_options *options, const struct parts *parts,
								   struct compiled *out, struct error *err)
{
	struct compile_options own = *options;
	if (run->referee.device.kind == DEVICE_EMULATED && run->options->emulation.uses)
		own.architecture = s->machine + strlen("sm_");
	const size_t more = threads_take(run->part_threads, (size_t)parts_count(parts));
	const enum compile_status status = in_parts_compile(&own, parts, 1 + more, out, err);
	atomic_fetch_add(run->part_threads, more);
	return status;
}

bool in_parts_make(const struct run *run, struct submission *s,
				   const struct compile_options *options)
{
	struct error err = {{0}};
	struct compiled solve;
	s->unasked[0] = '\0';
	if (run->part_threads == NULL || options->in_place || s->is_baseline || !in_parts_is(s->source))
		return false;
	s->parts = (struct parts){{false}};
	enum compile_status status = compile(run, s, options, &s->parts, &solve, &err);
	if (status == COMPILE_OK && !ask_own(run, options->control, s, &solve, &s->parts, &err)) {
		text_format(s->unasked, sizeof s->unasked, "%s", err.message);
		status = COMPILE_FAILED;
	}
	if (status == COMPILE_OK)
		status = compile(run, s, options, &s->parts, &s->compiled, &err);
	compiled_free(&solve);
	if (status == COMPILE_OK)
		s->compiled.seconds += solve.seconds;
	else
		compiled_free(&s->compiled);
	return status == COMPILE_OK;
}

bool in_parts_add(const struct run *run, struct submission *s,
				  const struct compile_options *options, const struct test_case *tests,
				  size_t count, bool *changed)
{
	struct parts parts = s->parts;
	struct compiled more;
	struct error ignored;
	*changed = false;
	if (!ask(run, options->control, s, &s->compiled, tests, count, &parts, &ignored))
		return false;
	if (memcmp(&parts, &s->parts, sizeof parts) == 0)
		return true;
	if (compile(run, s, options, &parts, &more, &ignored) != COMPILE_OK) {
		compiled_free(&more);
		return false;
	}
	compiled_free(&s->compiled);
	s->compiled = more;
	s->parts = parts;
	*changed = true;
	return true;
}
