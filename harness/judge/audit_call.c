#include "judge/audit_call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/hints/hints.h"
#include "judge/run/emulated.h"
#include "judge/run/finding.h"
#include "judge/timing/stats.h"
#include "process/buffers.h"

#define WARMUPS 1u
#define TIMED 4u /* calls: a time that tells algorithms apart, and no more */

#define ROOM 0.25 /* of the device's memory */

uint32_t audit_call_sets(const struct run *run, const struct problem *problem,
						 const struct test_case *test)
{
	struct buffers buffers;
	uint32_t sets = WARMUPS + TIMED;
	if (run->referee.device.kind != DEVICE_CUDA)
		return 1;
	buffers_of_case(problem, test, NULL, &buffers);
	const double bytes = (double)buffers_bytes(&buffers);
	while (sets > 1 && sets * bytes > ROOM * (double)run->referee.facts.memory_bytes)
		sets--;
	return sets;
}

/* ---- one call ----------------------------------------------------------------------- */

/* Before the call: what it uses. What there is to choose from is only known behind it. */
static struct outcome choose(const struct auditing *self, const struct audit_choice *choice,
							 struct contestant_library_reply *reply)
{
	const struct contestant_library request = {.mode = choice->mode,
											   .thorough = self->turn->request->thorough,
											   .use = choice->index,
											   .tell = choice->index};
	return contestant_link_library(self->one.contestant, request, reply);
}

/* Behind it: what the library says of the algorithm. */
static struct outcome ask(const struct auditing *self, struct audit_choice *choice,
						  struct audit_row *row)
{
	struct contestant_library_reply reply;
	struct outcome outcome = choose(self, choice, &reply);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return outcome;
	choice->count = reply.has_algorithms ? reply.algorithms : 1;
	choice->has_modes = reply.has_modes != 0;
	choice->number = reply.version;
	row->algorithm = reply.facts;
	row->refused = reply.refused != 0;
	return outcome;
}

/* A new process where the last one died, with the case. That a library cannot be loaded is no
 * finding about its results. */
static bool open_process(struct auditing *self, struct outcome *outcome, struct error *err)
{
	struct contestant_link *link = self->one.contestant;
	const struct referee_link *referee = &self->one.run->referee;
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	if (!self->dead)
		return true;
	*outcome = contestant_link_open(link);
	if (!contestant_link_holds(link, err))
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		text_format(self->unopened, sizeof self->unopened, "%s", outcome->detail);
	else
		*outcome = contestant_link_case(link, &referee->arena, referee->arena_fd, self->one.test);
	self->dead = outcome->dead;
	return true;
}

static void take_failure(struct auditing *self, const struct outcome *outcome,
						 struct audit_row *row)
{
	self->dead = outcome->dead;
	self->deaths += outcome->dead;
	row->verdict = outcome->verdict;
	row->wrong_call = row->calls + 1;
	text_format(row->detail, sizeof row->detail, "%s", outcome->detail);
}

/* What wrong elements are made by, as judge would say it of a file with this case alone. */
static void find_hint(const struct auditing *self, const struct check_summary *check,
					  struct wrong_pattern *wrong, const char *detail, struct audit_row *row)
{
	struct judgement *judged = calloc(1, sizeof *judged);
	struct case_result *result = calloc(1, sizeof *result);
	if (judged != NULL && result != NULL) {
		*result = (struct case_result){.test = *self->one.test,
									   .verdict = VERDICT_WRONG_ANSWER,
									   .checked = true,
									   .check = *check,
									   .wrong = wrong};
		text_format(result->detail, sizeof result->detail, "%s", detail);
		judged->verdict = VERDICT_WRONG_ANSWER;
		judged->count = 1;
		judged->cases = result;
		hints_find(&(struct hint_context){.judgement = judged,
										  .source = self->one.entrant->text,
										  .problem = self->one.problem,
										  .device = self->one.run->referee.device.kind},
				   judged);
		if (judged->hint_count > 0)
			text_format(row->hint, sizeof row->hint, "%s", judged->hints[0]);
	}
	free(result);
	free(judged);
}

/* A result that is wrong, the first of the row's: where, and by what. */
static bool take_wrong(struct auditing *self, const struct check_summary *check,
					   enum verdict verdict, const char *detail, struct audit_row *row,
					   struct error *err)
{
	struct wrong_pattern wrong;
	row->verdict = verdict;
	row->wrong_call = row->calls;
	row->wrong = check->wrong;
	text_format(row->detail, sizeof row->detail, "%s", detail);
	if (verdict != VERDICT_WRONG_ANSWER)
		return true;
	if (!referee_link_explain(&self->one.run->referee, &wrong, err))
		return false;
	if (wrong.wrong == 0)
		return true;
	places_print(&wrong, &self->one.test->shape, row->places);
	row->share = (double)wrong.wrong / ((double)wrong.places.rows * wrong.places.columns);
	find_hint(self, check, &wrong, detail, row);
	return true;
}

/* What the referee sees in the result of a call: compared with the reference, unless an earlier
 * call that was has left the same bits. */
static bool take_result(struct auditing *self, struct audit_row *row, struct outcome *outcome,
						struct error *err)
{
	const struct case_run *one = &self->one;
	struct check_summary check;
	struct digest result;
	char detail[1024];
	if (!referee_link_digest(&one->run->referee, 0, &result, err))
		return false;
	const bool same = row->calls > 0 && memcmp(&row->result, &result, sizeof result) == 0;
	if (row->calls++ == 0)
		row->result = result;
	row->same += same || row->calls == 1;
	if (same)
		return true;
	if (!finding_check(one, &(struct referee_result){.set = 0}, &check, outcome, err))
		return false;
	row->worst_ratio = fmax(row->worst_ratio, check.worst_ratio);
	row->elements = check.elements;
	enum verdict verdict = finding_verdict(one->problem, one->test, NULL, &check, detail);
	return verdict == VERDICT_ACCEPTED || row->wrong_call > 0 ||
		   take_wrong(self, &check, verdict, detail, row, err);
}

/* A call of solve() and its comparison; *outcome is what became of the process. */
static bool call_once(struct auditing *self, struct audit_choice *choice, struct audit_row *row,
					  struct outcome *outcome, struct error *err)
{
	const struct case_run *one = &self->one;
	struct run *run = one->run;
	double ignored,
		most = emulated_timeout(run->options, run->referee.device.kind, run->timeout, one->test);
	if (!referee_link_reset(&run->referee, 0, err))
		return false;
	one->contestant->steps = emulated_steps(run->options, one->test);
	*outcome = contestant_link_run(one->contestant, 0, most, &ignored);
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = ask(self, choice, row);
	return outcome->verdict != VERDICT_ACCEPTED || row->refused ||
		   take_result(self, row, outcome, err);
}

/* ---- times -------------------------------------------------------------------------- */

/* On a GPU: how long a call takes, and by which kernels. Events, which name none, where there is no
 * CUPTI. */
static bool time_calls(struct auditing *self, struct audit_row *row, struct error *err)
{
	struct run *run = self->one.run;
	struct contestant_time_reply *reply = self->times;
	const uint32_t sets = run->referee.arena.sets;
	struct contestant_time request = {
		.method = TIME_SPAN, .warmups = WARMUPS, .calls = sets - WARMUPS};
	if (sets <= WARMUPS)
		return true;
	if (!referee_link_reset(&run->referee, 0, err))
		return false;
	struct outcome outcome =
		contestant_link_time(self->one.contestant, request, run->timeout + TIMED, reply);
	if (outcome.refused) {
		request.method = TIME_EVENT;
		if (!referee_link_reset(&run->referee, 0, err))
			return false;
		outcome = contestant_link_time(self->one.contestant, request, run->timeout + TIMED, reply);
	}
	if (outcome.verdict != VERDICT_ACCEPTED)
		take_failure(self, &outcome, row);
	if (outcome.verdict != VERDICT_ACCEPTED || reply->calls == 0 || reply->calls > TIMED)
		return true;
	struct samples samples = {0};
	if (!samples_add(&samples, reply->microseconds, reply->calls))
		return error_set(err, "out of memory for samples");
	row->microseconds = samples_quantile(&samples, 0.5);
	samples_free(&samples);
	if (request.method == TIME_SPAN && reply->kernels.shown > 0) {
		row->kernels = reply->kernels.run;
		snprintf(row->kernel, sizeof row->kernel, "%.*s", KERNEL_NAME_BYTES,
				 reply->kernels.first[0].name);
	}
	return true;
}

/* ---- all of it ---------------------------------------------------------------------- */

bool audit_call(struct auditing *self, struct audit_choice *choice, struct audit_row *row,
				struct error *err)
{
	struct contestant_link *link = self->one.contestant;
	const size_t calls = 1 + self->turn->out->repeats;
	struct outcome outcome;
	row->mode = choice->mode;
	row->index = choice->index;
	memset(&row->algorithm, LIBRARY_UNKNOWN, sizeof row->algorithm); /* -1 */
	row->verdict = VERDICT_ACCEPTED;
	if (!open_process(self, &outcome, err))
		return false;
	struct contestant_library_reply ignored;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = choose(self, choice, &ignored);
	link->launches = emulated_order(self->one.run->options, self->one.test);
	for (size_t i = 0; i < calls && outcome.verdict == VERDICT_ACCEPTED && !row->refused; i++) {
		if (!call_once(self, choice, row, &outcome, err))
			return false;
		link->launches = emulated_order_other(link->launches);
	}
	free(contestant_link_output(link));
	if (outcome.verdict != VERDICT_ACCEPTED) {
		take_failure(self, &outcome, row);
		return true;
	}
	return self->times == NULL || row->refused || time_calls(self, row, err);
}
