#include "store/query.h"

#include <stdlib.h>
#include <string.h>

#include "store/database.h"

#define COUNT(columns) (sizeof(columns) / sizeof *(columns))

/* What was submitted to a server came to its judge through stdin. */
#define FILE_OF "coalesce(b.name, j.file)"

const struct column measured_columns[MEASURED_COLUMNS] = {
	COLUMN("j.id", struct measured, id),
	COLUMN("s.path", struct measured, path),
	COLUMN_SHOWN(FILE_OF, struct measured, file, "file"),
	COLUMN_SHOWN("s.content", struct measured, content, "content"),
	COLUMN_SHOWN("j.ended", struct measured, when, "when"),
	COLUMN_SHOWN("r.mode", struct measured, mode, "mode"),
	COLUMN_SHOWN("j.problem", struct measured, problem, "problem"),
	COLUMN_SHOWN("j.verdict", struct measured, verdict, "verdict"),
	COLUMN_SHOWN("j.detail", struct measured, detail, "detail"),
	COLUMN_SHOWN("j.cases", struct measured, cases, "cases_total"),
	COLUMN_SHOWN("j.accepted", struct measured, accepted, "cases_accepted"),
	COLUMN_SHOWN("j.repeatable", struct measured, repeatable, "repeatable"),
	COLUMN_SHOWN("j.batch_invariant", struct measured, batch_invariant, "batch_invariant"),
	COLUMN_SHOWN("r.source_commit", struct measured, commit, "commit"),
	COLUMN_SHOWN("r.host", struct measured, host, "host"),
	COLUMN_SHOWN("r.device_kind", struct measured, device_kind, "device_kind"),
	COLUMN_SHOWN("r.device", struct measured, device, "device"),
	COLUMN_SHOWN("r.driver", struct measured, driver, "driver"),
	COLUMN_SHOWN("r.nvcc", struct measured, nvcc, "nvcc"),
	COLUMN_SHOWN("r.library", struct measured, library, "library"),
	COLUMN_SHOWN("r.tolerance", struct measured, tolerance, "tolerance"),
	COLUMN_AS(COLUMN_JSON, "r.suites", struct measured, suites, "suites"),
	COLUMN_SHOWN("r.epilogue", struct measured, epilogue, "epilogue"),
	COLUMN("r.epilogue_content", struct measured, epilogue_content),
	COLUMN_AS(COLUMN_JSON, "r.nvcc_flags", struct measured, nvcc_flags, "nvcc_flags"),
	COLUMN("r.seed", struct measured, seed),
	COLUMN("r.sizes", struct measured, sizes),
	COLUMN("coalesce(r.seed_given, 0)", struct measured, seed_given),
	COLUMN("coalesce(j.tokens, '')", struct measured, tokens),
	COLUMN("iif(?10, (SELECT group_concat(name) FROM (SELECT name FROM test_case WHERE judgement = "
		   "j.id ORDER BY number)), NULL)",
		   struct measured, case_names),
	COLUMN("r.max_dim", struct measured, max_dim),
	COLUMN("r.multiple_of", struct measured, multiple),
	COLUMN("coalesce(r.job, '')", struct measured, job),
	COLUMN("coalesce(b.account, '')", struct measured, user_id),
	COLUMN("coalesce((SELECT a.name FROM account a WHERE a.id = b.account), b.account, '')",
		   struct measured, user),
	COLUMN("coalesce(b.practice, 0)", struct measured, practice),
	COLUMN("j.schedule IS NOT NULL", struct measured, tuned),
	COLUMN("EXISTS(SELECT 1 FROM source WHERE content = s.content)", struct measured, has_source),
};
static const char heads[] =
	" FROM judgement j JOIN run r ON r.id = j.run JOIN submission s ON s.id = j.submission"
	" LEFT JOIN job b ON b.id = r.job"
	" WHERE (?1 = 0 OR j.id = ?1)"
	" AND ((?2 IS NULL AND ?3 IS NULL) OR s.path = ?2 OR substr(s.content, 1, length(?3)) = ?3)"
	" AND (?4 IS NULL OR j.problem = ?4)"
	" AND (?5 IS NULL OR instr(lower(r.device), lower(?5)) > 0)"
	" AND (?7 IS NULL OR r.mode = ?7) AND (?8 IS NULL OR j.ended >= ?8)"
	" AND (?9 = 0 OR b.id IS NOT NULL)"
	" ORDER BY j.ended DESC, j.id DESC LIMIT ?6) ORDER BY ended, id";

const struct column measured_time_columns[MEASURED_TIME_COLUMNS] = {
	COLUMN_SHOWN("t.problem", struct measured_time, problem, "problem"),
	COLUMN_AS(COLUMN_JSON, "t.scalars", struct measured_time, scalars, "scalars"),
	COLUMN_SHOWN("e.clock", struct measured_time, clock, "clock"),
	COLUMN_SHOWN("e.seal", struct measured_time, seal, "sealed"),
	COLUMN_SHOWN("e.median", struct measured_time, median, "median_us"),
	COLUMN_SHOWN("e.low", struct measured_time, low, "low_us"),
	COLUMN_SHOWN("e.high", struct measured_time, high, "high_us"),
	COLUMN("l.label", struct measured_time, library),
	COLUMN_AS(COLUMN_KNOWN, "l.median", struct measured_time, library_microseconds, "library_us"),
	COLUMN_AS(COLUMN_KNOWN, "t.sm_clock_mhz_median", struct measured_time, sm_clock_mhz,
			  "sm_clock_mhz"),
	COLUMN_SHOWN("t.throttled", struct measured_time, throttled, "throttled"),
	COLUMN_SHOWN("e.role = 'file without epilogue'", struct measured_time, without_epilogue,
				 "without_epilogue"),
};
static const char times[] =
	" FROM entry e JOIN timing t ON t.id = e.timing LEFT JOIN entry l ON l.timing = t.id"
	" AND l.number = (SELECT number FROM entry WHERE timing = t.id AND role = 'library' AND ran"
	" AND median > 0 ORDER BY median LIMIT 1)"
	" WHERE e.judgement = ?1 AND e.ran ORDER BY t.id, e.number";

/* A list of numbers in JSON. */
struct passes_row {
	char *passes; /* owned */
};
static const struct column passes_columns[] = {
	COLUMN_AS(COLUMN_JSON, "e.passes", struct passes_row, passes, NULL)};

static const struct column counter_columns[] = {
	COLUMN("kernel", struct measured_counter, kernel),
	COLUMN("name", struct measured_counter, name),
	COLUMN("value", struct measured_counter, value),
};
static const char counters[] = " FROM counter WHERE judgement = ?1 ORDER BY kernel, name, value";

static const struct column case_columns[] = {COLUMN("name", struct measured_case, name)};
static const char cases[] = " FROM test_case WHERE judgement = ?1 ORDER BY number";

/* "SELECT these columns" and the rest. */
static sqlite3_stmt *prepare(struct store *store, const char *begin,
							 const struct column_part *parts, size_t count, const char *rest,
							 struct error *err)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	fputs(begin, out);
	for (size_t p = 0; p < count; p++) {
		fputs(p > 0 ? ", " : "", out);
		columns_names(out, parts[p].columns, parts[p].count);
	}
	fputs(rest, out);
	bool ok = fclose(out) == 0 || error_set(err, "out of memory");
	sqlite3_stmt *statement = ok ? database_prepare(store, sql, err) : NULL;
	free(sql);
	return statement;
}

static const struct column_part head_parts[] = {COLUMN_PART(measured_columns, NULL)};
static const struct column_part time_parts[] = {COLUMN_PART(measured_time_columns, NULL),
												COLUMN_PART(columns_of_shape, NULL),
												COLUMN_PART(passes_columns, NULL)};
static const struct column_part counter_parts[] = {COLUMN_PART(counter_columns, NULL)};
static const struct column_part case_parts[] = {COLUMN_PART(case_columns, NULL),
												COLUMN_PART(columns_of_shape, NULL)};

static bool time_take(sqlite3_stmt *row, struct measured_time *out)
{
	struct passes_row passes = {0};
	const int shape = MEASURED_TIME_COLUMNS, last = shape + SHAPE_COLUMNS;
	bool ok = columns_take(row, 0, measured_time_columns, MEASURED_TIME_COLUMNS, out) &&
			  columns_take(row, shape, columns_of_shape, SHAPE_COLUMNS, &out->shape) &&
			  columns_take(row, last, passes_columns, 1, &passes) &&
			  measured_take_passes(out, passes.passes);
	free(passes.passes);
	return ok;
}

static bool take_time(sqlite3_stmt *row, struct measured *out)
{
	struct measured_time *time = measured_add_time(out);
	return time != NULL && time_take(row, time);
}

static bool take_counter(sqlite3_stmt *row, struct measured *out)
{
	struct measured_counter *counter = measured_add_counter(out);
	return counter != NULL &&
		   columns_take(row, 0, counter_columns, COUNT(counter_columns), counter);
}

static bool take_case(sqlite3_stmt *row, struct measured *out)
{
	struct measured_case *test = measured_add_case(out);
	return test != NULL && columns_take(row, 0, case_columns, COUNT(case_columns), test) &&
		   columns_take(row, COUNT(case_columns), columns_of_shape, SHAPE_COLUMNS, &test->shape);
}

/* All rows that belong to a judgement. */
static bool take_rows(struct store *store, const struct column_part *parts, size_t count,
					  const char *rest, struct measured *out,
					  bool (*take)(sqlite3_stmt *row, struct measured *out), struct error *err)
{
	bool failed = false;
	sqlite3_stmt *statement = prepare(store, "SELECT ", parts, count, rest, err);
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
	sqlite3_stmt *statement =
		prepare(store, "SELECT * FROM (SELECT ", head_parts, COUNT(head_parts), heads, err);
	sqlite3_bind_int64(statement, 1, filter->id);
	sqlite3_bind_text(statement, 2, filter->path, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, filter->content, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 4, filter->problem, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 5, filter->device, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 6, filter->newest ? 1 : -1);
	sqlite3_bind_text(statement, 7, filter->mode, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 8, filter->since, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 9, filter->submitted);
	sqlite3_bind_int(statement, 10, filter->case_names);
	return statement;
}

/* What belongs to a judgement, of what is asked for. */
static bool take_parts(struct store *store, const struct store_filter *filter, struct measured *out,
					   struct error *err)
{
	if (filter->cases)
		return take_rows(store, case_parts, COUNT(case_parts), cases, out, take_case, err);
	return take_rows(store, time_parts, COUNT(time_parts), times, out, take_time, err) &&
		   (!filter->counters || take_rows(store, counter_parts, COUNT(counter_parts), counters,
										   out, take_counter, err));
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
		if (item == NULL || !columns_take(statement, 0, measured_columns, MEASURED_COLUMNS, item))
			failed = !error_set(err, "out of memory");
		else
			failed = !take_parts(store, filter, item, err);
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
