#include "report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "judgement/names.h"
#include "report/compare_json.h"
#include "report/denied.h"
#include "report/document.h"
#include "report/facts.h"
#include "report/json_parts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/reward.h"

/* json_*_set_new() takes a NULL value for a failure and lets go of it, so that
 * memory running out leaves a member out and nothing else. */

static json_t *text(const char *value)
{
	return document_text(value);
}

static json_t *real(double value)
{
	return document_real(value);
}

/* 64-bit seeds do not fit the numbers of most JSON readers. */
static json_t *seed(uint64_t value)
{
	char digits[32];
	snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value);
	return json_string(digits);
}

static json_t *device(const struct run_facts *facts)
{
	const struct device_facts *device = &facts->device;
	if (device->name[0] == '\0')
		return json_null(); /* nothing was to be run */
	json_t *json = json_object();
	json_object_set_new(json, "kind", json_string(device_kind_name(facts->device_kind)));
	json_object_set_new(json, "name", text(device->name));
	json_object_set_new(json, "count", json_integer((json_int_t)facts->devices));
	json_object_set_new(json, "architecture", text(device->architecture));
	json_object_set_new(json, "multiprocessors", json_integer(device->multiprocessors));
	json_object_set_new(json, "memory_bytes", json_integer((json_int_t)device->memory_bytes));
	json_object_set_new(json, "l2_bytes", json_integer((json_int_t)device->l2_bytes));
	json_object_set_new(json, "sm_clock_mhz", real(device->sm_clock_khz / 1000.0));
	json_object_set_new(json, "pci_bus_id", text(device->pci_bus_id));
	json_object_set_new(json, "driver", text(device->driver));
	json_object_set_new(json, "runtime", text(device->runtime));
	json_object_set_new(json, "library", text(device->library));
	return json;
}

/* A NULL-ended list, or NULL. */
static json_t *texts(const char *const *list)
{
	json_t *json = json_array();
	for (; list != NULL && *list != NULL; list++)
		json_array_append_new(json, text(*list));
	return json;
}

static json_t *values(const struct value_spec *values)
{
	json_t *json = json_object();
	json_object_set_new(json, "distribution", text(distribution_name(values->distribution)));
	json_object_set_new(json, "scale", real((double)values->scale));
	if (values->low != 0)
		json_object_set_new(json, "low", real((double)values->low));
	if (values->share != 0)
		json_object_set_new(json, "share", real((double)values->share));
	return json;
}

/* m, n and k are there always, what else a problem has by its own names. */
static void set_test(json_t *json, const struct problem *problem, const struct test_case *test)
{
	const int32_t *size = test->shape.size;
	json_object_set_new(json, "name", text(test->name));
	json_object_set_new(json, "m", json_integer(size[SIZE_M]));
	json_object_set_new(json, "n", json_integer(size[SIZE_N]));
	json_object_set_new(json, "k", json_integer(size[SIZE_K]));
	json_object_set_new(json, "batch", json_integer(size[SIZE_BATCH]));
	json_object_set_new(json, "group", json_integer(size[SIZE_GROUP]));
	json_object_set_new(json, "alpha", real((double)test->scalar[SCALAR_ALPHA]));
	json_object_set_new(json, "beta", real((double)test->scalar[SCALAR_BETA]));
	json_t *scalars = json_object(), *operands = json_object();
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		json_object_set_new(scalars, row->name, real((double)test->scalar[row->is]));
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		json_object_set_new(operands, problem->operands[i].name, values(&test->values[i]));
	json_object_set_new(json, "scalars", scalars);
	json_object_set_new(json, "operands", operands);
	json_object_set_new(json, "seed", seed(test->seed));
	json_object_set_new(json, "exact", json_boolean(test->exact));
}

static json_t *wrong_element(const struct test_case *test, const struct wrong_element *element)
{
	json_t *json = json_object();
	int rows = test->shape.size[SIZE_M];
	json_object_set_new(json, "batch", json_integer(element->row / rows));
	json_object_set_new(json, "row", json_integer(element->row % rows));
	json_object_set_new(json, "column", json_integer(element->column));
	json_object_set_new(json, "written", json_boolean(!element->unwritten));
	json_object_set_new(json, "got", real(element->got));
	json_object_set_new(json, "want", real(element->want));
	json_object_set_new(json, "bound", real(element->bound));
	return json;
}

/* A row of cells in a text: thousands of numbers would be a line each. */
static json_t *map(const struct wrong_facts *wrong)
{
	const struct wrong_map *map = &wrong->map;
	json_t *json = json_object(), *cells = json_array();
	json_object_set_new(json, "rows", json_integer(map->rows));
	json_object_set_new(json, "columns", json_integer(map->columns));
	json_object_set_new(json, "height", json_integer(map->height));
	json_object_set_new(json, "width", json_integer(map->width));
	json_object_set_new(json, "top", json_integer(wrong->places.top));
	json_object_set_new(json, "bottom", json_integer(wrong->places.bottom));
	json_object_set_new(json, "left", json_integer(wrong->places.left));
	json_object_set_new(json, "right", json_integer(wrong->places.right));
	for (size_t row = 0; row < map->rows && row < MAP_CELLS; row++) {
		char line[MAP_CELLS * 11 + 1];
		size_t used = 0;
		for (size_t column = 0; column < map->columns && column < MAP_CELLS; column++)
			used += (size_t)snprintf(line + used, sizeof line - used, "%s%u", column > 0 ? " " : "",
									 map->wrong[row][column]);
		json_array_append_new(cells, json_stringn(line, used));
	}
	json_object_set_new(json, "cells", cells);
	return json;
}

static json_t *check(const struct problem *problem, const struct case_result *result)
{
	const struct check_facts *check = &result->check;
	int rows = result->test.shape.size[SIZE_M];
	uint64_t extra_changed = 0;
	json_t *json = json_object(), *changed = json_object(), *first = json_array();
	json_object_set_new(json, "elements", json_integer((json_int_t)check->elements));
	json_object_set_new(json, "wrong", json_integer((json_int_t)check->wrong));
	json_object_set_new(json, "untouched", json_integer((json_int_t)check->untouched));
	json_object_set_new(json, "read", json_integer((json_int_t)check->read));
	json_object_set_new(json, "worst_ratio", real(check->worst_ratio));
	json_object_set_new(json, "worst_error", real(check->worst_error));
	json_object_set_new(json, "worst_batch", json_integer(check->worst_row / rows));
	json_object_set_new(json, "worst_row", json_integer(check->worst_row % rows));
	json_object_set_new(json, "worst_column", json_integer(check->worst_column));
	size_t operands = problem_operands(problem);
	for (size_t i = 0; i < BUFFERS_MAX; i++)
		if (i >= operands)
			extra_changed += check->changed[i];
		else if (problem->operands[i].role == ROLE_INPUT)
			json_object_set_new(changed, problem->operands[i].name,
								json_integer((json_int_t)check->changed[i]));
	json_object_set_new(json, "changed", changed);
	json_object_set_new(json, "guard_changed", json_integer((json_int_t)check->guard_changed));
	json_object_set_new(json, "extra_changed", json_integer((json_int_t)extra_changed));
	json_object_set_new(json, "extra_wrong", json_integer((json_int_t)check->extra_wrong));
	json_object_set_new(json, "reference_spot_checks", json_integer(check->reference_spot_checks));
	json_object_set_new(json, "reference_disagreements",
						json_integer(check->reference_disagreements));
	for (uint32_t i = 0; i < check->shown && i < CHECK_SHOWN; i++)
		json_array_append_new(first, wrong_element(&result->test, &check->first[i]));
	json_object_set_new(json, "first_wrong", first);
	if (result->wrong != NULL && result->wrong->map.rows > 0)
		json_object_set_new(json, "map", map(result->wrong));
	return json;
}

json_t *json_parts_case(const struct problem *problem, const struct case_result *result)
{
	json_t *json = json_object();
	set_test(json, problem, &result->test);
	json_object_set_new(json, "verdict", text(verdict_name(result->verdict)));
	json_object_set_new(json, "detail", text(result->detail));
	json_object_set_new(json, "seconds", real(result->seconds));
	json_object_set_new(json, "device_bytes", json_integer(result->facts.peak_bytes));
	json_object_set_new(json, "steps",
						result->steps > 0 ? json_integer((json_int_t)result->steps) : json_null());
	json_object_set_new(json, "output",
						result->output != NULL ? text(result->output) : json_null());
	json_object_set_new(json, "check", result->checked ? check(problem, result) : json_null());
	return json;
}

static json_t *stats(const struct timing_stats *stats)
{
	if (stats->samples == 0)
		return json_null();
	json_t *json = json_object();
	json_object_set_new(json, "samples", json_integer(stats->samples));
	json_object_set_new(json, "median_us", real(stats->median));
	json_object_set_new(json, "min_us", real(stats->min));
	json_object_set_new(json, "p95_us", real(stats->p95));
	json_object_set_new(json, "low_us", real(stats->low));
	json_object_set_new(json, "high_us", real(stats->high));
	return json;
}

static json_t *passes(const struct timing_passes *passes)
{
	json_t *json = json_array();
	for (uint32_t i = 0; passes != NULL && i < passes->count; i++)
		json_array_append_new(json, real((double)passes->microseconds[i]));
	return json;
}

static json_t *positive(double value)
{
	return value > 0.0 ? real(value) : json_null();
}

static json_t *dimensions(const uint32_t size[3])
{
	json_t *json = json_array();
	for (int i = 0; i < 3; i++)
		json_array_append_new(json, json_integer(size[i]));
	return json;
}

/* Only where they were recorded. */
static void set_kernels(json_t *json, const struct timing_entry *entry)
{
	const struct kernel_list *list = &entry->kernels;
	if (!entry->has_kernels)
		return;
	json_t *kernels = json_array();
	for (uint32_t i = 0; i < list->shown; i++) {
		const struct kernel_launch *kernel = &list->first[i];
		json_t *item = json_object();
		json_object_set_new(item, "name", text(kernel->name));
		json_object_set_new(item, "grid", dimensions(kernel->grid));
		json_object_set_new(item, "block", dimensions(kernel->block));
		json_object_set_new(item, "cluster", dimensions(kernel->cluster));
		json_object_set_new(item, "registers", json_integer(kernel->registers));
		json_object_set_new(item, "shared_bytes", json_integer(kernel->shared_bytes));
		json_array_append_new(kernels, item);
	}
	json_object_set_new(json, "kernels", kernels);
	json_object_set_new(json, "kernels_left_out", json_integer(list->run - list->shown));
}

static json_t *sealed(const struct timing_seal *seal)
{
	json_t *json = json_object();
	json_object_set_new(json, "state", json_string(seal_state_name(seal->state)));
	if (seal->why[0] != '\0')
		json_object_set_new(json, "why", text(seal->why));
	if (seal->state == SEAL_NONE)
		return json;
	json_object_set_new(json, "outside", real(seal->outside));
	json_object_set_new(json, "uncertainty", real(seal->uncertainty));
	json_object_set_new(json, "idle", real(seal->idle));
	json_object_set_new(json, "least", real(seal->least));
	json_object_set_new(json, "slowed", json_boolean(seal->slowed));
	json_object_set_new(json, "floor", real(seal->floor));
	json_object_set_new(json, "calls", json_integer(seal->calls));
	json_object_set_new(json, "passes", json_integer(seal->passes));
	return json;
}

static json_t *timing_entry(const struct timing_result *timing, const struct timing_entry *entry,
							bool span)
{
	const struct facts_counted counted = facts_counted(timing, entry);
	json_t *json = json_object();
	json_object_set_new(json, "label", text(entry->label));
	json_object_set_new(json, "ran", json_boolean(entry->ran));
	json_object_set_new(json, "verdict", json_string(verdict_name(entry->verdict)));
	json_object_set_new(json, "detail", text(entry->detail));
	json_object_set_new(json, "span", stats(&entry->span));
	json_object_set_new(json, "event", stats(&entry->event));
	json_object_set_new(json, "sealed", sealed(&entry->seal));
	json_object_set_new(json, "passes_us", passes(counted.passes ? &entry->passes : NULL));
	json_object_set_new(json, "clock", json_string(counted.clock));
	json_object_set_new(json, "microseconds", real(counted.stats->median));
	json_object_set_new(json, "low_us", real(counted.stats->low));
	json_object_set_new(json, "high_us", real(counted.stats->high));
	json_object_set_new(json, "activities_per_call", json_integer(entry->activities));
	set_kernels(json, entry);
	json_object_set_new(json, "tflops", real(entry->tflops));
	json_object_set_new(json, "gbytes_per_s", real(facts_gbytes(timing, counted.stats->median)));
	json_object_set_new(json, "percent_of_cublas",
						positive(facts_percent_of(timing, entry, FACTS_CUBLAS, span)));
	json_object_set_new(json, "percent_of_cublaslt",
						positive(facts_percent_of(timing, entry, FACTS_CUBLASLT, span)));
	json_object_set_new(json, "ratio_to_fastest_library", positive(overall_ratio(timing, entry)));
	json_object_set_new(json, "wrong_elements", json_integer((json_int_t)entry->wrong));
	json_object_set_new(json, "role", json_string(timing_role_name(entry->role)));
	json_object_set_new(json, "schedule",
						entry->schedule[0] != '\0' ? text(entry->schedule) : json_null());
	if (entry->role == TIMING_FILE)
		compare_json_set(json, timing, entry, span);
	return json;
}

static json_t *timing(const struct timing_result *timing)
{
	bool span = facts_use_span(timing);
	json_t *json = json_object();
	json_object_set_new(json, "problem", text(timing->problem));
	json_t *test = json_object();
	set_test(test, problem_find(timing->problem), &timing->test);
	json_object_set_new(json, "case", test);
	json_object_set_new(json, "clock",
						json_string(timing_clock_name(span ? CLOCK_SPAN : CLOCK_EVENT)));
	json_t *entries = json_array();
	for (size_t i = 0; i < timing->count; i++)
		json_array_append_new(entries, timing_entry(timing, &timing->entries[i], span));
	json_object_set_new(json, "entries", entries);
	json_object_set_new(json, "floor_us", compare_json_floor(&timing->floor));
	const struct timing_entry *library = overall_library(timing);
	json_object_set_new(json, "fastest_library",
						library != NULL ? text(library->label) : json_null());
	json_object_set_new(json, "sm_clock_mhz_min", real(timing->sm_clock_mhz_min));
	json_object_set_new(json, "sm_clock_mhz_median", real(timing->sm_clock_mhz_median));
	json_object_set_new(json, "sm_clock_mhz_limit", real(timing->sm_clock_mhz_limit));
	json_object_set_new(json, "throttled", json_boolean(timing->throttled));
	json_object_set_new(json, "throttle_reason", text(timing->throttle_reason));
	json_object_set_new(json, "wide_interval", json_boolean(timing->wide));
	json_object_set_new(json, "seconds", real(timing->seconds));
	json_object_set_new(json, "input_sets", json_integer(timing->sets));
	return json;
}

static json_t *worst(const struct judgement *judgement)
{
	const struct case_result *result = facts_worst_case(judgement);
	if (result == NULL)
		return json_null();
	json_t *json = json_object();
	json_object_set_new(json, "case", text(result->test.name));
	json_object_set_new(json, "ratio", real(result->check.worst_ratio));
	json_object_set_new(json, "error", real(result->check.worst_error));
	int rows = result->test.shape.size[SIZE_M];
	json_object_set_new(json, "batch", json_integer(result->check.worst_row / rows));
	json_object_set_new(json, "row", json_integer(result->check.worst_row % rows));
	json_object_set_new(json, "column", json_integer(result->check.worst_column));
	return json;
}

static json_t *counters(const struct judgement *judgement)
{
	json_t *json = json_array();
	for (size_t i = 0; i < judgement->kernel_count; i++) {
		const struct kernel_counters *kernel = &judgement->kernels[i];
		json_t *item = json_object();
		json_object_set_new(item, "kernel", text(kernel->name));
		json_object_set_new(item, "demangled", text(kernel->shown));
		for (size_t k = 0; k < kernel->count; k++)
			json_object_set_new(item, kernel->counters[k].name,
								json_integer((json_int_t)kernel->counters[k].value));
		json_array_append_new(json, item);
	}
	return json;
}

/* Null where nothing of the file was run. */
static json_t *guarantees(const struct judgement *judgement)
{
	if (!judgement->was_run)
		return json_null();
	json_t *json = json_array();
	unsigned layer;
	const char *name;
	for (size_t i = 0; (name = layers_name(i, &layer)) != NULL; i++)
		if ((judgement->layers & layer) != 0)
			json_array_append_new(json, json_string(name));
	return json;
}

static json_t *hints(const struct judgement *judgement)
{
	json_t *json = json_array();
	for (size_t i = 0; i < judgement->hint_count; i++)
		json_array_append_new(json, text(judgement->hints[i]));
	return json;
}

json_t *json_parts_result(const struct judgement *judgement)
{
	char reason[FACTS_REASON];
	json_t *json = json_object();
	json_object_set_new(json, "file", text(judgement->file));
	json_object_set_new(json, "problem",
						judgement->problem[0] != '\0' ? text(judgement->problem) : json_null());
	json_object_set_new(json, "content",
						judgement->content[0] != '\0' ? text(judgement->content) : json_null());
	json_object_set_new(json, "verdict", text(verdict_name(judgement->verdict)));
	json_object_set_new(json, "detail", text(judgement->detail));
	json_object_set_new(json, "reason", text(facts_reason(judgement, reason)));
	json_object_set_new(json, "schedule",
						judgement->schedule[0] != '\0' ? text(judgement->schedule) : json_null());
	json_object_set_new(json, "device",
						judgement->device[0] != '\0' ? text(judgement->device) : json_null());
	json_object_set_new(json, "reward", reward_json(judgement));
	json_object_set_new(json, "hints", hints(judgement));
	json_object_set_new(json, "guarantees", guarantees(judgement));
	json_object_set_new(json, "denied", denied_json(&judgement->denied));
	json_object_set_new(json, "denied_more", json_integer((json_int_t)judgement->denied.more));
	json_t *compile = json_object();
	json_object_set_new(compile, "log",
						text(judgement->compile_log != NULL ? judgement->compile_log : ""));
	json_object_set_new(compile, "seconds", real(judgement->compile_seconds));
	json_object_set_new(compile, "cached", json_boolean(judgement->compile_cached));
	json_object_set_new(compile, "jailed", json_boolean((judgement->layers & LAYER_COMPILER) != 0));
	json_object_set_new(compile, "kernels", kernels_uses_json(judgement));
	json_object_set_new(json, "compile", compile);
	json_object_set_new(json, "cases_total", json_integer((json_int_t)judgement->count));
	json_object_set_new(json, "cases_accepted", json_integer((json_int_t)judgement->accepted));
	json_object_set_new(json, "worst", worst(judgement));
	json_object_set_new(json, "cases_too_large", json_integer((json_int_t)judgement->too_large));
	json_t *cases = json_array();
	for (size_t i = 0; i < judgement->count; i++)
		json_array_append_new(
			cases, json_parts_case(problem_find(judgement->problem), &judgement->cases[i]));
	json_object_set_new(json, "cases", cases);
	json_object_set_new(json, "counters",
						judgement->has_counters ? counters(judgement) : json_null());
	json_object_set_new(json, "tool_report",
						judgement->tool_report != NULL ? text(judgement->tool_report)
													   : json_null());
	json_object_set_new(json, "timing",
						judgement->has_timing ? timing(&judgement->timing) : json_null());
	json_object_set_new(json, "larger_timing",
						judgement->has_larger ? timing(&judgement->larger) : json_null());
	json_object_set_new(json, "timing_note", text(judgement->timing_note));
	return json;
}

static json_t *overalls(const struct judgement_list *list)
{
	struct overall overall;
	json_t *json = json_array();
	for (size_t at = 0; overall_next(list, &at, &overall);) {
		json_t *item = json_object();
		json_object_set_new(item, "problem", text(overall.problem));
		json_object_set_new(item, "label", text(overall.label));
		json_object_set_new(item, "shapes", json_integer((json_int_t)overall.shapes));
		json_object_set_new(item, "not_measured", json_integer((json_int_t)overall.not_measured));
		json_object_set_new(item, "geometric_mean", positive(overall.mean));
		json_object_set_new(item, "worst", positive(overall.worst));
		json_object_set_new(item, "worst_case",
							overall.worst_at != NULL ? text(overall.worst_at->test.name)
													 : json_null());
		json_object_set_new(item, "below_0.9", json_integer((json_int_t)overall.slow));
		json_array_append_new(json, item);
	}
	return json;
}

static json_t *rank_row(const struct judgement_list *list, const struct ranking_row *row)
{
	const struct judgement *item = row->item;
	json_t *json = json_object();
	json_object_set_new(json, "rank", row->rank > 0 ? json_integer(row->rank) : json_null());
	json_object_set_new(json, "result", json_integer(item - list->items));
	json_object_set_new(json, "file", text(item->file));
	json_object_set_new(json, "microseconds", positive(row->microseconds));
	json_object_set_new(json, "confirmed",
						row->microseconds > 0.0 ? json_boolean(row->confirmed) : json_null());
	json_object_set_new(json, "ratio_to_fastest_library", positive(row->ratio));
	json_object_set_new(json, "same_as", row->same != NULL ? text(row->same->file) : json_null());
	return json;
}

static json_t *ranked(const struct judgement_list *list)
{
	struct ranking ranking = ranking_make(list);
	json_t *json = json_array();
	for (size_t i = 0; i < ranking.count; i++)
		json_array_append_new(json, rank_row(list, &ranking.rows[i]));
	ranking_free(&ranking);
	return json;
}

/* ---- the whole --------------------------------------------------------- */

/* Results and timings are made and written one by one: a tree of all would be many times what the
 * judge itself keeps of them. */
static void put_members(FILE *out, json_t *object, const char *before)
{
	const char *name;
	json_t *value;
	json_object_foreach(object, name, value)
	{
		fprintf(out, "%s\n  \"%s\": ", before, name);
		document_put(json_incref(value), 2, out);
		before = ",";
	}
	json_decref(object);
}

static void put_list(FILE *out, const char *name, const struct judgement_list *list, size_t count,
					 json_t *(*item)(const struct judgement_list *list, size_t i))
{
	fprintf(out, ",\n  \"%s\": [", name);
	for (size_t i = 0; i < count; i++) {
		fputs(i > 0 ? ",\n    " : "\n    ", out);
		document_put(item(list, i), 4, out);
	}
	fputs(count > 0 ? "\n  ]" : "]", out);
}

static json_t *result_at(const struct judgement_list *list, size_t i)
{
	return json_parts_result(&list->items[i]);
}

static json_t *bench_at(const struct judgement_list *list, size_t i)
{
	return timing(&list->bench[i]);
}

json_t *json_parts_bench(const struct judgement_list *list)
{
	json_t *json = json_array();
	for (size_t i = 0; i < list->bench_count; i++)
		json_array_append_new(json, bench_at(list, i));
	return json;
}

/* What stands before the results. */
json_t *json_parts_run(const struct run_facts *facts)
{
	json_t *json = json_object();
	json_object_set_new(json, "schema_version", json_integer(REPORT_JSON_SCHEMA_VERSION));
	json_object_set_new(json, "program", json_string("gemmjudge"));
	json_object_set_new(json, "version", text(facts->version));
	json_object_set_new(json, "started", text(facts->started));
	json_object_set_new(json, "command", text(facts->command));
	json_object_set_new(json, "nvcc", facts->nvcc[0] != '\0' ? text(facts->nvcc) : json_null());
	json_object_set_new(json, "seed", seed(facts->seed));
	char *joined = facts_suites(facts);
	json_object_set_new(json, "suite", facts->suites != NULL ? text(joined) : json_null());
	json_object_set_new(json, "suites", texts(facts->suites));
	free(joined);
	json_object_set_new(json, "max_dim",
						facts->max_dim > 0 ? json_integer(facts->max_dim) : json_null());
	json_object_set_new(json, "multiple_of",
						facts->multiple > 1 ? json_integer(facts->multiple) : json_null());
	json_object_set_new(json, "sizes", facts->sizes[0] != '\0' ? text(facts->sizes) : json_null());
	json_object_set_new(json, "tolerance", text(facts->tolerance));
	json_object_set_new(json, "nvcc_flags", texts(facts->nvcc_flags));
	json_object_set_new(json, "epilogue",
						facts->epilogue[0] != '\0' ? text(facts->epilogue) : json_null());
	json_object_set_new(json, "tool", facts->tool[0] != '\0' ? text(facts->tool) : json_null());
	json_object_set_new(json, "interrupted", json_boolean(facts->interrupted));
	json_object_set_new(json, "device", device(facts));
	return json;
}

static json_t *single(const char *name, json_t *value)
{
	json_t *json = json_object();
	json_object_set_new(json, name, value);
	return json;
}

void report_json(const struct judgement_list *list, FILE *out)
{
	char warning[256];
	bool wrong = facts_gpu_wrong(warning, sizeof warning, list);
	put_members(out, json_parts_run(&list->facts), "{");
	put_list(out, "results", list, list->count, result_at);
	put_members(out, single("ranking", ranked(list)), ",");
	put_list(out, "bench", list, list->bench_count, bench_at);
	put_members(out, single("overall", overalls(list)), ",");
	put_members(out, single("gpu_computes_wrongly", json_boolean(wrong)), ",");
	fputs("\n}\n", out);
}
