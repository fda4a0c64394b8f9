#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/audit.h"
#include "report/document.h"
#include "report/record.h"

/* What stands in each row, in this order. There may be tens of thousands of rows. */
static const char *const columns[] = {
	"library", "case",    "mode",      "algorithm",  "id",       "tile",
	"stages",  "split_k", "reduction", "swizzle",    "custom",   "inner",
	"cluster", "refused", "verdict",   "wrong",      "elements", "worst_ratio",
	"places",  "calls",   "same_bits", "wrong_call", "cause",    "accurate_right",
	"hint",    "detail",  "kernel",    "kernels",    "us",       "result"};

static json_t *rounded(double value)
{
	char text[40];
	snprintf(text, sizeof text, "%.4g", value);
	return document_real(strtod(text, NULL));
}

static json_t *text_or_null(const char *text)
{
	return text[0] != '\0' ? document_text(text) : json_null();
}

/* ---- libraries ---------------------------------------------------------------------- */

static json_t *case_json(const struct problem *problem, const struct test_case *test)
{
	char shape[SHAPE_TEXT];
	shape_print(problem, &test->shape, shape);
	json_t *json = json_object();
	json_object_set_new(json, "shape", json_string(shape));
	if (problem_takes(problem, SCALAR_ALPHA))
		json_object_set_new(json, "alpha", rounded((double)test->scalar[SCALAR_ALPHA]));
	if (problem_takes(problem, SCALAR_BETA))
		json_object_set_new(json, "beta", rounded((double)test->scalar[SCALAR_BETA]));
	return json;
}

static json_t *sum_json(const struct audit_sum *sum)
{
	json_t *json = json_object();
	json_object_set_new(json, "own_choices", json_integer((json_int_t)sum->own));
	json_object_set_new(json, "own_choices_wrong", json_integer((json_int_t)sum->own_wrong));
	json_object_set_new(json, "algorithms", json_integer((json_int_t)sum->algorithms));
	json_object_set_new(json, "algorithms_wrong", json_integer((json_int_t)sum->wrong));
	json_object_set_new(json, "algorithms_refused", json_integer((json_int_t)sum->refused));
	json_object_set_new(json, "accurate", json_integer((json_int_t)sum->accurate));
	json_object_set_new(json, "accurate_wrong", json_integer((json_int_t)sum->accurate_wrong));
	json_object_set_new(json, "not_repeatable", json_integer((json_int_t)sum->unrepeatable));
	json_object_set_new(json, "worst_ratio", rounded(sum->worst_ratio));
	return json;
}

static json_t *unit_json(const struct audit *audit, size_t i)
{
	const struct audit_unit *unit = &audit->units[i];
	const struct audit_sum sum = audit_sum_of(audit, i);
	char version[AUDIT_VERSION_TEXT], folder[sizeof unit->folder];
	json_t *json = json_object(), *cases = json_array();
	strcpy(folder, unit->folder);
	json_object_set_new(json, "library", document_text(unit->label));
	json_object_set_new(json, "problem", json_string(unit->problem->name));
	json_object_set_new(json, "version",
						unit->number > 0 ? json_string(audit_version_print(unit->number, version))
										 : json_null());
	json_object_set_new(json, "folder", text_or_null(folder));
	json_object_set_new(json, "audited", json_integer((json_int_t)unit->audited));
	json_object_set_new(json, "too_large", json_integer((json_int_t)unit->too_large));
	json_object_set_new(json, "ended", text_or_null(unit->ended));
	json_object_set_new(json, "found", sum_json(&sum));
	for (size_t k = 0; k < unit->case_count; k++)
		json_array_append_new(cases, case_json(unit->problem, &unit->cases[k]));
	json_object_set_new(json, "cases", cases);
	return json;
}

/* ---- rows --------------------------------------------------------------------------- */

static json_t *digest_json(const struct digest *digest)
{
	char text[17];
	unsigned char bytes[8];
	memcpy(bytes, digest, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

static void add_facts(json_t *json, const struct library_algorithm *facts)
{
	const int32_t values[] = {facts->id,      facts->tile,      facts->stages,
							  facts->split_k, facts->reduction, facts->swizzle,
							  facts->custom,  facts->inner,     facts->cluster};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		json_array_append_new(json, json_integer(values[i]));
}

/* The number of the kernel's name in the list, which takes it where it has it not: there are few,
 * and many rows. */
static json_t *kernel_json(const char *name, json_t *kernels)
{
	size_t i = 0;
	if (name[0] == '\0')
		return json_null();
	while (i < json_array_size(kernels) &&
		   strcmp(json_string_value(json_array_get(kernels, i)), name) != 0)
		i++;
	if (i == json_array_size(kernels))
		json_array_append_new(kernels, document_text(name));
	return json_integer((json_int_t)i);
}

static json_t *row_json(const struct audit_row *row, json_t *kernels)
{
	char cause[LIBRARY_CAUSE_TEXT] = "";
	json_t *json = json_array();
	if (row->verdict == VERDICT_WRONG_ANSWER)
		library_cause_print(row->causes, false, cause);
	json_array_append_new(json, json_integer(row->unit));
	json_array_append_new(json, json_integer(row->test));
	json_array_append_new(json, json_string(library_mode_name(row->mode)));
	json_array_append_new(json, json_integer(row->index));
	add_facts(json, &row->algorithm);
	json_array_append_new(json, json_boolean(row->refused));
	json_array_append_new(json, json_string(verdict_name(row->verdict)));
	json_array_append_new(json, json_integer((json_int_t)row->wrong));
	json_array_append_new(json, json_integer((json_int_t)row->elements));
	json_array_append_new(json, rounded(row->worst_ratio));
	json_array_append_new(json, text_or_null(row->places));
	json_array_append_new(json, json_integer(row->calls));
	json_array_append_new(json, json_integer(row->same));
	json_array_append_new(json, row->wrong_call > 0 ? json_integer(row->wrong_call) : json_null());
	json_array_append_new(json, text_or_null(cause));
	json_array_append_new(json, json_boolean(row->accurate_right));
	json_array_append_new(json, text_or_null(row->hint));
	json_array_append_new(json, text_or_null(row->detail));
	json_array_append_new(json, kernel_json(row->kernel, kernels));
	json_array_append_new(json, json_integer(row->kernels));
	json_array_append_new(json, row->microseconds > 0.0 ? rounded(row->microseconds) : json_null());
	json_array_append_new(json, row->calls > 0 ? digest_json(&row->result) : json_null());
	return json;
}

/* ---- versions ----------------------------------------------------------------------- */

static json_t *changes_json(const struct audit *audit)
{
	struct audit_changes changes = audit_changes_of(audit);
	json_t *json = json_object(), *items = json_array();
	char text[AUDIT_TEXT];
	for (size_t i = 0; i < changes.count; i++) {
		const struct audit_change *change = &changes.items[i];
		json_t *item = json_object();
		audit_words_change(audit, change, text);
		json_object_set_new(item, "before", json_integer(change->before - audit->rows));
		json_object_set_new(item, "after", json_integer(change->after - audit->rows));
		json_object_set_new(item, "algorithm", json_boolean(change->algorithm));
		json_object_set_new(item, "verdict", json_boolean(change->verdict));
		json_object_set_new(item, "bits", json_boolean(change->bits));
		json_object_set_new(item, "words", document_text(text));
		json_array_append_new(items, item);
	}
	json_object_set_new(json, "pairs", json_integer((json_int_t)changes.pairs));
	json_object_set_new(json, "items", items);
	free(changes.items);
	return changes.pairs > 0 ? json : (json_decref(json), json_null());
}

/* ---- the document ------------------------------------------------------------------- */

static json_t *head_json(const struct audit *audit)
{
	json_t *json = record_of_run(&audit->facts);
	json_t *units = json_array(), *names = json_array();
	json_object_set_new(json, "schema_version", json_integer(AUDIT_JSON_SCHEMA_VERSION));
	json_object_set_new(json, "kind", json_string("audit"));
	json_object_set_new(json, "seconds", rounded(audit->seconds));
	json_object_set_new(json, "out_of_time", json_boolean(audit->out_of_time));
	json_object_set_new(json, "complete", json_boolean(!audit_is_cut(audit)));
	json_object_set_new(json, "thorough", json_boolean(audit->thorough));
	json_object_set_new(json, "calls", json_integer((json_int_t)audit->repeats + 1));
	json_object_set_new(json, "left_out", text_or_null(audit->unasked));
	for (size_t i = 0; i < audit->unit_count; i++)
		json_array_append_new(units, unit_json(audit, i));
	json_object_set_new(json, "libraries", units);
	json_object_set_new(json, "changes", changes_json(audit));
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		json_array_append_new(names, json_string(columns[i]));
	json_object_set_new(json, "columns", names);
	return json;
}

/* A line of the list for each row: indented as other lists are, they would take three times as
 * much. */
static void rows_print(const struct audit *audit, FILE *out)
{
	json_t *kernels = json_array();
	fputs("  \"rows\": [", out);
	for (size_t i = 0; i < audit->row_count; i++) {
		char *line = document_line(row_json(&audit->rows[i], kernels));
		if (line != NULL)
			fprintf(out, "%s\n    %.*s", i > 0 ? "," : "", (int)strcspn(line, "\n"), line);
		free(line);
	}
	fputs("\n  ],\n  \"kernels\": ", out);
	document_put(kernels, 2, out);
	fputs("\n", out);
}

void report_audit_json(const void *what, FILE *out)
{
	const struct audit *audit = what;
	const char *name;
	json_t *head = head_json(audit), *value;
	fputs("{\n", out);
	json_object_foreach(head, name, value)
	{
		fprintf(out, "  \"%s\": ", name);
		document_put(json_incref(value), 2, out);
		fputs(",\n", out);
	}
	json_decref(head);
	rows_print(audit, out);
	fputs("}\n", out);
}
