#include "judge/cases/bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "judge/cases/bits_plan.h"
#include "judge/hints/signature.h"
#include "judge/run/emulated.h"
#include "judge/submission/submission.h"
#include "process/buffers.h"

/* Of what the file has taken. The calls end where they take some times as long as was planned. */
#define BITS_SHARE 0.05
#define LATE 3.0
#define LATE_LEAST 0.5
/* No call takes longer: it was one of the shortest. */
#define CALL_SECONDS 5.0

enum { SLOT_REPEATED, SLOT_ROWS };

/* A file whose bits are looked at. */
struct asking {
	struct case_run one; /* of the case at hand */
	struct judged_bits *bits;
	const struct bits_plan *plan;
	double until; /* of clock_seconds(): no call begins later */
	uint64_t calls;
	double seconds; /* of a call on the same input */
	bool ended;     /* it failed, and nothing more is asked */
};

static void give_up(struct asking *asking, const char *why)
{
	char shape[SHAPE_TEXT];
	shape_print(asking->one.problem, &asking->one.test->shape, shape);
	text_format(asking->bits->why, sizeof asking->bits->why, "at %s: %s", shape, why);
	asking->ended = true;
}

/* Calls on sets from that one on. Each has another order of what CUDA leaves unordered. *seconds:
 * of the last one. */
static bool call(struct asking *asking, uint32_t set, uint32_t count, double *seconds)
{
	const struct case_run *one = &asking->one;
	const struct run *run = one->run;
	struct contestant_link *contestant = one->contestant;
	struct contestant_run request = {.set = set, .more = count - 1};
	for (uint32_t i = 0; i < count; i++)
		request.orders[i] = emulated_order_at(run->options, asking->calls++);
	contestant->steps = emulated_steps(run->options, one->test);
	struct outcome outcome =
		contestant_link_runs(contestant, request, fmin(run->timeout, CALL_SECONDS), seconds);
	if (outcome.verdict != VERDICT_ACCEPTED)
		give_up(asking, outcome.detail);
	return outcome.verdict == VERDICT_ACCEPTED;
}

/* The case is set up at the referee and in the process; `to` as in REFEREE_ARRANGE. */
static bool set_up(struct asking *asking, const struct test_case *test, uint32_t sets, int32_t rows,
				   int32_t to, struct error *err)
{
	struct case_run *one = &asking->one;
	struct referee_link *referee = &one->run->referee;
	const struct referee_arrange arrange = {
		.cancels = 1, .rows = to > 0 ? (uint32_t)rows : 0, .to = (uint32_t)to};
	one->test = test;
	if (!referee_link_alike(referee, one->problem->name, test, run_chain(one->run), sets, err) ||
		!referee_link_arrange(referee, arrange, err)) {
		give_up(asking, err->message); /* where it goes on: for lack of memory */
		return referee->child != NULL;
	}
	struct outcome outcome =
		contestant_link_case(one->contestant, &referee->arena, referee->arena_fd, test);
	if (outcome.verdict != VERDICT_ACCEPTED)
		give_up(asking, outcome.detail);
	return true;
}

static bool is_late(const struct asking *asking)
{
	return clock_seconds() > asking->until || run_stopped(asking->one.run);
}

static void note_difference(const struct asking *asking, const struct bits_compared *found,
							enum bits_between between, const char *shape,
							struct bits_difference *out)
{
	const struct case_run *one = &asking->one;
	if (out->between != BITS_BETWEEN_NONE)
		return;
	*out = (struct bits_difference){.between = between,
									.m = one->test->shape.size[SIZE_M],
									.row = found->row,
									.column = found->column,
									.before = found->before,
									.now = found->now,
									.elements = found->differing};
	snprintf(out->shape, sizeof out->shape, "%s", shape);
	buffers_name(one->problem, run_chain(one->run), found->buffer, out->output);
}

/* ---- the same input again ----------------------------------------------------------------- */

/* So many calls, each on buffers of its own; the first one of all is what others are compared with.
 */
static bool call_again(struct asking *asking, uint32_t count, double *seconds, struct error *err)
{
	struct judged_bits *bits = asking->bits;
	struct referee_link *referee = &asking->one.run->referee;
	struct bits_compared found;
	struct referee_bits request = {.sets = count, .slot = SLOT_REPEATED, .keep = bits->calls == 0};
	if (!call(asking, 0, count, seconds))
		return true;
	if (request.keep != 0 && !referee_link_bits(referee, request, &found, err))
		return false;
	request.keep = 0;
	if (!referee_link_bits(referee, request, &found, err))
		return false;
	bits->calls += count;
	bits->differing += found.results;
	if (found.results > 0)
		note_difference(asking, &found, BITS_BETWEEN_CALLS, bits->shape, &bits->difference);
	return true;
}

/* Calls until there are `count` in all, first a single one that tells how long they take. */
static bool repeat(struct asking *asking, uint32_t count, struct error *err)
{
	struct judged_bits *bits = asking->bits;
	double seconds = asking->seconds;
	const uint32_t sets = asking->plan->sets;
	if (!set_up(asking, &asking->plan->repeated, sets, 0, 0, err))
		return false;
	while (!asking->ended && bits->calls < count && !is_late(asking)) {
		const double left = asking->until - clock_seconds();
		uint32_t calls = bits->calls == 0 ? 1 : count - bits->calls;
		calls = calls < sets ? calls : sets;
		if (calls * seconds > left)
			calls = (uint32_t)fmax(1.0, left / seconds);
		if (!call_again(asking, calls, &seconds, err))
			return false;
	}
	asking->seconds = seconds;
	return true;
}

static void judge_repeated(struct judged_bits *bits)
{
	if (bits->differing > 0)
		bits->repeatable = BITS_NO;
	else if (bits->calls > 1)
		bits->repeatable = BITS_YES;
}

/* ---- other rows ------------------------------------------------------------------------------ */

/* One more M: its first rows, and where it is the largest, those that were moved. */
static bool compare_rows(struct asking *asking, uint32_t index, struct error *err)
{
	struct judged_bits *bits = asking->bits;
	const struct bits_plan *plan = asking->plan;
	struct referee_link *referee = &asking->one.run->referee;
	const int32_t base = plan->rows[plan->base].shape.size[SIZE_M];
	const int32_t m = plan->rows[index].shape.size[SIZE_M];
	const int32_t to = index + 1 == plan->row_count ? plan->to : 0;
	struct bits_compared found = {.results = 0};
	double ignored;
	struct referee_bits request = {
		.sets = 1, .slot = SLOT_ROWS, .rows = (uint32_t)(m < base ? m : base)};
	if (!set_up(asking, &plan->rows[index], 1, base, to, err))
		return false;
	if (asking->ended || !call(asking, 0, 1, &ignored))
		return true;
	if (!referee_link_bits(referee, request, &found, err))
		return false;
	bits->rows[bits->row_count++] = m;
	if (found.results > 0)
		note_difference(asking, &found, BITS_BETWEEN_SIZES, bits->rows_shape,
						&bits->rows_difference);
	request.first = (uint32_t)to;
	if (to > 0 && !referee_link_bits(referee, request, &found, err))
		return false;
	if (to > 0 && found.results > 0)
		note_difference(asking, &found, BITS_BETWEEN_PLACES, bits->rows_shape,
						&bits->rows_difference);
	return true;
}

static bool vary_rows(struct asking *asking, struct error *err)
{
	struct judged_bits *bits = asking->bits;
	const struct bits_plan *plan = asking->plan;
	struct bits_compared none;
	double ignored;
	const struct referee_bits keep = {.sets = 1, .slot = SLOT_ROWS, .keep = 1};
	if (!set_up(asking, &plan->rows[plan->base], 1, 0, 0, err))
		return false;
	if (asking->ended || !call(asking, 0, 1, &ignored))
		return true;
	if (!referee_link_bits(&asking->one.run->referee, keep, &none, err))
		return false;
	shape_print(asking->one.problem, &asking->one.test->shape, bits->rows_shape);
	bits->rows[bits->row_count++] = asking->one.test->shape.size[SIZE_M];
	for (uint32_t i = 0; i < plan->row_count && !asking->ended && !is_late(asking); i++)
		if (i != plan->base && !compare_rows(asking, i, err))
			return false;
	return true;
}

static void judge_rows(struct judged_bits *bits)
{
	if (bits->repeatable == BITS_NO) {
		snprintf(bits->why, sizeof bits->why, "one call differs from the next");
		bits->rows_difference = (struct bits_difference){.between = BITS_BETWEEN_NONE};
		bits->rows_shape[0] = '\0';
		bits->row_count = 0;
	} else if (bits->rows_difference.between != BITS_BETWEEN_NONE)
		bits->batch_invariant = BITS_NO;
	else if (bits->row_count > 1 && bits->why[0] == '\0')
		bits->batch_invariant = BITS_YES;
	else if (bits->row_count == 1 && bits->why[0] == '\0')
		snprintf(bits->why, sizeof bits->why, "the time for it was up after one M");
}

/* ---- both -------------------------------------------------------------------------------------
 */

/* Why nothing is asked; NULL: something is. */
static const char *refused(const struct run *run, const struct judgement *out)
{
	if (out->verdict != VERDICT_ACCEPTED)
		return "the file is not accepted";
	if (tool_words(&run->tool) != NULL)
		return "it runs under a tool";
	if (run->options->emulation.counters)
		return "launches are counted";
	return run_stopped(run) ? "the run was interrupted" : NULL;
}

/* Between calls on the same input come those of other sizes. */
static bool ask(struct asking *asking, struct error *err)
{
	const struct bits_plan *plan = asking->plan;
	bool good = repeat(asking, BITS_CALLS / 2, err);
	if (good && !asking->ended && plan->row_count > 0 && asking->bits->differing == 0)
		good = vary_rows(asking, err);
	if (good && !asking->ended)
		good = repeat(asking, BITS_CALLS, err);
	return good;
}

/* A file in parts may need others for these cases, and is then loaded anew. */
static void supply(struct asking *asking, bool *dead)
{
	const struct bits_plan *plan = asking->plan;
	struct test_case tests[BITS_ROWS_MAX + 1];
	struct error err = {{0}};
	bool changed;
	tests[0] = plan->repeated;
	for (uint32_t i = 0; i < plan->row_count; i++)
		tests[i + 1] = plan->rows[i];
	if (!submission_supply(asking->one.run, asking->one.entrant->submission, tests,
						   plan->row_count + 1, &changed, &err))
		give_up(asking, err.message);
	*dead |= changed;
}

bool bits_ask(const struct case_run *last, bool dead, double seconds, struct judgement *out,
			  struct error *err)
{
	struct judged_bits *bits = &out->bits;
	const struct run *run = last->run;
	const char *why = refused(run, out);
	struct bits_plan plan;
	*bits = (struct judged_bits){.calls = 0};
	if (why != NULL) {
		snprintf(bits->why, sizeof bits->why, "%s", why);
		return true;
	}
	const struct bits_asked asked = {.options = run->options,
									 .device = run->referee.device.kind,
									 .problem = last->problem,
									 .chain = last->entrant->fused ? run_chain(run) : NULL,
									 .judgement = out,
									 .atomics = signature_has(last->entrant->text, "atomicAdd"),
									 .seconds = BITS_SHARE * seconds};
	bits_plan_make(&asked, &plan);
	struct asking asking = {.one = *last, .bits = bits, .plan = &plan};
	asking.one.test = &plan.repeated;
	shape_print(last->problem, &plan.repeated.shape, bits->shape);
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	asking.ended = plan.sets == 0;
	if (!asking.ended && last->entrant->submission != NULL)
		supply(&asking, &dead);
	asking.until = clock_seconds() + fmax(LATE * asked.seconds, LATE_LEAST);
	if (dead && !asking.ended)
		outcome = contestant_link_open(last->contestant);
	if (outcome.verdict != VERDICT_ACCEPTED)
		give_up(&asking, outcome.detail);
	const bool good = asking.ended || ask(&asking, err);
	snprintf(bits->why + strlen(bits->why), sizeof bits->why - strlen(bits->why), "%s",
			 bits->why[0] == '\0' ? plan.why : "");
	free(contestant_link_output(last->contestant));
	judgement_take_layers(out, last->contestant->jail.enclosed, last->contestant->jail.layers);
	judge_repeated(bits);
	judge_rows(bits);
	return good;
}
