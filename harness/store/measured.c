#include "store/measured.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judgement/names.h"
#include "report/clean.h"
#include "report/document.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/read.h"
#include "store/scalars.h"

/* Room for one more of `size` bytes each, zeroed. NULL where memory runs out. */
static void *add(void **items, size_t *count, size_t size)
{
	void *more = realloc(*items, (*count + 1) * size);
	if (more == NULL)
		return NULL;
	*items = more;
	return memset((char *)more + (*count)++ * size, 0, size);
}

struct measured *measured_add(struct measured_list *list)
{
	return add((void **)&list->items, &list->count, sizeof *list->items);
}

struct measured_time *measured_add_time(struct measured *measured)
{
	return add((void **)&measured->times, &measured->time_count, sizeof *measured->times);
}

struct measured_counter *measured_add_counter(struct measured *measured)
{
	return add((void **)&measured->counters, &measured->counter_count, sizeof *measured->counters);
}

struct measured_case *measured_add_case(struct measured *measured)
{
	return add((void **)&measured->case_list, &measured->case_count, sizeof *measured->case_list);
}

void measured_free(struct measured *measured)
{
	for (size_t i = 0; i < measured->time_count; i++) {
		free(measured->times[i].scalars);
		free(measured->times[i].passes);
	}
	for (size_t i = 0; i < measured->counter_count; i++) {
		free(measured->counters[i].kernel);
		free(measured->counters[i].name);
	}
	free(measured->times);
	free(measured->counters);
	free(measured->case_list);
	free(measured->file);
	free(measured->detail);
	free(measured->path);
	free(measured->epilogue);
	free(measured->nvcc_flags);
	free(measured->suites);
	free(measured->case_names);
	*measured = (struct measured){0};
}

void measured_list_free(struct measured_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		measured_free(&list->items[i]);
	free(list->items);
	*list = (struct measured_list){0};
}

/* ---- shapes and ratios ----------------------------------------------------------- */

void measured_sizes(const struct measured_time *time, char out[SHAPE_TEXT])
{
	const struct problem *problem = problem_find(time->problem);
	struct shape shape = time->shape;
	if (problem != NULL)
		scalars_sizes(problem, time->scalars, &shape);
	if (problem != NULL)
		shape_print(problem, &shape, out);
	else /* of a gemmjudge that has more problems */
		snprintf(out, SHAPE_TEXT, "%dx%dx%d", time->shape.size[SIZE_M], time->shape.size[SIZE_N],
				 time->shape.size[SIZE_K]);
}

void measured_shape(const struct measured_time *time, char out[MEASURED_SHAPE])
{
	const struct problem *problem = problem_find(time->problem);
	char sizes[SHAPE_TEXT], legend[SHAPE_TEXT] = "MxNxK", scalars[96];
	measured_sizes(time, sizes);
	if (problem != NULL)
		shape_legend(problem, legend);
	scalars_print(time->scalars, scalars, sizeof scalars);
	text_format(out, MEASURED_SHAPE, "%s (%s)%s%s", sizes, legend, scalars[0] != '\0' ? ", " : "",
				scalars);
}

bool measured_same_shape(const struct measured_time *a, const struct measured_time *b)
{
	return strcmp(a->problem, b->problem) == 0 &&
		   memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
		   strcmp(a->scalars, b->scalars) == 0 && a->without_epilogue == b->without_epilogue;
}

/* As a timing of the same shape and scalars. */
static struct timing_result timing_of(const struct measured_time *time)
{
	struct timing_result timing = {.test.shape = time->shape};
	json_t *scalars = json_loads(time->scalars != NULL ? time->scalars : "", 0, NULL);
	snprintf(timing.problem, sizeof timing.problem, "%s", time->problem);
	timing.test.scalar[SCALAR_BETA] = (float)json_number_value(json_object_get(scalars, "beta"));
	json_decref(scalars);
	return timing;
}

double measured_rate(const struct measured_time *time)
{
	struct timing_result timing = timing_of(time);
	return facts_rate(&timing, time->median);
}

const char *measured_rate_unit(const struct measured_time *time)
{
	struct timing_result timing = timing_of(time);
	return facts_rate_unit(&timing);
}

bool measured_same_field(const struct measured *a, const struct measured *b)
{
	return strcmp(a->problem, b->problem) == 0 && strcmp(a->device, b->device) == 0 &&
		   strcmp(a->epilogue, b->epilogue) == 0;
}

bool measured_same_tokens(const struct measured *a, const struct measured *b)
{
	return strcmp(a->content, b->content) == 0 ||
		   (a->tokens[0] != '\0' && strcmp(a->tokens, b->tokens) == 0);
}

bool measured_same_entry(const struct measured *a, const struct measured *b)
{
	if (a->user_id[0] != '\0' || b->user_id[0] != '\0')
		return strcmp(a->user_id, b->user_id) == 0;
	return measured_same_tokens(a, b);
}

const char *measured_library(const struct measured *measured)
{
	return device_kind_is(measured->device_kind, DEVICE_EMULATED) ? "" : measured->library;
}

double measured_ratio(const struct measured_time *time)
{
	return time->median > 0.0 ? time->library_microseconds / time->median : 0.0;
}

double measured_mean_ratio(const struct measured *measured)
{
	double sum = 0.0;
	size_t count = 0;
	for (size_t i = 0; i < measured->time_count; i++) {
		double ratio = measured_ratio(&measured->times[i]);
		if (!(ratio > 0.0) || measured->times[i].without_epilogue)
			continue;
		sum += log(ratio);
		count++;
	}
	return count > 0 ? exp(sum / (double)count) : 0.0;
}

/* ---- passes ---------------------------------------------------------------------- */

static bool take_passes(struct measured_time *time, const json_t *list)
{
	size_t i, count = json_array_size(list);
	const json_t *value;
	time->passes = calloc(count + 1, sizeof *time->passes);
	if (!json_is_array(list) || time->passes == NULL)
		return false;
	json_array_foreach(list, i, value)
	{
		if (!json_is_number(value))
			return false;
		time->passes[time->pass_count++] = json_number_value(value);
	}
	return true;
}

bool measured_take_passes(struct measured_time *time, const char *json)
{
	json_t *list = json_loads(json, 0, NULL);
	bool ok = take_passes(time, list);
	json_decref(list);
	return ok;
}

/* ---- reports --------------------------------------------------------------------- */

/* Made fit for a line: whoever wrote the report may steer no terminal. */
static void copy_clean(char *out, size_t capacity, const char *text)
{
	char *clean = clean_line(text);
	snprintf(out, capacity, "%s", clean != NULL ? clean : "");
	free(clean);
}

#define COPY(out, text) copy_clean(out, sizeof(out), text)

/* A list as the store has it. */
static char *list_of(const char *const *texts)
{
	json_t *list = json_array();
	for (; texts != NULL && *texts != NULL; texts++)
		json_array_append_new(list, document_text(*texts));
	char *text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return text;
}

static bool take_time(struct measured *out, const struct timing_result *timing,
					  const struct timing_entry *entry)
{
	const struct facts_counted counted = facts_counted(timing, entry);
	const struct timing_entry *library = overall_library(timing);
	struct measured_time *time = measured_add_time(out);
	if (time == NULL)
		return false;
	COPY(time->problem, timing->problem);
	COPY(time->clock, counted.clock);
	COPY(time->seal, seal_state_name(entry->seal.state));
	time->median = counted.stats->median;
	time->low = counted.stats->low;
	time->high = counted.stats->high;
	time->without_epilogue = entry->role == TIMING_FILE_PLAIN;
	time->throttled = timing->throttled;
	time->sm_clock_mhz = timing->sm_clock_mhz_median;
	time->shape = timing->test.shape;
	time->scalars = scalars_of_case(problem_find(timing->problem), &timing->test);
	time->passes = calloc(PASSES_KEPT, sizeof *time->passes);
	if (library != NULL) {
		COPY(time->library, library->label);
		time->library_microseconds = facts_counted(timing, library).stats->median;
	}
	for (uint32_t i = 0; time->passes != NULL && counted.passes && i < entry->passes.count; i++)
		time->passes[time->pass_count++] = (double)entry->passes.microseconds[i];
	return time->scalars != NULL && time->passes != NULL;
}

/* Entries of files come in the order of the results of their problem, in a comparison twice. */
static bool take_bench(struct measured *out, const struct judgement_list *list, size_t index)
{
	size_t member = 0, members = 0;
	bool ok = true;
	for (size_t i = 0; i < list->count; i++) {
		const bool same = strcmp(list->items[i].problem, list->items[index].problem) == 0;
		member += same && i < index;
		members += same;
	}
	for (size_t b = 0; b < list->bench_count && members > 0; b++) {
		const struct timing_result *timing = &list->bench[b];
		if (strcmp(timing->problem, list->items[index].problem) != 0)
			continue;
		for (size_t i = 0; i < timing->count && ok; i++)
			if (timing_is_file(&timing->entries[i]) && timing->entries[i].ran &&
				i % members == member)
				ok = take_time(out, timing, &timing->entries[i]);
	}
	return ok;
}

static bool take_counters(struct measured *out, const struct judgement *item)
{
	for (size_t i = 0; i < item->kernel_count; i++)
		for (size_t k = 0; k < item->kernels[i].count; k++) {
			struct measured_counter *counter = measured_add_counter(out);
			if (counter == NULL)
				return false;
			counter->kernel = clean_line(item->kernels[i].shown);
			counter->name = clean_line(item->kernels[i].counters[k].name);
			counter->value = (int64_t)item->kernels[i].counters[k].value;
			if (counter->kernel == NULL || counter->name == NULL)
				return false;
		}
	return true;
}

static void take_run(struct measured *out, const struct run_description *facts)
{
	COPY(out->when, facts->started);
	COPY(out->device_kind,
		 facts->device.name[0] != '\0' ? device_kind_name(facts->device_kind) : "");
	COPY(out->device, facts->device.name);
	COPY(out->driver, facts->device.driver);
	COPY(out->library, facts->device.library);
	COPY(out->nvcc, facts->nvcc);
	COPY(out->tolerance, facts->tolerance);
	out->epilogue = clean_line(facts->epilogue);
	out->nvcc_flags = list_of(facts->nvcc_flags);
	out->suites = list_of(facts->suites);
	out->case_names = strdup("");
	out->seed_given = facts->seed_given;
}

/* False where memory runs out. */
static bool take_item(struct measured *out, const struct judgement_list *list, size_t index)
{
	const struct judgement *item = &list->items[index];
	const struct timing_result *const timings[] = {item->has_timing ? &item->timing : NULL,
												   item->has_larger ? &item->larger : NULL};
	bool ok = true;
	take_run(out, &list->facts);
	COPY(out->content, item->content);
	COPY(out->tokens, item->tokens);
	COPY(out->problem, item->problem);
	COPY(out->verdict, verdict_name(item->verdict));
	out->cases = (int64_t)(item->count + item->unlisted);
	out->accepted = (int64_t)item->accepted;
	COPY(out->repeatable, names_at(&names_of_bits_word, item->bits.repeatable));
	COPY(out->batch_invariant, names_at(&names_of_bits_word, item->bits.batch_invariant));
	out->file = clean_line(item->file);
	out->path = strdup("");
	out->detail = clean_line(item->detail);
	for (size_t i = 0; i < 2 && ok; i++)
		if (timings[i] != NULL && timings[i]->count > 0 && timings[i]->entries[0].ran)
			ok = take_time(out, timings[i], &timings[i]->entries[0]);
	return ok && out->file != NULL && out->path != NULL && out->detail != NULL &&
		   out->epilogue != NULL && out->suites != NULL && out->case_names != NULL &&
		   out->nvcc_flags != NULL && take_counters(out, item) && take_bench(out, list, index);
}

bool measured_read_report(const char *path, struct measured_list *out, struct error *err)
{
	struct report_read report;
	bool ok = true;
	*out = (struct measured_list){0};
	if (!report_read_file(path, &report, err))
		return false;
	for (size_t i = 0; i < report.list.count && ok; i++) {
		struct measured *item = measured_add(out);
		ok = (item != NULL && take_item(item, &report.list, i)) || error_set(err, "out of memory");
	}
	report_read_free(&report);
	if (!ok)
		measured_list_free(out);
	return ok;
}
