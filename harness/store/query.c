#include "store/query.h"

#include <stdlib.h>
#include <string.h>

#include "store/database.h"

enum {
	HEAD_ID,
	HEAD_FILE,
	HEAD_PATH,
	HEAD_DETAIL,
	HEAD_CONTENT,
	HEAD_ENDED,
	HEAD_MODE,
	HEAD_PROBLEM,
	HEAD_VERDICT,
	HEAD_COMMIT,
	HEAD_HOST,
	HEAD_KIND,
	HEAD_DEVICE,
	HEAD_DRIVER,
	HEAD_TOLERANCE,
	HEAD_EPILOGUE,
	HEAD_FLAGS,
	HEAD_SUITES,
	HEAD_CASES,
	HEAD_ACCEPTED
};
static const char heads[] =
	"SELECT * FROM (SELECT j.id, j.file, s.path, j.detail, s.content, j.ended, r.mode, j.problem,"
	" j.verdict, r.source_commit, r.host, r.device_kind, r.device, r.driver, r.tolerance,"
	" r.epilogue, r.nvcc_flags, r.suites, j.cases, j.accepted"
	" FROM judgement j JOIN run r ON r.id = j.run JOIN submission s ON s.id = j.submission"
	" WHERE (?1 = 0 OR j.id = ?1)"
	" AND ((?2 IS NULL AND ?3 IS NULL) OR s.path = ?2 OR substr(s.content, 1, length(?3)) = ?3)"
	" AND (?4 IS NULL OR j.problem = ?4)"
	" AND (?5 IS NULL OR instr(lower(r.device), lower(?5)) > 0)"
	" ORDER BY j.id DESC LIMIT ?6) ORDER BY id";

enum {
	TIME_PROBLEM,
	TIME_M,
	TIME_N,
	TIME_K,
	TIME_BATCH,
	TIME_GROUP,
	TIME_SCALARS,
	TIME_MHZ,
	TIME_THROTTLED,
	TIME_CLOCK,
	TIME_SEAL,
	TIME_MEDIAN,
	TIME_LOW,
	TIME_HIGH,
	TIME_PASSES,
	TIME_ROLE,
	TIME_LIBRARY,
	TIME_LIBRARY_MEDIAN
};
static const char times[] =
	"SELECT t.problem, t.m, t.n, t.k, t.batch, t.group_size, t.scalars, t.sm_clock_mhz_median,"
	" t.throttled, e.clock, e.seal, e.median, e.low, e.high, e.passes, e.role, l.label, l.median"
	" FROM entry e JOIN timing t ON t.id = e.timing LEFT JOIN entry l ON l.timing = t.id"
	" AND l.number = (SELECT number FROM entry WHERE timing = t.id AND role = 'library' AND ran"
	" AND median > 0 ORDER BY median LIMIT 1)"
	" WHERE e.judgement = ?1 AND e.ran ORDER BY t.id, e.number";

static const char counters[] =
	"SELECT kernel, name, value FROM counter WHERE judgement = ?1 ORDER BY kernel, name, value";

/* A text of its own, "" for NULL. */
static char *column_owned(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return strdup(text != NULL ? text : "");
}

#define COLUMN(statement, column, out) column_copy(statement, column, out, sizeof(out))

static bool head_take(sqlite3_stmt *row, struct measured *out)
{
	out->id = sqlite3_column_int64(row, HEAD_ID);
	out->file = column_owned(row, HEAD_FILE);
	out->path = column_owned(row, HEAD_PATH);
	out->detail = column_owned(row, HEAD_DETAIL);
	out->epilogue = column_owned(row, HEAD_EPILOGUE);
	out->nvcc_flags = column_owned(row, HEAD_FLAGS);
	out->suites = column_owned(row, HEAD_SUITES);
	COLUMN(row, HEAD_CONTENT, out->content);
	COLUMN(row, HEAD_ENDED, out->when);
	COLUMN(row, HEAD_MODE, out->mode);
	COLUMN(row, HEAD_PROBLEM, out->problem);
	COLUMN(row, HEAD_VERDICT, out->verdict);
	COLUMN(row, HEAD_COMMIT, out->commit);
	COLUMN(row, HEAD_HOST, out->host);
	COLUMN(row, HEAD_KIND, out->device_kind);
	COLUMN(row, HEAD_DEVICE, out->device);
	COLUMN(row, HEAD_DRIVER, out->driver);
	COLUMN(row, HEAD_TOLERANCE, out->tolerance);
	out->cases = sqlite3_column_int64(row, HEAD_CASES);
	out->accepted = sqlite3_column_int64(row, HEAD_ACCEPTED);
	return out->file != NULL && out->path != NULL && out->detail != NULL && out->epilogue != NULL &&
		   out->nvcc_flags != NULL && out->suites != NULL;
}

static bool time_take(sqlite3_stmt *row, struct measured_time *out)
{
	static const struct {
		enum size size;
		int column;
	} sizes[] = {{SIZE_M, TIME_M},
				 {SIZE_N, TIME_N},
				 {SIZE_K, TIME_K},
				 {SIZE_BATCH, TIME_BATCH},
				 {SIZE_GROUP, TIME_GROUP}};
	char role[32];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		out->shape.size[sizes[i].size] = sqlite3_column_int(row, sizes[i].column);
	COLUMN(row, TIME_PROBLEM, out->problem);
	COLUMN(row, TIME_CLOCK, out->clock);
	COLUMN(row, TIME_SEAL, out->seal);
	COLUMN(row, TIME_LIBRARY, out->library);
	COLUMN(row, TIME_ROLE, role);
	out->without_epilogue = strcmp(role, "file without epilogue") == 0;
	out->scalars = column_owned(row, TIME_SCALARS);
	out->sm_clock_mhz = sqlite3_column_double(row, TIME_MHZ);
	out->throttled = sqlite3_column_int(row, TIME_THROTTLED) != 0;
	out->median = sqlite3_column_double(row, TIME_MEDIAN);
	out->low = sqlite3_column_double(row, TIME_LOW);
	out->high = sqlite3_column_double(row, TIME_HIGH);
	out->library_microseconds = sqlite3_column_double(row, TIME_LIBRARY_MEDIAN);
	const char *passes = (const char *)sqlite3_column_text(row, TIME_PASSES);
	return out->scalars != NULL && measured_take_passes(out, passes != NULL ? passes : "[]");
}

static bool take_time(sqlite3_stmt *row, struct measured *out)
{
	struct measured_time *time = measured_add_time(out);
	return time != NULL && time_take(row, time);
}

static bool take_counter(sqlite3_stmt *row, struct measured *out)
{
	struct measured_counter *counter = measured_add_counter(out);
	if (counter == NULL)
		return false;
	counter->kernel = column_owned(row, 0);
	counter->name = column_owned(row, 1);
	counter->value = sqlite3_column_int64(row, 2);
	return counter->kernel != NULL && counter->name != NULL;
}

/* All rows that belong to a judgement. */
static bool take_rows(struct store *store, const char *sql, struct measured *out,
					  bool (*take)(sqlite3_stmt *row, struct measured *out), struct error *err)
{
	bool failed = false;
	sqlite3_stmt *statement = database_prepare(store, sql, err);
	if (statement == NULL)
		return false;
	sqlite3_bind_int64(statement, 1, out->id);
	while (!failed && database_next(store, statement, &failed, err))
		if (!take(statement, out))
			failed = !error_set(err, "the store %s: what it says of #%lld cannot be read",
								store->path, (long long)out->id);
	sqlite3_finalize(statement);
	return !failed;
}

static sqlite3_stmt *heads_prepare(struct store *store, const struct store_filter *filter,
								   struct error *err)
{
	sqlite3_stmt *statement = database_prepare(store, heads, err);
	sqlite3_bind_int64(statement, 1, filter->id);
	sqlite3_bind_text(statement, 2, filter->path, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, filter->content, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 4, filter->problem, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 5, filter->device, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 6, filter->newest ? 1 : -1);
	return statement;
}

static bool find(struct store *store, const struct store_filter *filter, struct measured_list *out,
				 struct error *err)
{
	bool failed = false;
	sqlite3_stmt *statement = heads_prepare(store, filter, err);
	if (statement == NULL)
		return false;
	while (!failed && database_next(store, statement, &failed, err)) {
		struct measured *item = measured_add(out);
		if (item == NULL || !head_take(statement, item))
			failed = !error_set(err, "out of memory");
		else
			failed = !take_rows(store, times, item, take_time, err) ||
					 (filter->counters && !take_rows(store, counters, item, take_counter, err));
	}
	sqlite3_finalize(statement);
	return !failed;
}

/* One transaction, so that all rows are of one moment. */
bool store_find(const char *path, const struct store_filter *filter, struct measured_list *out,
				struct error *err)
{
	*out = (struct measured_list){0};
	struct store *store = database_open(path, store_schema, false, err);
	if (store == NULL)
		return false;
	bool ok = database_execute(store, "BEGIN", err) && find(store, filter, out, err);
	database_close(store);
	if (!ok)
		measured_list_free(out);
	return ok;
}
