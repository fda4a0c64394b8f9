#include "store/measured.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/clean.h"
#include "report/facts.h"
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
	if (problem != NULL)
		shape_print(problem, &time->shape, out);
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
	snprintf(out, MEASURED_SHAPE, "%s (%s)%s%s", sizes, legend, scalars[0] != '\0' ? ", " : "",
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

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	return text != NULL ? text : "";
}

static double real_of(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/* Made fit for a line: whoever wrote the report may steer no terminal. The caller frees it. */
static char *clean_of(const char *text)
{
	char *clean = clean_text(text);
	for (char *p = clean; p != NULL && *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return clean;
}

static void copy_of(char *out, size_t capacity, const json_t *object, const char *name)
{
	char *clean = clean_of(text_of(object, name));
	snprintf(out, capacity, "%s", clean != NULL ? clean : "");
	free(clean);
}

#define COPY(out, object, name) copy_of(out, sizeof(out), object, name)

/* The text of a list as the store has it, of an empty one where it is none. */
static char *list_of(const json_t *list)
{
	return json_is_array(list) ? json_dumps(list, JSON_COMPACT) : strdup("[]");
}

/* Reports without "suites" have one text, commas between the names. */
static char *list_of_suites(const json_t *report)
{
	const json_t *suites = json_object_get(report, "suites");
	char *joined = strdup(text_of(report, "suite")), *rest = joined;
	if (json_is_array(suites) || joined == NULL) {
		free(joined);
		return list_of(suites);
	}
	json_t *list = json_array();
	for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
		json_array_append_new(list, json_string(name));
	char *text = list_of(list);
	json_decref(list);
	free(joined);
	return text;
}

static bool take_shape(struct measured_time *time, const json_t *test)
{
	static const char *const names[] = {[SIZE_M] = "m",
										[SIZE_N] = "n",
										[SIZE_K] = "k",
										[SIZE_BATCH] = "batch",
										[SIZE_GROUP] = "group"};
	for (int i = 0; i < SIZE_COUNT; i++)
		time->shape.size[i] = (int32_t)json_integer_value(json_object_get(test, names[i]));
	time->scalars = scalars_of_report(json_object_get(test, "scalars"));
	return json_is_object(test) && time->scalars != NULL;
}

/* Reports without the clock of an entry say which clock the whole timing is by, and of a
 * host-side time only its uncertainty. */
static void take_old_stats(struct measured_time *time, const json_t *timing, const json_t *entry)
{
	const json_t *sealed = json_object_get(entry, "sealed");
	bool outside = seal_state_is(time->seal, SEAL_OUTSIDE);
	double wide = real_of(sealed, "uncertainty");
	COPY(time->clock, timing, "clock");
	const json_t *stats = json_object_get(entry, time->clock);
	time->low = real_of(stats, "low_us");
	time->high = real_of(stats, "high_us");
	if (!outside)
		return;
	snprintf(time->clock, sizeof time->clock, "%s", timing_clock_name(CLOCK_OUTSIDE));
	time->low = fmax(real_of(sealed, "outside") - wide, 0.0);
	time->high = real_of(sealed, "outside") + wide;
}

/* The time that the report itself counts. */
static void take_stats(struct measured_time *time, const json_t *timing, const json_t *entry)
{
	COPY(time->seal, json_object_get(entry, "sealed"), "state");
	time->median = real_of(entry, "microseconds");
	if (!json_is_string(json_object_get(entry, "clock"))) {
		take_old_stats(time, timing, entry);
		return;
	}
	COPY(time->clock, entry, "clock");
	time->low = real_of(entry, "low_us");
	time->high = real_of(entry, "high_us");
}

static bool take_time(struct measured *out, const json_t *timing, const json_t *entry,
					  struct error *err)
{
	if (!json_is_true(json_object_get(entry, "ran")))
		return true;
	struct measured_time *time = measured_add_time(out);
	if (time == NULL)
		return error_set(err, "out of memory");
	COPY(time->problem, timing, "problem");
	take_stats(time, timing, entry);
	time->without_epilogue = timing_role_is(text_of(entry, "role"), TIMING_FILE_PLAIN);
	time->throttled = json_is_true(json_object_get(timing, "throttled"));
	time->sm_clock_mhz = real_of(timing, "sm_clock_mhz_median");
	COPY(time->library, timing, "fastest_library");
	const json_t *other;
	size_t i;
	json_array_foreach(json_object_get(timing, "entries"), i,
					   other) if (timing_role_is(text_of(other, "role"), TIMING_LIBRARY) &&
								  strcmp(text_of(other, "label"), time->library) == 0)
		time->library_microseconds = real_of(other, "microseconds");
	const json_t *passes = json_object_get(entry, "passes_us");
	return (take_shape(time, json_object_get(timing, "case")) &&
			(passes == NULL || take_passes(time, passes))) ||
		   error_set(err, "a timing in it has no case, or passes that are no numbers");
}

/* Entries of files come in the order of the results of their problem, in a comparison twice. */
static bool take_bench(struct measured *out, const json_t *report, size_t index, struct error *err)
{
	const json_t *timing, *entry, *result, *results = json_object_get(report, "results");
	size_t b, i, r, member = 0, members = 0;
	json_array_foreach(results, r, result)
	{
		bool same = strcmp(text_of(result, "problem"), out->problem) == 0;
		member += same && r < index;
		members += same;
	}
	json_array_foreach(json_object_get(report, "bench"), b, timing)
	{
		if (members == 0 || strcmp(text_of(timing, "problem"), out->problem) != 0)
			continue;
		json_array_foreach(json_object_get(timing, "entries"), i,
						   entry) if ((timing_role_is(text_of(entry, "role"), TIMING_FILE) ||
									   timing_role_is(text_of(entry, "role"), TIMING_FILE_PLAIN)) &&
									  i % members == member &&
									  !take_time(out, timing, entry, err)) return false;
	}
	return true;
}

static bool take_counters(struct measured *out, const json_t *result)
{
	const json_t *kernel;
	json_t *value;
	const char *name;
	size_t i;
	json_array_foreach(json_object_get(result, "counters"), i, kernel)
	{
		bool shown = json_is_string(json_object_get(kernel, "demangled"));
		json_object_foreach((json_t *)kernel, name, value)
		{
			if (!json_is_integer(value))
				continue;
			struct measured_counter *counter = measured_add_counter(out);
			if (counter == NULL)
				return false;
			counter->kernel = clean_of(text_of(kernel, shown ? "demangled" : "kernel"));
			counter->name = clean_of(name);
			counter->value = json_integer_value(value);
			if (counter->kernel == NULL || counter->name == NULL)
				return false;
		}
	}
	return true;
}

static bool take_result(struct measured *out, const json_t *report, size_t index,
						const json_t *result, struct error *err)
{
	static const char *const timings[] = {"timing", "larger_timing"};
	const json_t *device = json_object_get(report, "device");
	COPY(out->content, result, "content");
	COPY(out->when, report, "started");
	COPY(out->problem, result, "problem");
	COPY(out->verdict, result, "verdict");
	COPY(out->device_kind, device, "kind");
	COPY(out->device, device, "name");
	COPY(out->driver, device, "driver");
	COPY(out->nvcc, report, "nvcc");
	COPY(out->library, device, "library");
	COPY(out->tolerance, report, "tolerance");
	out->cases = json_integer_value(json_object_get(result, "cases_total"));
	out->accepted = json_integer_value(json_object_get(result, "cases_accepted"));
	out->file = clean_of(text_of(result, "file"));
	out->path = strdup("");
	out->detail = clean_of(text_of(result, "detail"));
	out->epilogue = clean_of(text_of(report, "epilogue"));
	out->nvcc_flags = list_of(json_object_get(report, "nvcc_flags"));
	out->suites = list_of_suites(report);
	bool ok =
		(out->file != NULL && out->path != NULL && out->detail != NULL && out->epilogue != NULL &&
		 out->suites != NULL && out->nvcc_flags != NULL && take_counters(out, result)) ||
		error_set(err, "out of memory");
	for (size_t i = 0; i < 2 && ok; i++) {
		const json_t *timing = json_object_get(result, timings[i]);
		if (json_is_object(timing))
			ok = take_time(out, timing, json_array_get(json_object_get(timing, "entries"), 0), err);
	}
	return ok && take_bench(out, report, index, err);
}

static bool take_results(struct measured_list *out, const json_t *report, const json_t *results,
						 struct error *err)
{
	size_t i;
	const json_t *result;
	json_array_foreach(results, i, result)
	{
		struct measured *item = measured_add(out);
		if (item == NULL)
			return error_set(err, "out of memory");
		if (!take_result(item, report, i, result, err))
			return false;
	}
	return true;
}

bool measured_read_report(const char *path, struct measured_list *out, struct error *err)
{
	json_error_t why;
	json_t *report = json_load_file(path, 0, &why);
	const json_t *results = json_object_get(report, "results");
	bool ok = false;
	*out = (struct measured_list){0};
	if (report == NULL)
		error_set(err, "%s, line %d: %s", path, why.line, why.text);
	else if (strcmp(text_of(report, "program"), "gemmjudge") != 0 || !json_is_array(results))
		error_set(err, "%s is no report of gemmjudge", path);
	else if (json_integer_value(json_object_get(report, "schema_version")) != 2)
		error_set(err, "%s has a schema_version that this gemmjudge does not know", path);
	else if (json_array_size(results) == 0)
		error_set(err, "%s holds no result", path);
	else
		ok = take_results(out, report, results, err) || error_prefix(err, "%s", path);
	if (!ok)
		measured_list_free(out);
	json_decref(report);
	return ok;
}
