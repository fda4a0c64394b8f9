#include "cli/stored.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/outputs.h"
#include "report/clean.h"
#include "report/wrap.h"
#include "store/place.h"

bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err)
{
	char path[PATHS_MAX];
	*out = (struct measured_list){0};
	if (!store_place(options->store, path, err))
		return false;
	if (path[0] == '\0')
		return error_set(err, "GEMMJUDGE_STORE is none: name a store with --store");
	return store_find(path, filter, out, err);
}

int stored_show(const struct options *options, report_any_writer text, report_any_writer json,
				const void *found)
{
	struct error err;
	text(found, outputs_take_stdout(options) ? stderr : stdout);
	if (options->json == NULL || report_save_any(options->json, json, found, &err))
		return EXIT_ACCEPTED;
	return cli_fail(EXIT_CANNOT_RUN, &err);
}

const char *stored_microseconds(double microseconds, char out[STORED_NUMBER])
{
	int decimals = microseconds < 100.0 ? 2 : microseconds < 1000.0 ? 1 : 0;
	snprintf(out, STORED_NUMBER, "%.*f", decimals, microseconds);
	return out;
}

const char *stored_date(const struct measured *run, char out[STORED_DATE])
{
	snprintf(out, STORED_DATE, "%.16s", run->when);
	if (strlen(out) > 10)
		out[10] = ' ';
	return out;
}

const char *stored_name(const struct measured *run, int columns, char out[STORED_NAME])
{
	const char *slash = strrchr(run->file, '/');
	char *clean = clean_text(slash != NULL ? slash + 1 : run->file);
	const char *name = clean != NULL ? clean : "";
	size_t bytes = strlen(name);
	bool fits = wrap_columns(name, bytes) <= columns;
	int room = fits ? columns : columns - 3;
	while (bytes > 0 && (wrap_columns(name, bytes) > room || bytes > STORED_NAME - 4 ||
						 ((unsigned char)name[bytes] & 0xC0) == 0x80)) /* not within a character */
		bytes--;
	snprintf(out, STORED_NAME, "%.*s%s", (int)bytes, name, fits ? "" : "...");
	for (char *p = out; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = '?';
	free(clean);
	return out;
}

const char *stored_cell(const struct measured *run, int columns, char out[STORED_NAME])
{
	stored_name(run, columns, out);
	size_t bytes = strlen(out);
	int blanks = columns - wrap_columns(out, bytes);
	for (; blanks > 0 && bytes < STORED_NAME - 1; blanks--)
		out[bytes++] = ' ';
	out[bytes] = '\0';
	return out;
}

/* ---- JSON ------------------------------------------------------------------------- */

json_t *stored_text(const char *text)
{
	char *clean = clean_text(text);
	json_t *json = clean != NULL ? json_string(clean) : NULL;
	free(clean);
	return json;
}

static json_t *positive(double value)
{
	return value > 0.0 ? json_real(value) : json_null();
}

json_t *stored_time(const struct measured_time *time)
{
	char sizes[SHAPE_TEXT];
	json_t *json = json_object(), *passes = json_array();
	measured_sizes(time, sizes);
	json_object_set_new(json, "shape", json_string(sizes));
	columns_show(json, measured_time_columns, MEASURED_TIME_COLUMNS, time);
	for (size_t i = 0; i < time->pass_count; i++)
		json_array_append_new(passes, json_real(time->passes[i]));
	json_object_set_new(json, "passes_us", passes);
	json_object_set_new(json, "fastest_library",
						time->library[0] != '\0' ? stored_text(time->library) : json_null());
	json_object_set_new(json, "ratio_to_fastest_library", positive(measured_ratio(time)));
	return json;
}

/* The list of suites in one text, commas between the names. */
static void set_suite(json_t *json)
{
	char *joined = NULL;
	size_t size, i;
	const json_t *name;
	FILE *out = open_memstream(&joined, &size);
	if (out == NULL)
		return;
	json_array_foreach(json_object_get(json, "suites"), i, name)
		fprintf(out, "%s%s", i > 0 ? "," : "", json_string_value(name));
	if (fclose(out) == 0)
		json_object_set_new(json, "suite", json_string(joined));
	free(joined);
}

json_t *stored_run(const struct measured *run)
{
	json_t *json = json_object(), *times = json_array();
	json_object_set_new(json, "id", run->id > 0 ? json_integer(run->id) : json_null());
	columns_show(json, measured_columns, MEASURED_COLUMNS, run);
	set_suite(json);
	for (size_t i = 0; i < run->time_count; i++)
		json_array_append_new(times, stored_time(&run->times[i]));
	json_object_set_new(json, "times", times);
	json_object_set_new(json, "ratio_to_fastest_library", positive(measured_mean_ratio(run)));
	return json;
}

json_t *stored_document(const char *what, int schema_version)
{
	json_t *json = json_object();
	json_object_set_new(json, "schema_version", json_integer(schema_version));
	json_object_set_new(json, "program", json_string("gemmjudge"));
	json_object_set_new(json, "kind", json_string(what));
	return json;
}

json_t *stored_document_of(const char *what, int schema_version, const char *file,
						   const struct plan *plan)
{
	json_t *json = stored_document(what, schema_version);
	json_object_set_new(json, "version", json_string(GEMMJUDGE_VERSION));
	json_object_set_new(json, "file", stored_text(file));
	json_object_set_new(json, "content", json_string(plan->content));
	json_object_set_new(json, "problem", json_string(plan->problem->name));
	return json;
}

void stored_print(json_t *json, FILE *out)
{
	json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
	json_decref(json);
}
