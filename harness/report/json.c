#include "report/report.h"

#include <jansson.h>

#include "report/document.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/record.h"

static json_t *overalls(const struct judgement_list *list)
{
	struct overall overall;
	json_t *json = json_array();
	for (size_t at = 0; overall_next(list, &at, &overall);) {
		json_t *item = json_object();
		json_object_set_new(item, "problem", document_text(overall.problem));
		json_object_set_new(item, "label", document_text(overall.label));
		json_object_set_new(item, "shapes", json_integer((json_int_t)overall.shapes));
		json_object_set_new(item, "not_measured", json_integer((json_int_t)overall.not_measured));
		json_object_set_new(item, "geometric_mean", document_positive(overall.mean));
		json_object_set_new(item, "worst", document_positive(overall.worst));
		json_object_set_new(item, "worst_case",
							overall.worst_at != NULL ? document_text(overall.worst_at->test.name)
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
	json_object_set_new(json, "file", document_text(item->file));
	json_object_set_new(json, "microseconds", document_positive(row->microseconds));
	json_object_set_new(json, "confirmed",
						row->microseconds > 0.0 ? json_boolean(row->confirmed) : json_null());
	json_object_set_new(json, "ratio_to_fastest_library", document_positive(row->ratio));
	json_object_set_new(json, "same_as",
						row->same != NULL ? document_text(row->same->file) : json_null());
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
	return record_of_result(&list->items[i]);
}

static json_t *bench_at(const struct judgement_list *list, size_t i)
{
	return record_of_timing(&list->bench[i]);
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
	bool wrong = overall_gpu_wrong(warning, sizeof warning, list);
	put_members(out, record_of_run(&list->facts), "{");
	put_list(out, "results", list, list->count, result_at);
	put_members(out, single("ranking", ranked(list)), ",");
	put_list(out, "bench", list, list->bench_count, bench_at);
	put_members(out, single("overall", overalls(list)), ",");
	put_members(out, single("gpu_computes_wrongly", json_boolean(wrong)), ",");
	fputs("\n}\n", out);
}
