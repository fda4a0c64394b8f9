/* Measures the best ranked schedules on the device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "schedules/queue.h"
#include "tuning/memory.h"
#include "tuning/tuning.h"

#define SECONDS 60.0
#define CANDIDATES 1024 /* are in line, more than any budget reaches */
#define EXHAUSTIVE 8192
#define CASES 8 /* that a winner is judged on */
#define MAX_DIM 1024
#define COMMON_SHARE 0.9 /* of the time is for the shapes, where one schedule for all is wanted */
/* Libraries are measured beside the winner where a shape has so much time: compiling them for the
 * first time takes some of it, and cannot be cut short. */
#define LIBRARIES_SECONDS 20.0

/* The search at one shape. */
struct measuring {
	struct tuning *tuning;
	struct tuning_shape *shape;
	struct tuning_memory *memory;
	const char *const **flags; /* of each candidate; owned, with all texts in one block */
	char **texts;
	bool libraries; /* are measured beside the winner */
};

static const int64_t *values_of(const struct measuring *measuring, size_t candidate)
{
	const struct tuning_found *found = &measuring->shape->found;
	return measuring->shape->ranking.list.items[found->candidates[candidate]].values;
}

static void constants_of(const struct measuring *measuring, size_t candidate,
						 char out[SCHEDULE_TEXT])
{
	schedule_print(&measuring->tuning->space, values_of(measuring, candidate), out);
}

/* ---- where times come from -------------------------------------------------------- */

static bool stopped(void *context)
{
	const struct measuring *measuring = context;
	return tuning_stopped(measuring->tuning);
}

static double clock_of(void *context)
{
	(void)context;
	return clock_seconds();
}

static bool ready(void *context, size_t first, size_t most, double deadline, size_t *count,
				  struct error *err)
{
	struct measuring *measuring = context;
	return trials_ready(measuring->tuning->trials, first, most, deadline, count, err);
}

static enum search_outcome outcome_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_ACCEPTED: return SEARCH_MEASURED;
	case VERDICT_NOT_RUN: return SEARCH_NOT_TRIED;
	case VERDICT_COMPILE_ERROR: return SEARCH_NOT_COMPILED;
	case VERDICT_WRONG_ANSWER:
	case VERDICT_RULE_VIOLATION: return SEARCH_WRONG;
	default: return SEARCH_NOT_RUN;
	}
}

static struct search_result result_of(const struct timing_entry *entry)
{
	const struct timing_stats *stats = timing_shown(entry, entry->span.samples > 0);
	struct search_result result = {.outcome = outcome_of(entry->verdict)};
	if (entry->ran && stats->samples > 0) {
		result.median = stats->median;
		result.low = stats->low;
		result.high = stats->high;
		result.samples = stats->samples;
	} else if (result.outcome == SEARCH_MEASURED) {
		result.outcome = SEARCH_NOT_TRIED;
	}
	if (result.outcome != SEARCH_MEASURED)
		text_format(result.detail, sizeof result.detail, "%s", entry->detail);
	return result;
}

static bool measure(void *context, const struct search_round *wanted, struct search_result *results,
					struct error *err)
{
	struct measuring *measuring = context;
	struct timing_result timing;
	const struct trials_round round = {.test = measuring->shape->test,
									   .variants = wanted->candidates,
									   .count = wanted->count,
									   /* every fourth pass is of another kind */
									   .passes = wanted->passes + (wanted->passes + 3) / 3,
									   .deadline = wanted->deadline};
	if (!trials_time(measuring->tuning->trials, &round, &timing, err))
		return false;
	for (size_t i = 0; i < wanted->count; i++)
		results[i] = result_of(&timing.entries[i]);
	free(timing.entries);
	return true;
}

static bool judge(void *context, size_t candidate, double deadline, struct search_result *result,
				  struct error *err)
{
	struct measuring *measuring = context;
	struct tuning_found *found = &measuring->shape->found;
	struct judgement judgement;
	bool ok = trials_check(measuring->tuning->trials, candidate,
						   (struct trials_cases){CASES, MAX_DIM}, deadline, &judgement, err);
	found->accepted = judgement.accepted;
	found->cases = judgement.count;
	if (ok && judgement.verdict != VERDICT_ACCEPTED && judgement.verdict != VERDICT_NOT_RUN) {
		result->outcome = outcome_of(judgement.verdict);
		text_format(result->detail, sizeof result->detail, "%s", judgement.detail);
	}
	judgement_free(&judgement);
	return ok;
}

static bool known(void *context, size_t candidate, struct search_result *out)
{
	const struct measuring *measuring = context;
	char constants[SCHEDULE_TEXT];
	constants_of(measuring, candidate, constants);
	return tuning_memory_known(measuring->memory, constants, out);
}

static void keep(void *context, size_t candidate, const struct search_result *result)
{
	const struct measuring *measuring = context;
	char constants[SCHEDULE_TEXT];
	constants_of(measuring, candidate, constants);
	tuning_memory_keep(measuring->memory, constants, result);
}

/* Seconds since the beginning, what is done, and the best so far. */
static void progress(void *context)
{
	const struct measuring *measuring = context;
	const struct tuning_found *found = &measuring->shape->found;
	const struct search *search = &found->search;
	const struct tuning_watch *watch = &measuring->tuning->watch;
	char sizes[SHAPE_TEXT], constants[SCHEDULE_TEXT];
	struct strbuf text = {0};
	tuning_memory_write(measuring->memory);
	shape_print(measuring->tuning->plan.problem, &measuring->shape->test->shape, sizes);
	strbuf_addf(&text, "%.0f s, %s: %s, %zu of %zu tried",
				clock_seconds() - measuring->tuning->begun, sizes, search->step, search->tried,
				search->count);
	if (search->best != SEARCH_NONE) {
		constants_of(measuring, search->best, constants);
		strbuf_addf(&text, ", best %.4g us: %s", search->results[search->best].median, constants);
	}
	watch->line(watch->steps.context, strbuf_text(&text));
	strbuf_release(&text);
}

/* ---- flags ------------------------------------------------------------------------- */

static void flags_free(struct measuring *measuring)
{
	for (size_t i = 0; i < measuring->shape->found.count && measuring->flags != NULL; i++) {
		free((void *)measuring->flags[i]);
		free(measuring->texts[i]);
	}
	free(measuring->flags);
	free(measuring->texts);
}

/* What nvcc gets for a schedule, behind what the user asked for. */
static bool flags_one(struct measuring *measuring, size_t candidate)
{
	const struct judge_options *judge = measuring->tuning->request.judge;
	struct schedule_flags flags;
	schedule_flags(&measuring->tuning->space, values_of(measuring, candidate), &flags);
	const char **list = calloc(judge->compile.nvcc_flag_count + flags.count + 1, sizeof *list);
	char *texts = malloc(flags.count * sizeof flags.text[0] + 1);
	measuring->flags[candidate] = list;
	measuring->texts[candidate] = texts;
	if (list == NULL || texts == NULL)
		return false;
	memcpy(texts, flags.text, flags.count * sizeof flags.text[0]);
	memcpy(list, judge->compile.nvcc_flags, judge->compile.nvcc_flag_count * sizeof *list);
	for (size_t i = 0; i < flags.count; i++)
		list[judge->compile.nvcc_flag_count + i] = texts + i * sizeof flags.text[0];
	return true;
}

static bool flags_make(struct measuring *measuring, struct error *err)
{
	size_t count = measuring->shape->found.count;
	measuring->flags = calloc(count + 1, sizeof *measuring->flags);
	measuring->texts = calloc(count + 1, sizeof *measuring->texts);
	bool ok = measuring->flags != NULL && measuring->texts != NULL;
	for (size_t i = 0; i < count && ok; i++)
		ok = flags_one(measuring, i);
	return ok || error_set(err, "out of memory for %zu schedules", count);
}

/* ---- a shape ------------------------------------------------------------------------- */

/* The winner beside the file's defaults and the libraries, in what is left of the time. */
static bool compare(struct measuring *measuring, double until, struct error *err)
{
	struct tuning_shape *shape = measuring->shape;
	struct tuning_found *found = &shape->found;
	const bool has_standard = shape->ranking.list.standard < shape->ranking.list.count;
	const size_t best = found->search.best;
	const size_t variants[] = {best, 0};
	struct timing_result timing;
	struct trials_round round = {.test = shape->test,
								 .variants = variants,
								 .count = has_standard && best != 0 ? 2 : 1,
								 .deadline = until,
								 .libraries = measuring->libraries};
	if (!trials_time(measuring->tuning->trials, &round, &timing, err))
		return false;
	for (size_t i = 0; i < timing.count; i++) {
		const struct timing_entry *entry = &timing.entries[i];
		const struct timing_stats *stats = timing_shown(entry, entry->span.samples > 0);
		if (!entry->ran || stats->samples == 0)
			continue;
		if (i == 0)
			found->winner = *stats;
		if (i == 0 ? has_standard && best == 0 : i < round.count)
			found->standard = *stats;
		if (entry->role != TIMING_LIBRARY || timing_leaves_bound(entry) ||
			(found->library[0] != '\0' && !(stats->median < found->library_median)))
			continue;
		found->library_median = stats->median;
		snprintf(found->library, sizeof found->library, "%s", entry->label);
	}
	found->compared = found->winner.samples > 0;
	free(timing.entries);
	return true;
}

static void choose(struct measuring *measuring)
{
	const struct tuning_shape *shape = measuring->shape;
	const struct tuning_found *found = &shape->found;
	const struct search *search = &found->search;
	struct tuned_choice choice = {.beta_is_0 = shape->test->scalar[SCALAR_BETA] == 0.0f,
								  .tried = (int64_t)search->tried,
								  .judged = true};
	constants_of(measuring, search->best, choice.constants);
	choice.median = tuning_best_time(found);
	tuning_gain(found, &choice.gain, &choice.gain_low, &choice.gain_high);
	snprintf(choice.library, sizeof choice.library, "%s", found->library);
	if (found->compared && found->library[0] != '\0')
		choice.library_ratio = found->library_median / found->winner.median;
	tuning_memory_choose(measuring->memory, &choice);
}

static bool queue_all(struct measuring *measuring, struct error *err)
{
	struct tuning_shape *shape = measuring->shape;
	struct tuning_found *found = &shape->found;
	const size_t most = measuring->tuning->request.exhaustive ? EXHAUSTIVE : CANDIDATES;
	const size_t all = shape->ranking.list.count;
	found->candidates = calloc(most < all ? most : all, sizeof *found->candidates);
	if (found->candidates != NULL)
		found->count = queue_make(&shape->ranking, most, found->candidates);
	return found->count > 0 || error_set(err, "out of memory");
}

static bool search_shape(struct measuring *measuring, double seconds, struct error *err)
{
	struct tuning *tuning = measuring->tuning;
	struct tuning_found *found = &measuring->shape->found;
	const struct search_source source = {.ready = ready,
										 .measure = measure,
										 .judge = judge,
										 .known = known,
										 .keep = keep,
										 .progress = progress,
										 .stopped = stopped,
										 .clock = clock_of,
										 .context = measuring};
	double begun = clock_seconds(), until = begun + seconds;
	measuring->libraries = seconds <= 0 || seconds >= LIBRARIES_SECONDS;
	bool ok = queue_all(measuring, err) && flags_make(measuring, err) &&
			  trials_compile(tuning->trials, measuring->flags, found->count, err) &&
			  (!measuring->libraries || trials_prepare_libraries(tuning->trials, err));
	found->begun = ok;
	double left = seconds > 0 ? fmax(until - clock_seconds(), 1e-3) : 0;
	ok = ok && search_run(&source, found->count, left, &found->search, err);
	trials_settle(tuning->trials);
	tuning_memory_write(measuring->memory);
	bool right = ok && found->search.right;
	if (right && (seconds <= 0 || clock_seconds() < until) && !tuning_stopped(tuning)) {
		progress(measuring);
		ok = compare(measuring, seconds > 0 ? until : clock_seconds() + 3.0, err);
	}
	if (right && found->accepted > 0)
		choose(measuring);
	found->seconds = clock_seconds() - begun;
	return ok;
}

/* ---- all of it ------------------------------------------------------------------------------ */

enum judge_status tuning_open_device(struct tuning *tuning, struct error *err)
{
	enum judge_status status;
	enum device_kind kind;
	tuning->trials = trials_open(tuning->request.judge, &tuning->watch.steps, &status, err);
	if (tuning->trials == NULL)
		return status;
	const struct device_properties *facts = trials_device(tuning->trials, &kind);
	if (kind == DEVICE_EMULATED)
		return error_set(err, TUNING_NO_TIME), JUDGE_CANNOT_RUN;
	return gpu_of_device(facts, kind, &tuning->gpu, err) ? JUDGE_DONE : JUDGE_CANNOT_RUN;
}

/* Seconds for all of it. 0: no limit. */
static double budget_of(const struct tuning *tuning)
{
	const double seconds = tuning->request.time_limit;
	return seconds > 0 ? seconds : tuning->request.exhaustive ? 0 : SECONDS;
}

/* Seconds for the next shape: its part of what is left. 0: no limit. */
static double share_of(const struct tuning *tuning, size_t left)
{
	double seconds = budget_of(tuning);
	if (seconds <= 0)
		return 0;
	if (tuning->shape_count > 1)
		seconds *= COMMON_SHARE;
	return fmax(tuning->begun + seconds - clock_seconds(), 1e-3) / (double)left;
}

static bool measure_shape(struct tuning *tuning, size_t number, struct tuning_memory *memory,
						  FILE *out, struct error *err)
{
	struct tuning_shape *shape = &tuning->shapes[number];
	struct measuring measuring = {.tuning = tuning, .shape = shape, .memory = memory};
	enum device_kind kind;
	size_t left = 0;
	for (size_t i = number; i < tuning->shape_count; i++)
		left += tuning->shapes[i].fits;
	bool ok = true;
	if (shape->fits) {
		tuning_memory_begin(memory, shape->test, trials_device(tuning->trials, &kind));
		ok = search_shape(&measuring, share_of(tuning, left), err);
		flags_free(&measuring);
	}
	tuning->watch.done(tuning->watch.steps.context, 0, 0);
	if (number > 0)
		fputc('\n', out);
	tuning_show_found(tuning, shape, out);
	fflush(out);
	return ok;
}

enum judge_status tuning_measure(struct tuning *tuning, const char *store, FILE *out, bool *right,
								 struct error *err)
{
	struct tuning_memory memory;
	tuning_memory_open(&memory, tuning, store);
	bool ok = true;
	*right = true;
	for (size_t i = 0; i < tuning->shape_count && ok && !tuning_stopped(tuning); i++) {
		ok = measure_shape(tuning, i, &memory, out, err);
		*right = *right && tuning->shapes[i].found.search.right;
	}
	const double seconds = budget_of(tuning);
	if (ok && tuning->shape_count > 1 && !tuning_stopped(tuning))
		ok = tuning_find_common(tuning, seconds > 0 ? tuning->begun + seconds : 0, err);
	tuning_show_worth(tuning, out);
	tuning_memory_close(&memory);
	return ok ? JUDGE_DONE : JUDGE_CANNOT_RUN;
}
