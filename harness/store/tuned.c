#include "store/tuned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/clean.h"
#include "store/database.h"
#include "store/scalars.h"

#define ALIGNMENT_MAX 16
#define FACTOR_MAX 4.0

static const enum size sizes[] = {SIZE_M, SIZE_N, SIZE_K, SIZE_BATCH, SIZE_GROUP};
#define SIZES (sizeof sizes / sizeof *sizes)

/* The columns that all tables begin with: device,problem,content,epilogue,nvcc_flags. */
static void row_file(struct row_in *row, const struct tuned_key *key)
{
	row_clean(row, key->device);
	row_text(row, key->problem->name);
	row_text(row, key->content);
	row_clean(row, key->epilogue);
	row_clean(row, key->flags);
}

/* m,n,k,batch,group_size,scalars */
static void row_case(struct row_in *row, const struct tuned_key *key)
{
	for (size_t i = 0; i < SIZES; i++)
		row_integer(row, key->test->shape.size[sizes[i]]);
	char *scalars = scalars_of_case(key->problem, key->test);
	row_text(row, scalars != NULL ? scalars : "{}");
	free(scalars);
}

/* The parameters from ?1 on, in the same orders. */
static int bind_file(sqlite3_stmt *statement, const struct tuned_key *key)
{
	const char *const texts[] = {key->device, key->problem->name, key->content, key->epilogue,
								 key->flags};
	int next = 1;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *clean = clean_text(texts[i]);
		sqlite3_bind_text(statement, next++, clean, -1, SQLITE_TRANSIENT);
		free(clean);
	}
	return next;
}

static int bind_case(sqlite3_stmt *statement, const struct tuned_key *key, int next)
{
	for (size_t i = 0; i < SIZES; i++)
		sqlite3_bind_int64(statement, next++, key->test->shape.size[sizes[i]]);
	char *scalars = scalars_of_case(key->problem, key->test);
	sqlite3_bind_text(statement, next++, scalars, -1, SQLITE_TRANSIENT);
	free(scalars);
	return next;
}

/* Whether there is a store to ask at all. */
static bool is_there(const char *path)
{
	return path[0] != '\0' && (access(path, F_OK) == 0 || errno != ENOENT);
}

/* One more of `size` bytes, all zero; NULL where memory runs out. */
static void *grow(void **items, size_t *count, size_t size)
{
	char *more = realloc(*items, (*count + 1) * size);
	if (more == NULL)
		return NULL;
	*items = more;
	return memset(more + size * (*count)++, 0, size);
}

/* ---- trials ------------------------------------------------------------------------ */

static bool keep_one(struct store *store, const struct tuned_key *key,
					 const struct tuned_trial *trial, struct error *err)
{
	char when[CLOCK_DATE];
	clock_date(when);
	struct row_in row = row_in(store, "trial",
							   "device,problem,content,epilogue,nvcc_flags,m,n,k,batch,group_size,"
							   "scalars,clock_mhz,driver,constants,outcome,detail,median,low,high,"
							   "samples,measured",
							   err);
	row_file(&row, key);
	row_case(&row, key);
	row_real(&row, key->clock_mhz);
	row_text(&row, key->driver);
	row_text(&row, trial->constants);
	row_text(&row, trial->outcome);
	row_clean(&row, trial->detail);
	row_real(&row, trial->median);
	row_real(&row, trial->low);
	row_real(&row, trial->high);
	row_integer(&row, trial->samples);
	row_text(&row, when);
	return row_insert(&row) >= 0;
}

bool tuned_keep(const char *path, const struct tuned_key *key, const struct tuned_trial *trials,
				size_t count, struct error *err)
{
	struct store *store = database_open(path, store_schema, true, err);
	bool ok = store != NULL && database_execute(store, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; i < count && ok; i++)
		ok = keep_one(store, key, &trials[i], err);
	ok = ok && database_execute(store, "COMMIT", err);
	database_close(store); /* what is not committed is rolled back */
	return ok;
}

static bool trials_read(struct store *store, const struct tuned_key *key, struct tuned_trials *out,
						struct error *err)
{
	bool failed = true;
	sqlite3_stmt *row = database_prepare(
		store,
		"SELECT constants, outcome, detail, median, low, high, samples, measured FROM trial WHERE "
		"device = ?1 AND problem = ?2 AND content = ?3 AND epilogue = ?4 AND nvcc_flags = ?5 AND "
		"m = ?6 AND n = ?7 AND k = ?8 AND batch = ?9 AND group_size = ?10 AND scalars = ?11 AND "
		"((clock_mhz = ?12 AND driver = ?13) OR driver = '' OR ?13 IS NULL) "
		"ORDER BY constants, driver = '', measured DESC",
		err);
	if (row == NULL)
		return false;
	int next = bind_case(row, key, bind_file(row, key));
	sqlite3_bind_double(row, next++, key->clock_mhz);
	sqlite3_bind_text(row, next, key->driver, -1, SQLITE_STATIC);
	while (database_next(store, row, &failed, err)) {
		const struct tuned_trial *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
		if (last != NULL && strcmp(last->constants, (const char *)sqlite3_column_text(row, 0)) == 0)
			continue;
		struct tuned_trial *trial = grow((void **)&out->items, &out->count, sizeof *trial);
		failed = trial == NULL;
		if (failed) {
			error_set(err, "out of memory for the trials of %s", store->path);
			break;
		}
		column_copy(row, 0, trial->constants, sizeof trial->constants);
		column_copy(row, 1, trial->outcome, sizeof trial->outcome);
		column_copy(row, 2, trial->detail, sizeof trial->detail);
		trial->median = sqlite3_column_double(row, 3);
		trial->low = sqlite3_column_double(row, 4);
		trial->high = sqlite3_column_double(row, 5);
		trial->samples = sqlite3_column_int64(row, 6);
		column_copy(row, 7, trial->when, sizeof trial->when);
	}
	sqlite3_finalize(row);
	return !failed;
}

bool tuned_trials(const char *path, const struct tuned_key *key, struct tuned_trials *out,
				  struct error *err)
{
	*out = (struct tuned_trials){0};
	if (!is_there(path))
		return true;
	struct store *store = database_open(path, store_schema, false, err);
	bool ok = store != NULL && trials_read(store, key, out, err);
	database_close(store);
	if (!ok)
		tuned_trials_free(out);
	return ok;
}

void tuned_trials_free(struct tuned_trials *trials)
{
	free(trials->items);
	*trials = (struct tuned_trials){0};
}

/* ---- choices ------------------------------------------------------------------------- */

/* 0 is for "unknown" here, and NULL there. */
static void row_known(struct row_in *row, double value)
{
	if (value > 0)
		row_real(row, value);
	else
		row_null(row);
}

bool tuned_choose(const char *path, const struct tuned_key *key, const struct tuned_choice *choice,
				  struct error *err)
{
	char when[CLOCK_DATE];
	clock_date(when);
	struct store *store = database_open(path, store_schema, true, err);
	if (store == NULL)
		return false;
	struct row_in row = row_in(store, "schedule",
							   "device,problem,content,epilogue,nvcc_flags,m,n,k,batch,group_size,"
							   "scalars,beta_is_0,constants,median,gain,gain_low,gain_high,"
							   "library,library_ratio,tried,judged,chosen",
							   err);
	row_file(&row, key);
	row_case(&row, key);
	row_integer(&row, choice->beta_is_0);
	row_text(&row, choice->constants);
	row_known(&row, choice->median);
	row_known(&row, choice->gain);
	row_known(&row, choice->gain_low);
	row_known(&row, choice->gain_high);
	row_clean(&row, choice->library);
	row_known(&row, choice->library_ratio);
	row_integer(&row, choice->tried);
	row_integer(&row, choice->judged);
	row_text(&row, when);
	bool ok = row_insert(&row) >= 0;
	database_close(store);
	return ok;
}

static void choice_read(sqlite3_stmt *row, struct tuned_choice *out)
{
	for (size_t i = 0; i < SIZES; i++)
		out->shape.size[sizes[i]] = sqlite3_column_int(row, (int)i);
	int next = SIZES;
	out->beta_is_0 = sqlite3_column_int(row, next++) != 0;
	column_copy(row, next++, out->constants, sizeof out->constants);
	out->median = sqlite3_column_double(row, next++);
	out->gain = sqlite3_column_double(row, next++);
	out->gain_low = sqlite3_column_double(row, next++);
	out->gain_high = sqlite3_column_double(row, next++);
	column_copy(row, next++, out->library, sizeof out->library);
	out->library_ratio = sqlite3_column_double(row, next++);
	out->tried = sqlite3_column_int64(row, next++);
	out->judged = sqlite3_column_int(row, next++) != 0;
	column_copy(row, next, out->when, sizeof out->when);
}

static bool choices_read(struct store *store, const struct tuned_key *key,
						 struct tuned_choices *out, struct error *err)
{
	bool failed = true;
	sqlite3_stmt *row = database_prepare(
		store,
		"SELECT m, n, k, batch, group_size, beta_is_0, constants, median, gain, gain_low, "
		"gain_high, library, library_ratio, tried, judged, chosen FROM schedule WHERE "
		"device = ?1 AND problem = ?2 AND content = ?3 AND epilogue = ?4 AND nvcc_flags = ?5 "
		"ORDER BY chosen, m, n, k, batch, group_size, scalars",
		err);
	if (row == NULL)
		return false;
	bind_file(row, key);
	while (database_next(store, row, &failed, err)) {
		struct tuned_choice *choice = grow((void **)&out->items, &out->count, sizeof *choice);
		failed = choice == NULL;
		if (failed) {
			error_set(err, "out of memory for the schedules of %s", store->path);
			break;
		}
		choice_read(row, choice);
	}
	sqlite3_finalize(row);
	return !failed;
}

bool tuned_choices(const char *path, const struct tuned_key *key, struct tuned_choices *out,
				   struct error *err)
{
	*out = (struct tuned_choices){0};
	if (!is_there(path))
		return true;
	struct store *store = database_open(path, store_schema, false, err);
	bool ok = store != NULL && choices_read(store, key, out, err);
	database_close(store);
	if (!ok)
		tuned_choices_free(out);
	return ok;
}

void tuned_choices_free(struct tuned_choices *choices)
{
	free(choices->items);
	*choices = (struct tuned_choices){0};
}

/* ---- which one suits ------------------------------------------------------------------ */

static int32_t alignment(int32_t size)
{
	int32_t power = size & -size;
	return power < ALIGNMENT_MAX ? power : ALIGNMENT_MAX;
}

/* The sum of squares of the sizes' log2 ratios; infinite in another class, or too far. */
static double distance(const struct tuned_choice *choice, const struct test_case *test)
{
	double sum = 0;
	if (choice->beta_is_0 != (test->scalar[SCALAR_BETA] == 0.0f))
		return HUGE_VAL;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		int32_t a = choice->shape.size[i], b = test->shape.size[i];
		double ratio = log2((double)a / (double)b);
		if (alignment(a) != alignment(b) || !(fabs(ratio) <= log2(FACTOR_MAX)))
			return HUGE_VAL;
		sum += ratio * ratio;
	}
	return sum;
}

const struct tuned_choice *tuned_nearest(const struct tuned_choices *choices,
										 const struct test_case *test, bool *exact)
{
	const struct tuned_choice *nearest = NULL;
	double least = HUGE_VAL;
	for (size_t i = 0; i < choices->count; i++) {
		double at = distance(&choices->items[i], test);
		if (at <= least && at < HUGE_VAL) { /* of equal ones the newest */
			least = at;
			nearest = &choices->items[i];
		}
	}
	*exact = nearest != NULL && least == 0;
	return nearest;
}
