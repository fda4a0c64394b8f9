#include "report/from_json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "judgement/names.h"

#define ENTRIES_MOST 64 /* of a table of times */

/* ---- members ---------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	return text != NULL ? text : "";
}

#define COPY(to, object, name) snprintf(to, sizeof(to), "%s", text_of(object, name))

/* NaN and the infinities are texts. */
static double real_of(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);
	return text != NULL ? strtod(text, NULL) : json_number_value(value);
}

/* At least `least`, and what an int holds. */
static int whole_of(const json_t *object, const char *name, int least)
{
	const json_int_t value = json_integer_value(json_object_get(object, name));
	return value < least ? least : value > INT_MAX ? INT_MAX : (int)value;
}

static uint64_t count_of(const json_t *object, const char *name)
{
	const json_int_t value = json_integer_value(json_object_get(object, name));
	return value > 0 ? (uint64_t)value : 0;
}

static bool flag_of(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* Of a batch, the rows of all matrices are counted through. */
static int32_t row_of(const json_t *object, const char *batch, const char *row, int rows)
{
	const int64_t all = (int64_t)whole_of(object, batch, 0) * rows + whole_of(object, row, 0);
	return all > INT32_MAX ? INT32_MAX : (int32_t)all;
}

/* ---- cases ------------------------------------------------------------------------------ */

static void take_test(const json_t *json, const struct problem *problem, struct test_case *out)
{
	static const char *const sizes[SIZE_COUNT] = {[SIZE_BATCH] = "batch",
												  [SIZE_M] = "m",
												  [SIZE_N] = "n",
												  [SIZE_K] = "k",
												  [SIZE_GROUP] = "group"};
	const json_t *scalars = json_object_get(json, "scalars");
	const json_t *operands = json_object_get(json, "operands");
	COPY(out->name, json, "name");
	for (int i = 0; i < SIZE_COUNT; i++)
		out->shape.size[i] = whole_of(json, sizes[i], 1);
	case_neutral_scalars(out);
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		out->scalar[row->is] = (float)real_of(scalars, row->name);
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const json_t *values = json_object_get(operands, problem->operands[i].name);
		distribution_parse(text_of(values, "distribution"), &out->values[i].distribution);
		out->values[i].scale = (float)real_of(values, "scale");
		out->values[i].low = (float)real_of(values, "low");
		out->values[i].share = (float)real_of(values, "share");
	}
	out->seed = strtoull(text_of(json, "seed"), NULL, 0);
	out->exact = flag_of(json, "exact");
}

static void take_check(const json_t *json, int rows, struct check_facts *out)
{
	const json_t *first = json_object_get(json, "first_wrong");
	const size_t shown = json_array_size(first);
	out->elements = count_of(json, "elements");
	out->wrong = count_of(json, "wrong");
	out->untouched = count_of(json, "untouched");
	out->read = count_of(json, "read");
	out->worst_ratio = real_of(json, "worst_ratio");
	out->worst_error = real_of(json, "worst_error");
	out->worst_row = row_of(json, "worst_batch", "worst_row", rows);
	out->worst_column = whole_of(json, "worst_column", 0);
	out->shown = shown < CHECK_SHOWN ? (uint32_t)shown : CHECK_SHOWN;
	for (uint32_t i = 0; i < out->shown; i++) {
		const json_t *element = json_array_get(first, i);
		out->first[i] = (struct wrong_element){.row = row_of(element, "batch", "row", rows),
											   .column = whole_of(element, "column", 0),
											   .unwritten = !flag_of(element, "written"),
											   .got = real_of(element, "got"),
											   .want = real_of(element, "want"),
											   .bound = real_of(element, "bound")};
	}
}

static bool take_case(const json_t *json, const struct problem *problem, struct case_result *out,
					  struct error *err)
{
	const json_t *check = json_object_get(json, "check");
	const char *output = json_string_value(json_object_get(json, "output"));
	take_test(json, problem, &out->test);
	if (!verdict_of_name(text_of(json, "verdict"), &out->verdict))
		return error_set(err, "no verdict has the name '%.40s'", text_of(json, "verdict"));
	COPY(out->detail, json, "detail");
	out->seconds = real_of(json, "seconds");
	out->facts.peak_bytes = (int64_t)count_of(json, "device_bytes");
	out->steps = count_of(json, "steps");
	out->output = output != NULL ? strdup(output) : NULL;
	out->checked = json_is_object(check);
	if (out->checked)
		take_check(check, out->test.shape.size[SIZE_M], &out->check);
	return true;
}

static bool take_cases(const json_t *cases, const struct problem *problem, struct judgement *out,
					   struct error *err)
{
	const size_t count = json_array_size(cases);
	if (count == 0)
		return true;
	out->cases = calloc(count, sizeof *out->cases);
	if (out->cases == NULL)
		return error_set(err, "out of memory");
	for (out->count = 0; out->count < count; out->count++)
		if (!take_case(json_array_get(cases, out->count), problem, &out->cases[out->count], err))
			return false;
	return true;
}

/* ---- times ------------------------------------------------------------------------------ */

static struct timing_stats stats_of_json(const json_t *json)
{
	return (struct timing_stats){.samples = (uint32_t)whole_of(json, "samples", 0),
								 .median = real_of(json, "median_us"),
								 .min = real_of(json, "min_us"),
								 .p95 = real_of(json, "p95_us"),
								 .low = real_of(json, "low_us"),
								 .high = real_of(json, "high_us")};
}

/* Where other times count than what the process says, the entry's own microseconds are these: of
 * the host, or the process's, all of them moved as the median is (harness/README.md). */
static void take_seal(const json_t *entry, struct timing_entry *out)
{
	const json_t *json = json_object_get(entry, "sealed");
	struct timing_seal *seal = &out->seal;
	for (int state = SEAL_NONE; state <= SEAL_UNCERTAIN; state++)
		if (seal_state_is(text_of(json, "state"), (enum seal_state)state))
			seal->state = (enum seal_state)state;
	COPY(seal->why, json, "why");
	seal->outside = real_of(json, "outside");
	seal->uncertainty = real_of(json, "uncertainty");
	seal->idle = real_of(json, "idle");
	seal->least = real_of(json, "least");
	seal->slowed = flag_of(json, "slowed");
	seal->floor = real_of(json, "floor");
	seal->calls = (uint32_t)whole_of(json, "calls", 0);
	seal->passes = (uint32_t)whole_of(json, "passes", 0);
	const struct timing_stats own = *timing_own(out);
	const double shown = real_of(entry, "microseconds"), by = shown - own.median;
	const double low = real_of(entry, "low_us"), high = real_of(entry, "high_us");
	if (seal->state == SEAL_OUTSIDE)
		seal->shown = (struct timing_stats){.samples = seal->calls,
											.median = shown,
											.min = low,
											.p95 = high,
											.low = low,
											.high = high};
	else if (seal->state == SEAL_CONFIRMED && shown != own.median)
		seal->shown = (struct timing_stats){.samples = own.samples,
											.median = shown,
											.min = own.min + by,
											.p95 = own.p95 + by,
											.low = low,
											.high = high};
}

static void take_kernels(const json_t *entry, struct timing_entry *out)
{
	static const char *const sizes[] = {"grid", "block", "cluster"};
	const json_t *kernels = json_object_get(entry, "kernels");
	const size_t count = json_array_size(kernels);
	struct kernel_list *list = &out->kernels;
	out->has_kernels = json_is_array(kernels);
	list->shown = count < KERNELS_SHOWN ? (uint32_t)count : KERNELS_SHOWN;
	list->run = list->shown + (uint32_t)whole_of(entry, "kernels_left_out", 0);
	for (uint32_t i = 0; i < list->shown; i++) {
		const json_t *json = json_array_get(kernels, i);
		struct kernel_launch *kernel = &list->first[i];
		uint32_t *const into[] = {kernel->grid, kernel->block, kernel->cluster};
		COPY(kernel->name, json, "name");
		for (int which = 0; which < 3; which++)
			for (size_t axis = 0; axis < 3; axis++)
				into[which][axis] = (uint32_t)json_integer_value(
					json_array_get(json_object_get(json, sizes[which]), axis));
		kernel->registers = (uint32_t)whole_of(json, "registers", 0);
		kernel->shared_bytes = (uint32_t)whole_of(json, "shared_bytes", 0);
	}
}

static void take_entry(const json_t *json, struct timing_entry *out)
{
	COPY(out->label, json, "label");
	for (int role = TIMING_FILE; role <= TIMING_PROGRAM; role++)
		if (timing_role_is(text_of(json, "role"), (enum timing_role)role))
			out->role = (enum timing_role)role;
	COPY(out->schedule, json, "schedule");
	out->ran = flag_of(json, "ran");
	verdict_of_name(text_of(json, "verdict"), &out->verdict);
	COPY(out->detail, json, "detail");
	out->span = stats_of_json(json_object_get(json, "span"));
	out->event = stats_of_json(json_object_get(json, "event"));
	take_seal(json, out);
	take_kernels(json, out);
	out->activities = (uint32_t)whole_of(json, "activities_per_call", 0);
	out->tflops = real_of(json, "tflops");
	out->wrong = count_of(json, "wrong_elements");
}

/* Whether there is one. */
static bool take_timing(const json_t *json, struct timing_result *out)
{
	const json_t *entries = json_object_get(json, "entries");
	const struct problem *problem = problem_find(text_of(json, "problem"));
	const size_t count = json_array_size(entries);
	if (problem == NULL || count == 0 || count > ENTRIES_MOST)
		return false;
	out->entries = calloc(count, sizeof *out->entries);
	if (out->entries == NULL)
		return false;
	COPY(out->problem, json, "problem");
	take_test(json_object_get(json, "case"), problem, &out->test);
	for (out->count = 0; out->count < count; out->count++)
		take_entry(json_array_get(entries, out->count), &out->entries[out->count]);
	out->sm_clock_mhz_min = real_of(json, "sm_clock_mhz_min");
	out->sm_clock_mhz_median = real_of(json, "sm_clock_mhz_median");
	out->sm_clock_mhz_limit = real_of(json, "sm_clock_mhz_limit");
	out->throttled = flag_of(json, "throttled");
	COPY(out->throttle_reason, json, "throttle_reason");
	out->wide = flag_of(json, "wide_interval");
	out->seconds = real_of(json, "seconds");
	out->sets = (uint32_t)whole_of(json, "input_sets", 0);
	return true;
}

/* ---- a result ---------------------------------------------------------------------------- */

static void take_hints(const json_t *hints, struct judgement *out)
{
	for (size_t i = 0; i < json_array_size(hints) && i < HINTS_MAX; i++) {
		const char *hint = json_string_value(json_array_get(hints, i));
		snprintf(out->hints[out->hint_count++], HINT_TEXT, "%s", hint != NULL ? hint : "");
	}
}

static void take_layers(const json_t *guarantees, struct judgement *out)
{
	unsigned layer;
	const char *name;
	out->was_run = json_is_array(guarantees);
	for (size_t i = 0; i < json_array_size(guarantees); i++)
		for (size_t k = 0; (name = layers_name(k, &layer)) != NULL; k++)
			if (json_is_string(json_array_get(guarantees, i)) &&
				strcmp(json_string_value(json_array_get(guarantees, i)), name) == 0)
				out->layers |= layer;
}

static bool take_result(const json_t *json, struct judgement *out, struct error *err)
{
	const json_t *compile = json_object_get(json, "compile");
	const json_t *report = json_object_get(json, "tool_report");
	const json_t *cases = json_object_get(json, "cases");
	COPY(out->file, json, "file");
	COPY(out->problem, json, "problem");
	COPY(out->content, json, "content");
	const struct problem *problem = problem_find(out->problem);
	if (!verdict_of_name(text_of(json, "verdict"), &out->verdict))
		return error_set(err, "no verdict has the name '%.40s'", text_of(json, "verdict"));
	if (problem == NULL && json_array_size(cases) > 0)
		return error_set(err, "no problem has the name '%.40s'", out->problem);
	COPY(out->detail, json, "detail");
	COPY(out->schedule, json, "schedule");
	COPY(out->device, json, "device");
	take_hints(json_object_get(json, "hints"), out);
	take_layers(json_object_get(json, "guarantees"), out);
	out->compile_log = strdup(text_of(compile, "log"));
	out->compile_seconds = real_of(compile, "seconds");
	out->compile_cached = flag_of(compile, "cached");
	out->accepted = (size_t)count_of(json, "cases_accepted");
	out->too_large = (size_t)count_of(json, "cases_too_large");
	out->tool_report = json_is_string(report) ? strdup(json_string_value(report)) : NULL;
	out->has_timing = take_timing(json_object_get(json, "timing"), &out->timing);
	out->has_larger = take_timing(json_object_get(json, "larger_timing"), &out->larger);
	COPY(out->timing_note, json, "timing_note");
	return take_cases(cases, problem, out, err);
}

/* ---- a run ------------------------------------------------------------------------------- */

static const char *const *take_texts(const json_t *list, const char *out[FROM_JSON_TEXTS])
{
	size_t count = 0;
	for (size_t i = 0; i < json_array_size(list) && count + 1 < FROM_JSON_TEXTS; i++)
		if (json_is_string(json_array_get(list, i)))
			out[count++] = json_string_value(json_array_get(list, i));
	out[count] = NULL;
	return count > 0 ? out : NULL;
}

static void take_device(const json_t *json, struct run_facts *out)
{
	struct device_facts *device = &out->device;
	out->device_kind =
		device_kind_is(text_of(json, "kind"), DEVICE_EMULATED) ? DEVICE_EMULATED : DEVICE_CUDA;
	COPY(device->name, json, "name");
	out->devices = (size_t)whole_of(json, "count", 1);
	COPY(device->architecture, json, "architecture");
	device->multiprocessors = whole_of(json, "multiprocessors", 0);
	device->memory_bytes = count_of(json, "memory_bytes");
	device->l2_bytes = count_of(json, "l2_bytes");
	COPY(device->pci_bus_id, json, "pci_bus_id");
	COPY(device->driver, json, "driver");
	COPY(device->runtime, json, "runtime");
	COPY(device->library, json, "library");
}

static void take_run(const json_t *json, struct from_json *it)
{
	struct run_facts *out = &it->list.facts;
	COPY(out->version, json, "version");
	COPY(out->started, json, "started");
	COPY(out->command, json, "command");
	COPY(out->nvcc, json, "nvcc");
	out->seed = strtoull(text_of(json, "seed"), NULL, 0);
	out->suites = take_texts(json_object_get(json, "suites"), it->suites);
	out->nvcc_flags = take_texts(json_object_get(json, "nvcc_flags"), it->nvcc_flags);
	out->max_dim = whole_of(json, "max_dim", 0);
	out->multiple = whole_of(json, "multiple_of", 0);
	COPY(out->sizes, json, "sizes");
	COPY(out->tolerance, json, "tolerance");
	COPY(out->epilogue, json, "epilogue");
	COPY(out->tool, json, "tool");
	out->interrupted = flag_of(json, "interrupted");
	take_device(json_object_get(json, "device"), out);
}

bool from_json_read(const json_t *run, const json_t *result, struct from_json *out,
					struct error *err)
{
	*out = (struct from_json){0};
	out->list.items = calloc(1, sizeof *out->list.items);
	if (out->list.items == NULL)
		return error_set(err, "out of memory");
	out->list.count = 1;
	take_run(run, out);
	if (take_result(result, &out->list.items[0], err))
		return true;
	from_json_free(out);
	return false;
}

void from_json_free(struct from_json *it)
{
	judgement_list_free(&it->list);
}
