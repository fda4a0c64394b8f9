/* A fact that was added to record.def by its row alone: it comes back out of JSON, and out of the
 * store. Compiled by `run`, which added the row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "store/database.h"
#include "store/store.h"

#define WATTS 612.5

static struct judgement_list measured(void)
{
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	struct judgement *item = list.items;
	strcpy(item->problem, "gemm-f16");
	strcpy(item->content, "c0ffee");
	item->has_timing = true;
	item->timing.watts = WATTS;
	strcpy(item->timing.problem, "gemm-f16");
	return list;
}

/* Written to JSON and read again. */
static double by_json(const struct judgement_list *list)
{
	struct timing_result back = {.count = 0};
	struct error err;
	json_t *json = record_of_timing(&list->items[0].timing);
	const struct record_at at = {.record = &record_timing, .of = &back, .json = json};
	if (!record_read(&at, &err))
		fprintf(stderr, "%s\n", err.message);
	json_decref(json);
	return back.watts;
}

static double by_store(const struct judgement_list *list, const char *path)
{
	struct error err;
	bool failed = false;
	double watts = 0;
	struct store_run run = {.path = path, .mode = "judge"};
	if (!store_append(&run, list, &err))
		fprintf(stderr, "%s\n", err.message);
	store_run_free(&run);
	struct store *store = database_open(path, store_schema, false, &err);
	sqlite3_stmt *row = database_prepare(store, "SELECT watts FROM timing", &err);
	if (row != NULL && database_next(store, row, &failed, &err))
		watts = sqlite3_column_double(row, 0);
	sqlite3_finalize(row);
	database_close(store);
	return watts;
}

int main(int argc, char **argv)
{
	struct judgement_list list = measured();
	const double json = by_json(&list), stored = by_store(&list, argc > 1 ? argv[1] : "store.db");
	if (json != WATTS || stored != WATTS)
		fprintf(stderr, "%g W are %g of JSON and %g of the store\n", WATTS, json, stored);
	judgement_list_free(&list);
	return json == WATTS && stored == WATTS ? 0 : 1;
}
