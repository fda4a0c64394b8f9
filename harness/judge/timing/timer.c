/* Timing: the entrants take turns on the same inputs, pass by pass.
 *
 * A pass is one call on each of a row of input sets. Before it the referee
 * draws all inputs anew, restores C and sweeps the L2 cache, so that nothing is
 * warm and nothing can be remembered from an earlier pass. Passes alternate
 * between entrants, and the order turns round each time (A B, B A, ...), so
 * that a drift of the clock falls on all alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/run/ahead.h"
#include "judge/run/timing_lock.h"
#include "judge/timing/clocks.h"
#include "judge/timing/confirm.h"
#include "judge/timing/kept.h"
#include "judge/timing/lane.h"
#include "judge/timing/libraries.h"
#include "judge/timing/pass.h"
#include "judge/timing/steady.h"
#include "judge/timing/timer.h"
#include "judgement/floor.h"
#include "process/buffers.h"

#define SETS_MIN 10u
#define SETS_MAX 514u
#define WIDTH_WARNED 0.02 /* of the 95% interval, relative to the median */
#define EVENT_EVERY 4     /* every so many rounds times with events */

struct timer {
	struct run *run;
	const struct problem *problem;
	size_t all, room; /* lanes that are in use, and that there are */
	struct lane *at;  /* those that take turns now, and how many */
	size_t count;
	struct contestant_time_reply reply; /* of the pass at hand */
	struct calibration *calibration;    /* of sealed calls, where the run has none; NULL before the
										   first of them */
	struct lane lanes[];
};

/* Enough sets that a pass goes through the L2 cache twice, and enough calls
 * that a pass is worth its preparation. */
static uint32_t sets_for(const struct run *run, const struct problem *problem,
						 const struct test_case *test)
{
	struct buffers buffers;
	buffers_of_case(problem, test, run_chain(run), &buffers);
	const double bytes = (double)buffers_bytes(&buffers);
	double l2 = (double)run->referee.facts.l2_bytes;
	double room = 0.25 * (double)run->referee.facts.memory_bytes;
	double sets = ceil(2.0 * l2 / bytes) + PASS_WARMUPS;
	if (sets < SETS_MIN)
		sets = SETS_MIN;
	if (sets > SETS_MAX)
		sets = SETS_MAX;
	if (room > 0.0 && sets * bytes > room)
		sets = floor(room / bytes);
	return sets < PASS_WARMUPS + 1 ? PASS_WARMUPS + 1 : (uint32_t)sets;
}

/* One pass of each entrant, on the same inputs. */
struct round {
	struct timer *timer;
	struct lane_check check;
	struct clocks *clocks;
	enum time_method method;
	uint64_t fresh;         /* that the inputs are drawn from */
	double began, checking; /* when the first pass did, and seconds of comparing since then */
};

/* The solution's process could have said anything. */
static void entry_take_kernels(struct timing_entry *entry, const struct kernel_list *said)
{
	struct kernel_list *kernels = &entry->kernels;
	*kernels = *said;
	if (kernels->shown > KERNELS_SHOWN)
		kernels->shown = KERNELS_SHOWN;
	if (kernels->run < kernels->shown)
		kernels->run = kernels->shown;
	for (uint32_t i = 0; i < kernels->shown; i++)
		kernels->first[i].name[KERNEL_NAME_BYTES] = '\0';
	entry->has_kernels = true;
}

static enum time_method method_of(const struct round *round, const struct lane *lane)
{
	return lane->span_missing ? TIME_EVENT : round->method;
}

/* What a pass by this method has told. */
static bool pass_take(enum time_method method, const struct contestant_time_reply *reply,
					  struct lane *lane, struct timing_entry *entry, struct error *err)
{
	if (!samples_add(method == TIME_SPAN ? &lane->span : &lane->event, reply->microseconds,
					 reply->calls))
		return error_set(err, "out of memory for samples");
	if (method == (lane->span_missing ? TIME_EVENT : TIME_SPAN))
		stats_add_pass(&entry->passes, reply->microseconds, reply->calls);
	lane->call = stats_middle(reply->microseconds, reply->calls);
	if (reply->activities > entry->activities)
		entry->activities = reply->activities;
	if (method == TIME_SPAN && !entry->has_kernels)
		entry_take_kernels(entry, &reply->kernels);
	return true;
}

/* Which of the sets is looked at, and whether as a whole, is drawn when it is too late to know. */
static bool pass_check(struct round *round, const struct pass_plan *plan, struct lane *lane,
					   struct timing_entry *entry, struct error *err)
{
	struct lane_check check = round->check;
	uint64_t set, whole;
	if (!random_draw(&set, err) || !random_draw(&whole, err))
		return false;
	double began = clock_seconds();
	if (check.rows == 0)
		check.rows = pass_rows(entry->compared == 0, whole, round->checking, began - round->began);
	bool ok = lane_check(&check, plan->warmups + (uint32_t)(set % plan->calls), lane, entry, err);
	round->checking += clock_seconds() - began;
	return ok;
}

/* One pass of one entrant. */
static bool lane_pass(struct round *round, struct lane *lane, struct timing_entry *entry,
					  struct error *err)
{
	struct run *run = round->timer->run;
	if (!referee_link_reset(&run->referee, round->fresh, err))
		return false;
	enum time_method method = method_of(round, lane);
	const struct pass_plan plan = pass_plan(run->referee.arena.sets, lane->call);

	struct contestant_time_reply *reply = &round->timer->reply;
	struct outcome outcome = contestant_link_time(
		&lane->contestant,
		(struct contestant_time){.method = method, .warmups = plan.warmups, .calls = plan.calls},
		run->timeout + 1.0 * plan.calls, reply);
	clocks_sample(round->clocks);
	if (outcome.refused && method == TIME_SPAN && lane->span.count == 0) {
		lane->span_missing = true; /* tried once; events from now on */
		text_format(entry->detail, sizeof entry->detail, "%s", outcome.detail);
		return true;
	}
	if (outcome.verdict != VERDICT_ACCEPTED) {
		lane->running = !outcome.dead;
		lane_failed(entry, outcome);
		return true;
	}
	return pass_take(method, reply, lane, entry, err) && pass_check(round, &plan, lane, entry, err);
}

static bool narrow_enough(struct lane *lanes, const struct timing_entry *entries, size_t count)
{
	bool narrow = true;
	for (size_t i = 0; i < count && narrow; i++) {
		struct lane *lane = &lanes[i];
		narrow = !entries[i].ran || pass_enough(lane->span_missing ? &lane->event : &lane->span,
												&lane->event, entries[i].passes.count);
	}
	return narrow;
}

/* Whether the entrant can take part at all; else its entry says why. */
static bool lane_begin(const struct timer *timer, const struct lane *lane,
					   struct timing_entry *entry)
{
	const size_t i = (size_t)(lane - timer->at);
	if (entry->label[0] != '\0' || !libraries_wanted(timer->at, timer->count, entry - i, i))
		return false;
	snprintf(entry->label, sizeof entry->label, "%s", lane->entrant->label);
	entry->role = lane->entrant->role;
	if (timer->run->options->mode != JUDGE_CHECKS && lane->entrant->schedule != NULL)
		snprintf(entry->schedule, sizeof entry->schedule, "%s", lane->entrant->schedule);
	if (lane->dropped) {
		entry->verdict = VERDICT_NOT_RUN;
	} else if (lane->entrant->library == NULL) {
		entry->verdict = lane->entrant->refused != VERDICT_ACCEPTED ? lane->entrant->refused
																	: VERDICT_COMPILE_ERROR;
		snprintf(entry->detail, sizeof entry->detail, "%s", lane->entrant->problem_detail);
	} else {
		entry->ran = true;
	}
	return entry->ran;
}

/* Opens those that are wanted and have not begun. Those that cannot take part have said why in
 * their entry. False where a layer of the jail that is required does not hold. */
static bool lanes_open(struct timer *timer, struct timing_result *out, struct error *err)
{
	for (size_t i = 0, next; i < timer->count; i = next) {
		struct lane *together[LANES_TOGETHER];
		struct outcome outcomes[LANES_TOGETHER];
		size_t count = 0;
		for (next = i; next < timer->count && count < LANES_TOGETHER; next++)
			if (lane_begin(timer, &timer->at[next], &out->entries[next]))
				together[count++] = &timer->at[next];
		lane_open_all(timer->run, together, count, &out->test, outcomes);
		for (size_t k = 0; k < count; k++) {
			struct timing_entry *entry = &out->entries[together[k] - timer->at];
			if (!contestant_link_holds(&together[k]->contestant, err))
				return false;
			entry->enclosed = together[k]->contestant.jail.enclosed;
			entry->layers = together[k]->contestant.jail.layers;
			if (outcomes[k].verdict != VERDICT_ACCEPTED)
				lane_failed(entry, outcomes[k]);
		}
	}
	return true;
}

static struct lane_check check_of(const struct timer *timer, const struct timing_result *out)
{
	const struct tolerance_request *asked = &timer->run->options->tolerance;
	return (struct lane_check){.run = timer->run,
							   .problem = timer->problem,
							   .test = &out->test,
							   .rows = timer->run->checked_rows,
							   .tolerance = tolerance_of(asked, timer->problem)};
}

static bool measure(struct timer *timer, struct timing_result *out, struct clocks *clocks,
					struct error *err)
{
	struct run *run = timer->run;
	struct lane *lanes = timer->at;
	size_t count = timer->count;
	struct round round = {
		.timer = timer, .check = check_of(timer, out), .clocks = clocks, .began = clock_seconds()};
	for (size_t done = 0;; done++) {
		double elapsed = clock_seconds() - round.began;
		if (done >= 2 && (elapsed > run->time_budget || narrow_enough(lanes, out->entries, count)))
			break;
		if ((run->rounds > 0 && done >= run->rounds) ||
			(done >= 2 && run->until > 0 && round.began + elapsed > run->until))
			break;
		round.method = done % EVENT_EVERY == 1 ? TIME_EVENT : TIME_SPAN;
		/* never from --seed, which a solution may know; the same for all entrants */
		if (!random_draw(&round.fresh, err))
			return false;
		for (size_t i = 0; i < count; i++) {
			size_t turn = done % 2 == 0 ? i : count - 1 - i;
			if (out->entries[turn].ran &&
				!lane_pass(&round, &lanes[turn], &out->entries[turn], err))
				return false;
		}
		if (!lanes_open(timer, out, err)) /* what this round has found wrong by default */
			return false;
	}
	out->seconds = clock_seconds() - round.began;
	return true;
}

static void finish_entry(const struct device_properties *facts, struct lane *lane,
						 struct timing_entry *entry, struct timing_result *out)
{
	entry->seal.floor = floor_of(facts, out);
	samples_drop_below(&lane->span, entry->seal.floor);
	samples_drop_below(&lane->event, entry->seal.floor);
	entry->span = stats_of(&lane->span);
	entry->event = stats_of(&lane->event);
	const struct timing_stats *stats = timing_shown(entry, entry->span.samples > 0);
	if (entry->ran && stats_relative_width(stats) > WIDTH_WARNED)
		out->wide = true;
	samples_free(&lane->span);
	samples_free(&lane->event);
}

static void entry_rate(struct timing_entry *entry, const struct timing_result *out)
{
	const struct timing_stats *stats = timing_shown(entry, entry->span.samples > 0);
	if (stats->samples > 0 && stats->median > 0.0)
		entry->tflops = 2.0 * shape_terms(&out->test.shape) / stats->median * 1e-6;
}

struct timer *timer_open(struct run *run, const struct problem *problem,
						 const struct entrant *entrants, size_t count, struct error *err)
{
	const size_t room = count > LANES_TOGETHER ? count : LANES_TOGETHER;
	struct timer *timer = calloc(1, sizeof *timer + room * sizeof *timer->lanes);
	if (timer == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	timer->run = run;
	timer->problem = problem;
	timer->room = room;
	timer_take(timer, entrants, count);
	return timer;
}

void timer_take(struct timer *timer, const struct entrant *entrants, size_t count)
{
	timer->all = count;
	for (size_t i = 0; i < count; i++)
		lane_take(&timer->lanes[i], timer->run, timer->problem, &entrants[i]);
}

void timer_prepare(struct timer *timer)
{
	for (size_t i = 0; i < timer->all; i++) {
		struct lane *lane = &timer->lanes[i];
		if (!lane->entrant->is_reference && lane->entrant->library != NULL && !lane->running)
			contestant_link_prepare(&lane->contestant);
	}
}

void timer_drop(struct timer *timer, size_t entrant)
{
	lane_close(&timer->lanes[entrant]);
	timer->lanes[entrant].dropped = true;
}

void timer_close(struct timer *timer)
{
	if (timer == NULL)
		return;
	for (size_t i = 0; i < timer->room; i++)
		lane_close(&timer->lanes[i]);
	confirm_end(timer->calibration);
	free(timer);
}

/* The bursts, and then the stream, where there is one: then its clocks are those that count. */
static bool measure_all(struct timer *timer, struct timing_result *out, struct error *err)
{
	struct run *run = timer->run;
	const struct lane_check check = check_of(timer, out);
	struct clocks clocks;
	clocks_open(&clocks, run->referee.facts.pci_bus_id);
	bool ok = measure(timer, out, &clocks, err);
	if (ok && run->options->timing.steady) {
		clocks_begin(&clocks);
		clocks.power_cap_expected = true;
		ok = steady_measure(&check, timer->at, out, &clocks, err);
	}
	clocks_report(&clocks, out);
	clocks_close(&clocks);
	return ok;
}

static struct calibration **calibration_of(struct timer *timer)
{
	return timer->run->calibration != NULL ? &timer->run->calibration : &timer->calibration;
}

/* An empty result of a case, with room for the entries of all lanes. */
static bool result_begin(const struct timer *timer, const struct test_case *test,
						 struct timing_result *out, struct error *err)
{
	*out = (struct timing_result){.test = *test};
	snprintf(out->problem, sizeof out->problem, "%s", timer->problem->name);
	out->entries = calloc(timer->all, sizeof *out->entries);
	return out->entries != NULL || error_set(err, "out of memory");
}

/* So many lanes from this one on, side by side and without the others. */
static bool time_lanes(struct timer *timer, struct lane *at, size_t count,
					   struct timing_result *out, struct error *err)
{
	struct run *run = timer->run;
	timer->at = at;
	timer->count = out->count = count;
	bool ok = referee_link_case(&run->referee, timer->problem->name, &out->test, run_chain(run),
								sets_for(run, timer->problem, &out->test), err);
	out->sets = run->referee.arena.sets;
	ok = ok && lanes_open(timer, out, err);
	ahead_pause(run->ahead); /* compilers would take cores from what is timed on the host */
	timing_lock_begin(run->timing_lock);
	ok = ok && measure_all(timer, out, err);
	for (size_t i = 0; i < count; i++)
		finish_entry(&run->referee.facts, &at[i], &out->entries[i], out);
	ok = ok && confirm(run, timer->problem, *calibration_of(timer), at, out, err);
	timing_lock_end(run->timing_lock);
	ahead_continue(run->ahead);
	for (size_t i = 0; i < count; i++) {
		timing_keep_possible(&out->entries[i]);
		entry_rate(&out->entries[i], out);
		contestant_link_denied(&at[i].contestant, &out->entries[i].denied);
	}
	libraries_finish(at, count, timer->problem, out);
	return ok;
}

/* ---- libraries' times that files have in common --------------------------------------- */

/* How many files there are, before the libraries. */
static size_t files_of(const struct timer *timer)
{
	size_t files = 0;
	while (files < timer->all && timer->lanes[files].entrant->role != TIMING_LIBRARY)
		files++;
	return files;
}

static bool can_keep(const struct timer *timer, size_t files)
{
	const struct judge_options *options = timer->run->options;
	size_t libraries = timer->all - files;
	return timer->run->kept > 0 && options->mode == JUDGE_CHECKS && !options->timing.steady &&
		   files > 0 && libraries > 0 && libraries <= KEPT_LIBRARIES;
}

/* Times the libraries, while no file has a process that could slow them down for all others, and
 * keeps that in place of *kept. */
static bool time_libraries(struct timer *timer, const struct test_case *test,
						   const struct kept_key *key, struct kept_times *kept, struct error *err)
{
	const size_t files = files_of(timer);
	struct kept_times now = {0};
	char drift[KEPT_DRIFT_TEXT];
	for (size_t i = 0; i < files; i++)
		lane_close(&timer->lanes[i]);
	if (!result_begin(timer, test, &now.result, err) ||
		!time_lanes(timer, &timer->lanes[files], timer->all - files, &now.result, err)) {
		free(now.result.entries);
		return false;
	}
	now.when = clock_seconds();
	if (kept_drift(kept, &now, drift))
		run_note(timer->run, drift);
	kept_add(timer->run->kept, key, &now);
	free(kept->result.entries);
	*kept = now;
	return true;
}

/* The libraries' entries behind those of the files. */
static void join(const struct timing_result *libraries, struct timing_result *out)
{
	memcpy(out->entries + out->count, libraries->entries, libraries->count * sizeof *out->entries);
	out->count += libraries->count;
	out->wide |= libraries->wide;
	if (libraries->throttled && !out->throttled)
		memcpy(out->throttle_reason, libraries->throttle_reason, sizeof out->throttle_reason);
	out->throttled |= libraries->throttled;
}

/* The files, beside the libraries' times that are kept; where there are none, or they do not hold,
 * the libraries first, or afterwards where the clock has changed. */
static bool time_apart(struct timer *timer, size_t files, const struct kept_key *key,
					   struct timing_result *out, struct error *err)
{
	const size_t libraries = timer->all - files;
	struct kept_times kept;
	bool hold = kept_find(timer->run->kept, key, &kept) && kept.result.count <= libraries &&
				kept_hold(&kept, clock_seconds());
	const double age = clock_seconds() - kept.when;
	bool ok = (hold || time_libraries(timer, &out->test, key, &kept, err)) &&
			  time_lanes(timer, timer->lanes, files, out, err);
	if (ok && hold && !kept_hold_at(&kept, out)) {
		hold = false;
		ok = time_libraries(timer, &out->test, key, &kept, err);
	}
	if (ok) {
		join(&kept.result, out);
		out->libraries_age = hold ? age : 0.0;
		out->seconds += hold ? 0.0 : kept.result.seconds;
	}
	free(kept.result.entries);
	return ok;
}

bool timer_case(struct timer *timer, const struct test_case *test, struct timing_result *out,
				struct error *err)
{
	struct run *run = timer->run;
	const size_t files = files_of(timer);
	if (!result_begin(timer, test, out, err) ||
		!confirm_begin(run, timer->problem, out, calibration_of(timer), err))
		return false;
	const struct lane_check what = check_of(timer, out);
	struct kept_key key;
	if (can_keep(timer, files) &&
		kept_key_of(&what, timer->lanes + files, timer->all - files, &key))
		return time_apart(timer, files, &key, out, err);
	return time_lanes(timer, timer->lanes, timer->all, out, err);
}
