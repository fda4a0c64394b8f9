#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/commit.h"
#include "base/paths.h"
#include "report/document.h"
#include "store/row.h"
#include "store/store.h"

/* ---- a run ------------------------------------------------------------------------- */

static int64_t append_run(struct store *store, const struct store_run *run,
						  const struct run_description *facts, struct error *err)
{
	struct utsname host = {0};
	struct table_row row = {0};
	uname(&host);
	row_add_record(&row, &record_run, facts, NULL);
	row_add(&row, "mode", json_string(run->mode));
	row_add(&row, "job", run->job != NULL ? document_text(run->job) : NULL);
	row_add(&row, "source_commit", json_string(commit_of_build()));
	row_add(&row, "host", document_text(host.nodename));
	row_add(&row, "kernel", document_text(host.release));
	return row_insert(&row, store, "run", err);
}

/* ---- a judgement --------------------------------------------------------------------- */

static int64_t append_submission(struct store *store, const struct judgement *item,
								 struct error *err)
{
	char path[PATHS_MAX];
	bool failed = true;
	int64_t id = -1;
	paths_absolute(item->file, path);
	struct table_row row = {0};
	row_add(&row, "content", document_text(item->content));
	row_add(&row, "path", document_text(path));
	sqlite3_stmt *find =
		database_prepare(store, "SELECT id FROM submission WHERE content = ?1 AND path = ?2", err);
	row_bind(&row, find);
	if (find != NULL && database_next(store, find, &failed, err))
		id = sqlite3_column_int64(find, 0);
	sqlite3_finalize(find);
	if (!failed && id < 0)
		return row_insert(&row, store, "submission", err);
	row_free(&row);
	return id;
}

static int64_t append_head(struct store *store, int64_t run, int64_t submission,
						   const struct judgement *item, struct error *err)
{
	char ended[CLOCK_DATE];
	struct table_row row = {0};
	clock_date(ended);
	row_add(&row, "run", json_integer(run));
	row_add(&row, "submission", json_integer(submission));
	row_add(&row, "ended", json_string(ended));
	row_add_record(&row, &record_result, item, NULL);
	return row_insert(&row, store, "judgement", err);
}

static bool append_case(struct store *store, int64_t judgement, const struct judgement *item,
						size_t number, struct error *err)
{
	const struct record_at parent = {.record = &record_result, .of = (void *)(uintptr_t)item};
	struct table_row row = {0};
	row_add(&row, "judgement", json_integer(judgement));
	row_add(&row, "number", json_integer((json_int_t)number));
	row_add_record(&row, &record_case, &item->cases[number], &parent);
	return row_insert(&row, store, "test_case", err) >= 0;
}

static bool append_counters(struct store *store, int64_t judgement, const struct judgement *item,
							struct error *err)
{
	for (size_t i = 0; i < item->kernel_count; i++)
		for (size_t k = 0; k < item->kernels[i].count; k++) {
			const struct counter *counter = &item->kernels[i].counters[k];
			struct table_row row = {0};
			row_add(&row, "judgement", json_integer(judgement));
			row_add(&row, "kernel", document_text(item->kernels[i].shown));
			row_add(&row, "name", document_text(counter->name));
			row_add(&row, "value", json_integer((json_int_t)counter->value));
			if (row_insert(&row, store, "counter", err) < 0)
				return false;
		}
	return true;
}

/* ---- times --------------------------------------------------------------------------- */

static int64_t append_timing_head(struct store *store, int64_t run,
								  const struct timing_result *timing, struct error *err)
{
	struct table_row row = {0};
	row_add(&row, "run", json_integer(run));
	row_add_record(&row, &record_timing, timing, NULL);
	return row_insert(&row, store, "timing", err);
}

/* `judgement` is 0 for a library, whose column is NULL. */
static bool append_entry(struct store *store, int64_t timing, size_t number, int64_t judgement,
						 const struct timing_result *result, struct error *err)
{
	const struct record_at parent = {.record = &record_timing, .of = (void *)(uintptr_t)result};
	struct table_row row = {0};
	row_add(&row, "timing", json_integer(timing));
	row_add(&row, "number", json_integer((json_int_t)number));
	row_add(&row, "judgement", judgement > 0 ? json_integer(judgement) : NULL);
	row_add_record(&row, &record_entry, &result->entries[number], &parent);
	return row_insert(&row, store, "entry", err) >= 0;
}

/* The files come first, in a comparison twice; `ids` are of the judgements of its files. */
static bool append_timing(struct store *store, int64_t run, const struct timing_result *timing,
						  const int64_t *ids, size_t count, struct error *err)
{
	int64_t id = append_timing_head(store, run, timing, err);
	for (size_t i = 0, files = 0; i < timing->count && id >= 0; i++) {
		bool file = timing_is_file(&timing->entries[i]);
		int64_t judgement = !file || count == 0 ? 0 : ids[files++ % count];
		if (!append_entry(store, id, i, judgement, timing, err))
			id = -1;
	}
	return id >= 0;
}

/* ---- what is one transaction ------------------------------------------------------------ */

static int64_t append_judgement(struct store *store, int64_t run, const struct judgement *item,
								const char *as, struct error *err)
{
	struct judgement named;
	if (as != NULL) {
		named = *item;
		snprintf(named.file, sizeof named.file, "%s", as);
		item = &named;
	}
	int64_t submission = append_submission(store, item, err);
	int64_t id = submission < 0 ? -1 : append_head(store, run, submission, item, err);
	bool ok = id >= 0;
	for (size_t i = 0; i < item->count && ok; i++)
		ok = append_case(store, id, item, i, err);
	ok = ok && append_counters(store, id, item, err) &&
		 (!item->has_timing || append_timing(store, run, &item->timing, &id, 1, err)) &&
		 (!item->has_larger || append_timing(store, run, &item->larger, &id, 1, err));
	return ok ? id : -1;
}

/* The timings of bench and compare, each beside the files of its problem. */
static bool append_bench(struct store *store, int64_t run, const struct judgement_list *list,
						 const int64_t *ids, struct error *err)
{
	int64_t *members = calloc(list->count + 1, sizeof *members);
	bool ok = true;
	if (members == NULL)
		return error_set(err, "out of memory");
	for (size_t b = 0; b < list->bench_count && ok; b++) {
		size_t count = 0;
		for (size_t i = 0; i < list->count; i++)
			if (strcmp(list->items[i].problem, list->bench[b].problem) == 0)
				members[count++] = ids[i];
		ok = append_timing(store, run, &list->bench[b], members, count, err);
	}
	free(members);
	return ok;
}

/* Whether there is something to remember: its code was looked at. */
static bool was_judged(const struct judgement *item)
{
	return item->verdict != VERDICT_NOT_RUN && item->verdict != VERDICT_BAD_FILE;
}

/* Items from `first` to before `end`, and what they share. */
static bool append_items(struct store *store, struct store_run *run,
						 const struct judgement_list *list, size_t first, size_t end, int64_t *ids,
						 struct error *err)
{
	int64_t id = run->id;
	bool ok = database_execute(store, "BEGIN IMMEDIATE", err);
	if (!ok)
		return false;
	if (id == 0)
		id = append_run(store, run, &list->facts, err);
	ok = id > 0;
	for (size_t i = first; i < end && ok; i++) {
		bool wanted = !run->stored[i] && was_judged(&list->items[i]);
		ids[i] = wanted ? append_judgement(store, id, &list->items[i], run->as, err) : 0;
		ok = ids[i] >= 0;
	}
	ok = ok && (list->bench_count == 0 || append_bench(store, id, list, ids, err)) &&
		 database_execute(store, "COMMIT", err);
	if (!ok) {
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
		return false;
	}
	run->id = id;
	for (size_t i = first; i < end; i++)
		run->stored[i] = run->stored[i] || ids[i] > 0;
	return true;
}

static bool append_all(struct store *store, struct store_run *run,
					   const struct judgement_list *list, int64_t *ids, struct error *err)
{
	bool ok = true;
	if (list->bench_count > 0)
		return append_items(store, run, list, 0, list->count, ids, err);
	for (size_t i = 0; i < list->count && ok; i++)
		if (!run->stored[i] && was_judged(&list->items[i]))
			ok = append_items(store, run, list, i, i + 1, ids, err);
	return ok;
}

bool store_append(struct store_run *run, const struct judgement_list *list, struct error *err)
{
	if (run->stored == NULL)
		run->stored = calloc(list->count + 1, sizeof *run->stored);
	int64_t *ids = calloc(list->count + 1, sizeof *ids);
	if (run->stored == NULL || ids == NULL) {
		free(ids);
		return error_set(err, "out of memory");
	}
	struct store *store = database_open(run->path, store_schema, true, err);
	bool ok = store != NULL && append_all(store, run, list, ids, err);
	database_close(store);
	free(ids);
	return ok;
}

void store_run_free(struct store_run *run)
{
	free(run->stored);
	run->stored = NULL;
}

bool store_probe(const char *path, struct error *err)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	struct store *store = database_open(path, store_schema, true, err);
	database_close(store);
	return store != NULL;
}
