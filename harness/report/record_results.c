/* Members of the run and of a result that are made of others (record_functions.h). */
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "judgement/names.h"
#include "report/facts.h"
#include "report/read.h"
#include "report/record_functions.h"
#include "report/report.h"
#include "report/reward.h"

/* ---- the run -----------------------------------------------------------------------------------
 */

WRITE(run, schema_version)
{
	(void)at;
	return json_integer(REPORT_JSON_SCHEMA_VERSION);
}

WRITE(run, program)
{
	(void)at;
	return json_string("gemmjudge");
}

WRITE(run, suite)
{
	const struct run_description *facts = at->of;
	char *joined = facts->suites != NULL ? facts_suites(facts) : NULL;
	json_t *json = joined != NULL ? document_text(joined) : json_null();
	free(joined);
	return json;
}

static json_t *texts(const char *const *list)
{
	json_t *json = json_array();
	for (; list != NULL && *list != NULL; list++)
		json_array_append_new(json, document_text(*list));
	return json;
}

WRITE(run, suites)
{
	return texts(((const struct run_description *)at->of)->suites);
}

/* Texts of the JSON's own, which outlives what is read. */
static const char *const *texts_read(const json_t *list, const char *out[REPORT_READ_TEXTS])
{
	size_t count = 0;
	for (size_t i = 0; i < json_array_size(list) && count + 1 < REPORT_READ_TEXTS; i++)
		if (json_is_string(json_array_get(list, i)))
			out[count++] = json_string_value(json_array_get(list, i));
	out[count] = NULL;
	return count > 0 ? out : NULL;
}

READ(run, suites)
{
	struct report_read *into = at->context;
	(void)err;
	((struct run_description *)at->of)->suites = texts_read(value, into->suites);
	return true;
}

WRITE(run, nvcc_flags)
{
	return texts(((const struct run_description *)at->of)->nvcc_flags);
}

READ(run, nvcc_flags)
{
	struct report_read *into = at->context;
	(void)err;
	((struct run_description *)at->of)->nvcc_flags = texts_read(value, into->nvcc_flags);
	return true;
}

WRITE(run, multiple_of)
{
	const struct run_description *facts = at->of;
	return facts->multiple > 1 ? json_integer(facts->multiple) : json_null();
}

READ(run, multiple_of)
{
	(void)err;
	((struct run_description *)at->of)->multiple = whole_of(value, 0);
	return true;
}

WRITE(device, kind)
{
	const struct run_description *facts = at->parent->of;
	return json_string(device_kind_name(facts->device_kind));
}

READ(device, kind)
{
	struct run_description *facts = at->parent->of;
	(void)err;
	facts->device_kind =
		device_kind_is(text_of(value), DEVICE_EMULATED) ? DEVICE_EMULATED : DEVICE_CUDA;
	return true;
}

WRITE(device, count)
{
	return json_integer((json_int_t)((const struct run_description *)at->parent->of)->devices);
}

READ(device, count)
{
	(void)err;
	((struct run_description *)at->parent->of)->devices = (size_t)whole_of(value, 1);
	return true;
}

WRITE(device, sm_clock_mhz)
{
	return document_real(((const struct device_properties *)at->of)->sm_clock_khz / 1000.0);
}

READ(device, sm_clock_mhz)
{
	const double khz = record_real(value) * 1000.0;
	(void)err;
	((struct device_properties *)at->of)->sm_clock_khz = khz > 0 && khz < INT32_MAX ? (int)khz : 0;
	return true;
}

/* ---- a result ----------------------------------------------------------------------------------
 */

WRITE(use, of)
{
	return document_text(((const struct judgement *)within(at, &record_result)->of)->uses_of);
}

READ(use, of)
{
	struct judgement *item = within(at, &record_result)->of;
	(void)err;
	snprintf(item->uses_of, sizeof item->uses_of, "%s", text_of(value));
	return true;
}

WRITE(compile, log)
{
	const char *log = ((const struct judgement *)at->of)->compile_log;
	return document_text(log != NULL ? log : "");
}

READ(compile, log)
{
	char **log = &((struct judgement *)at->of)->compile_log;
	*log = strdup(text_of(value));
	return *log != NULL || error_set(err, "out of memory");
}

WRITE(compile, jailed)
{
	return json_boolean((((const struct judgement *)at->of)->layers & LAYER_COMPILER) != 0);
}

WRITE(bits, rows)
{
	const struct judged_bits *bits = at->of;
	json_t *json = json_array();
	for (uint32_t i = 0; i < bits->row_count && i < BITS_ROWS_MAX; i++)
		json_array_append_new(json, json_integer(bits->rows[i]));
	return json;
}

READ(bits, rows)
{
	struct judged_bits *bits = at->of;
	(void)err;
	for (size_t i = 0; i < json_array_size(value) && bits->row_count < BITS_ROWS_MAX; i++)
		bits->rows[bits->row_count++] = whole_of(json_array_get(value, i), 0);
	return true;
}

WRITE(result, reason)
{
	char reason[FACTS_REASON];
	return document_text(facts_reason(at->of, reason));
}

WRITE(result, reward)
{
	const struct reward reward = reward_of(at->of);
	json_t *json = json_object();
	json_object_set_new(json, "value", document_real(reward.value));
	json_object_set_new(json, "speed", document_positive(reward.speed));
	json_object_set_new(json, "cases", document_real(reward.accepted));
	json_object_set_new(json, "why", json_string(reward.why));
	return json;
}

WRITE(result, hints)
{
	const struct judgement *item = at->of;
	json_t *json = json_array();
	for (size_t i = 0; i < item->hint_count; i++)
		json_array_append_new(json, document_text(item->hints[i]));
	return json;
}

READ(result, hints)
{
	struct judgement *item = at->of;
	(void)err;
	for (size_t i = 0; i < json_array_size(value) && i < HINTS_MAX; i++)
		snprintf(item->hints[item->hint_count++], HINT_TEXT, "%s",
				 text_of(json_array_get(value, i)));
	return true;
}

WRITE(result, guarantees)
{
	const struct judgement *item = at->of;
	unsigned layer;
	const char *name;
	if (!item->was_run)
		return json_null();
	json_t *json = json_array();
	for (size_t i = 0; (name = layers_name(i, &layer)) != NULL; i++)
		if ((item->layers & layer) != 0)
			json_array_append_new(json, json_string(name));
	return json;
}

READ(result, guarantees)
{
	struct judgement *item = at->of;
	unsigned layer;
	const char *name;
	(void)err;
	item->was_run = json_is_array(value);
	for (size_t i = 0; i < json_array_size(value); i++)
		for (size_t k = 0; (name = layers_name(k, &layer)) != NULL; k++)
			if (strcmp(text_of(json_array_get(value, i)), name) == 0)
				item->layers |= layer;
	return true;
}

WRITE(result, cases_total)
{
	const struct judgement *item = at->of;
	return json_integer((json_int_t)(item->count + item->unlisted));
}

READ(result, cases_total)
{
	const size_t total = (size_t)whole_of(value, 0);
	const size_t listed = json_array_size(json_object_get(at->json, "cases"));
	(void)err;
	((struct judgement *)at->of)->unlisted = total > listed ? total - listed : 0;
	return true;
}

WRITE(result, worst)
{
	const struct case_result *result = facts_worst_case(at->of);
	if (result == NULL)
		return json_null();
	json_t *json = json_object();
	const int rows = result->test.shape.size[SIZE_M];
	json_object_set_new(json, "case", document_text(result->test.name));
	json_object_set_new(json, "ratio", document_real(result->check.worst_ratio));
	json_object_set_new(json, "error", document_real(result->check.worst_error));
	json_object_set_new(json, "batch", json_integer(result->check.worst_row / rows));
	json_object_set_new(json, "row", json_integer(result->check.worst_row % rows));
	json_object_set_new(json, "column", json_integer(result->check.worst_column));
	return json;
}

WRITE(result, counters)
{
	const struct judgement *item = at->of;
	if (!item->has_counters)
		return json_null();
	json_t *json = json_array();
	for (size_t i = 0; i < item->kernel_count; i++) {
		const struct kernel_counters *kernel = &item->kernels[i];
		json_t *one = json_object();
		json_object_set_new(one, "kernel", document_text(kernel->name));
		json_object_set_new(one, "demangled", document_text(kernel->shown));
		for (size_t k = 0; k < kernel->count; k++)
			json_object_set_new(one, kernel->counters[k].name,
								json_integer((json_int_t)kernel->counters[k].value));
		json_array_append_new(json, one);
	}
	return json;
}

static bool counters_read(const json_t *json, struct kernel_counters *out)
{
	const char *name, *kernel = text_of(json_object_get(json, "kernel"));
	const json_t *shown = json_object_get(json, "demangled");
	json_t *value;
	out->name = strdup(kernel);
	out->shown = strdup(json_is_string(shown) ? json_string_value(shown) : kernel);
	out->counters = calloc(json_object_size(json) + 1, sizeof *out->counters);
	if (out->name == NULL || out->shown == NULL || out->counters == NULL)
		return false;
	json_object_foreach((json_t *)(uintptr_t)json, name, value)
	{
		if (!json_is_integer(value))
			continue;
		struct counter *counter = &out->counters[out->count++];
		snprintf(counter->name, sizeof counter->name, "%s", name);
		counter->value = (uint64_t)json_integer_value(value);
	}
	return true;
}

READ(result, counters)
{
	struct judgement *item = at->of;
	const size_t count = json_array_size(value);
	item->has_counters = json_is_array(value);
	item->kernels = count > 0 ? calloc(count, sizeof *item->kernels) : NULL;
	if (item->kernels == NULL)
		return count == 0 || error_set(err, "out of memory");
	while (item->kernel_count < count) {
		const json_t *kernel = json_array_get(value, item->kernel_count);
		if (!counters_read(kernel, &item->kernels[item->kernel_count++]))
			return error_set(err, "out of memory");
	}
	return true;
}
