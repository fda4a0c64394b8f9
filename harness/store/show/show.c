#include "store/show/show.h"

#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/document.h"
#include "report/wrap.h"

const char *show_microseconds(double microseconds, char out[SHOW_NUMBER])
{
	int decimals = microseconds < 100.0 ? 2 : microseconds < 1000.0 ? 1 : 0;
	snprintf(out, SHOW_NUMBER, "%.*f", decimals, microseconds);
	return out;
}

const char *show_date(const struct measured *run, char out[SHOW_DATE])
{
	snprintf(out, SHOW_DATE, "%.16s", run->when);
	if (strlen(out) > 10)
		out[10] = ' ';
	return out;
}

const char *show_name(const struct measured *run, int columns, char out[SHOW_NAME])
{
	const char *slash = strrchr(run->file, '/');
	char *clean = clean_line(slash != NULL ? slash + 1 : run->file);
	const char *name = clean != NULL ? clean : "";
	size_t bytes = strlen(name);
	bool fits = wrap_columns(name, bytes) <= columns;
	int room = fits ? columns : columns - 3;
	while (bytes > 0 && (wrap_columns(name, bytes) > room || bytes > SHOW_NAME - 4 ||
						 ((unsigned char)name[bytes] & 0xC0) == 0x80)) /* not within a character */
		bytes--;
	snprintf(out, SHOW_NAME, "%.*s%s", (int)bytes, name, fits ? "" : "...");
	free(clean);
	return out;
}

const char *show_cell(const struct measured *run, int columns, char out[SHOW_NAME])
{
	show_name(run, columns, out);
	size_t bytes = strlen(out);
	int blanks = columns - wrap_columns(out, bytes);
	for (; blanks > 0 && bytes < SHOW_NAME - 1; blanks--)
		out[bytes++] = ' ';
	out[bytes] = '\0';
	return out;
}

/* ---- JSON ------------------------------------------------------------------------- */

static json_t *positive(double value)
{
	return value > 0.0 ? json_real(value) : json_null();
}

json_t *show_time_json(const struct measured_time *time)
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
						time->library[0] != '\0' ? document_text(time->library) : json_null());
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

json_t *show_run_json(const struct measured *run)
{
	json_t *json = json_object(), *times = json_array();
	json_object_set_new(json, "id", run->id > 0 ? json_integer(run->id) : json_null());
	columns_show(json, measured_columns, MEASURED_COLUMNS, run);
	set_suite(json);
	if (run->job[0] != '\0') {
		json_object_set_new(json, "name", document_text(run->file));
		json_object_set_new(json, "submission", document_text(run->job));
		json_object_set_new(json, "user", document_text(run->user));
		json_object_set_new(json, "user_id", document_text(run->user_id));
		json_object_set_new(json, "practice", json_boolean(run->practice));
	}
	for (size_t i = 0; i < run->time_count; i++)
		json_array_append_new(times, show_time_json(&run->times[i]));
	json_object_set_new(json, "times", times);
	json_object_set_new(json, "ratio_to_fastest_library", positive(measured_mean_ratio(run)));
	return json;
}
