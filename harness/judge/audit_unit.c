#include "judge/audit_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "judge/audit_call.h"
#include "judge/run/emulated.h"

/* A library that dies so often is not tried further. */
#define DEATHS_ALLOWED 8

/* Why no more cases are begun; NULL: they are. */
static const char *reason_to_end(const struct auditing *self)
{
	const struct audit_turn *turn = self->turn;
	if (run_stopped(turn->run))
		return "interrupted";
	if (turn->until > 0.0 && clock_seconds() > turn->until)
		return "the time ran out";
	if (self->unopened[0] != '\0')
		return self->unopened;
	return self->deaths >= DEATHS_ALLOWED ? "its process died too often" : NULL;
}

/* Rows of one mode on the case that the referee has. *all: every algorithm had its turn. */
static bool audit_mode(struct auditing *self, enum library_mode mode, bool own_only, bool *all,
					   struct error *err)
{
	const struct audit_turn *turn = self->turn;
	struct audit_unit *unit = &turn->out->units[turn->unit];
	struct audit_choice choice = {.mode = mode, .count = 1};
	*all = true;
	for (; choice.index < choice.count; choice.index++) {
		struct audit_row *row = audit_add(turn->out);
		if (row == NULL)
			return error_set(err, "out of memory");
		row->unit = (uint32_t)turn->unit;
		row->test = (uint32_t)(self->one.test - unit->cases);
		if (!audit_call(self, &choice, row, err)) {
			turn->out->row_count--;
			return false;
		}
		if (self->unopened[0] != '\0') {
			turn->out->row_count--;
			*all = false;
			break;
		}
		unit->number = choice.number > 0 ? choice.number : unit->number;
		unit->has_modes |= choice.has_modes;
		if (own_only)
			break;
		if (choice.index + 1 < choice.count && reason_to_end(self) != NULL) {
			*all = false;
			break;
		}
	}
	return true;
}

/* Whether rounded partial sums are what makes this shape wrong in a case before this one, by what
 * the library chooses itself. */
static bool splits_before(const struct auditing *self, size_t first)
{
	const struct audit *out = self->turn->out;
	const struct test_case *cases = out->units[self->turn->unit].cases;
	bool splits = false;
	for (size_t i = 0; i < first && !splits; i++) {
		const struct audit_row *row = &out->rows[i];
		splits = row->unit == self->turn->unit && audit_is_own_choice(row) &&
				 (row->causes & LIBRARY_CAUSE_PARTIAL_SUMS) != 0 &&
				 memcmp(&cases[row->test].shape, &self->one.test->shape,
						sizeof self->one.test->shape) == 0;
	}
	return splits;
}

/* What is known once both modes were run, of the case's rows from `first` on. */
static void find_causes(const struct auditing *self, size_t first)
{
	struct audit *out = self->turn->out;
	const bool splits = splits_before(self, first);
	bool mended = false;
	for (size_t i = first; i < out->row_count; i++)
		if (out->rows[i].mode == LIBRARY_ACCURATE && out->rows[i].index == 0)
			mended = out->rows[i].calls > 0 && out->rows[i].verdict == VERDICT_ACCEPTED;
	for (size_t i = first; i < out->row_count; i++) {
		struct audit_row *row = &out->rows[i];
		row->accurate_right = mended && audit_is_own_choice(row);
		if (row->verdict != VERDICT_WRONG_ANSWER)
			continue;
		row->causes =
			library_cause_of(&(struct library_wrong){.problem = self->one.problem,
													 .test = self->one.test,
													 .mode = row->mode,
													 .algorithm = row->algorithm,
													 .right_before = row->wrong_call > 1,
													 .worst_ratio = row->worst_ratio,
													 .wrong = row->wrong,
													 .share = row->share,
													 .splits_at_other_beta = splits,
													 .accurate_right = row->accurate_right});
	}
}

/* One case. *all: all of it was run. */
static bool audit_case(struct auditing *self, bool *all, struct error *err)
{
	const struct audit_turn *turn = self->turn;
	struct run *run = turn->run;
	struct audit_unit *unit = &turn->out->units[turn->unit];
	const size_t first = turn->out->row_count;
	if (!referee_link_case(&run->referee, unit->problem->name, self->one.test, NULL,
						   audit_call_sets(run, unit->problem, self->one.test), err))
		return false;
	if (!self->dead) {
		struct outcome outcome = contestant_link_case(self->one.contestant, &run->referee.arena,
													  run->referee.arena_fd, self->one.test);
		self->dead = outcome.dead || outcome.verdict != VERDICT_ACCEPTED;
	}
	bool both = true, ok = audit_mode(self, LIBRARY_DEFAULT, false, all, err);
	if (ok && unit->has_modes && *all)
		ok = audit_mode(self, LIBRARY_ACCURATE, !turn->request->thorough, &both, err);
	*all = *all && both;
	find_causes(self, first);
	return ok;
}

static bool audit_cases(struct auditing *self, struct error *err)
{
	const struct audit_turn *turn = self->turn;
	struct run *run = turn->run;
	struct audit_unit *unit = &turn->out->units[turn->unit];
	char detail[1024];
	for (; unit->audited < unit->case_count; unit->audited++) {
		const char *why = reason_to_end(self);
		bool all = true;
		self->one.test = &unit->cases[unit->audited];
		run_progress(run, unit->label, unit->problem->name, unit->audited, unit->case_count);
		if (why == NULL && emulated_too_large(run->options, run->referee.device.kind, run->timeout,
											  self->one.test, detail)) {
			unit->too_large++;
			continue;
		}
		if (why == NULL && !audit_case(self, &all, err)) {
			text_format(unit->ended, sizeof unit->ended, "%s", err->message);
			return false;
		}
		if (why == NULL && !all)
			why = reason_to_end(self);
		if (why != NULL) {
			text_format(unit->ended, sizeof unit->ended, "%s", why);
			unit->unusable = why == self->unopened;
			break;
		}
	}
	return true;
}

/* The environment of its process: the folder comes before those where the user has libraries. */
static void add_folder(const struct audit_turn *turn, char variable[2 * PATHS_MAX],
					   const char *environment[2])
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char folder[PATHS_MAX];
	environment[0] = environment[1] = NULL;
	if (turn->folder == NULL)
		return;
	paths_absolute(turn->folder, folder); /* wherever the process begins */
	snprintf(variable, 2 * PATHS_MAX, "LD_LIBRARY_PATH=%s%s%s", folder, before != NULL ? ":" : "",
			 before != NULL ? before : "");
	environment[0] = variable;
}

bool audit_unit_run(const struct audit_turn *turn, struct error *err)
{
	struct run *run = turn->run;
	const struct problem *problem = turn->out->units[turn->unit].problem;
	const bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	struct emulated_watch watch;
	char variable[2 * PATHS_MAX];
	const char *environment[2];
	emulated_watch_open(&watch, run->options, emulated, turn->entrant);
	struct contestant_setup setup = run_contestant(run, problem, turn->entrant);
	add_folder(turn, variable, environment);
	setup.environment = environment;
	setup.settings = watch.settings;
	setup.timed = !emulated;
	struct contestant_link link = {.setup = &setup};
	struct auditing self = {.turn = turn,
							.one = {.run = run,
									.problem = problem,
									.entrant = turn->entrant,
									.contestant = &link,
									.tolerance = tolerance_of(&run->options->tolerance, problem)},
							.dead = true};
	if (!emulated)
		self.times = calloc(1, sizeof *self.times);
	bool ok = (emulated || self.times != NULL || error_set(err, "out of memory")) &&
			  audit_cases(&self, err);
	contestant_link_close(&link);
	free(self.times);
	emulated_watch_close(&watch);
	return ok;
}
