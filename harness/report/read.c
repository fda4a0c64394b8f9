#include "report/read.h"

#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "report/report.h"

static bool run_read(const json_t *run, struct report_read *out, struct error *err)
{
	const struct record_at at = {
		.record = &record_run, .of = &out->list.facts, .json = run, .context = out};
	return record_read(&at, err);
}

static bool result_read(const json_t *result, struct report_read *out, struct error *err)
{
	struct judgement *item = &out->list.items[out->list.count++];
	const struct record_at at = {
		.record = &record_result, .of = item, .json = result, .context = out};
	const bool ok = record_read(&at, err);
	item->has_timing = item->timing.count > 0; /* whoever shows one looks at its first entry */
	item->has_larger = item->larger.count > 0;
	return ok;
}

static bool timing_read(const json_t *timing, struct report_read *out, struct error *err)
{
	struct timing_result *into = &out->list.bench[out->list.bench_count++];
	const struct record_at at = {
		.record = &record_timing, .of = into, .json = timing, .context = out};
	return record_read(&at, err);
}

static bool lists_read(const json_t *results, const json_t *bench, struct report_read *out,
					   struct error *err)
{
	const size_t count = json_array_size(results), timings = json_array_size(bench);
	bool ok = true;
	out->list.items = calloc(count + 1, sizeof *out->list.items);
	out->list.bench = calloc(timings + 1, sizeof *out->list.bench);
	if (out->list.items == NULL || out->list.bench == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < count && ok; i++)
		ok = result_read(json_array_get(results, i), out, err);
	for (size_t i = 0; i < timings && ok; i++)
		ok = timing_read(json_array_get(bench, i), out, err);
	return ok;
}

bool report_read_result(const json_t *run, const json_t *result, struct report_read *out,
						struct error *err)
{
	*out = (struct report_read){0};
	out->list.items = calloc(1, sizeof *out->list.items);
	bool ok = out->list.items != NULL || error_set(err, "out of memory");
	if (ok && run_read(run, out, err) && result_read(result, out, err))
		return true;
	report_read_free(out);
	return false;
}

/* Whether it is one, of this version, with something in it. */
static bool is_report(const json_t *json, const char *path, struct error *err)
{
	const json_t *results = json_object_get(json, "results");
	const char *program = json_string_value(json_object_get(json, "program"));
	if (program == NULL || strcmp(program, "gemmjudge") != 0 || !json_is_array(results))
		return error_set(err, "%s is no report of gemmjudge", path);
	if (json_integer_value(json_object_get(json, "schema_version")) != REPORT_JSON_SCHEMA_VERSION)
		return error_set(err, "%s has a schema_version that this gemmjudge does not know", path);
	if (json_array_size(results) == 0)
		return error_set(err, "%s holds no result", path);
	return true;
}

bool report_read_file(const char *path, struct report_read *out, struct error *err)
{
	json_error_t why;
	*out = (struct report_read){.json = json_load_file(path, 0, &why)};
	bool ok = out->json != NULL || error_set(err, "%s, line %d: %s", path, why.line, why.text);
	ok = ok && is_report(out->json, path, err);
	if (ok)
		ok = (run_read(out->json, out, err) &&
			  lists_read(json_object_get(out->json, "results"), json_object_get(out->json, "bench"),
						 out, err)) ||
			 error_prefix(err, "%s", path);
	if (!ok)
		report_read_free(out);
	return ok;
}

void report_read_free(struct report_read *it)
{
	judgement_list_free(&it->list);
	json_decref(it->json);
	it->json = NULL;
}
