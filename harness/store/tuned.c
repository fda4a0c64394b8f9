#include "store/tuned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/database.h"
#include "store/scalars.h"

#define ALIGNMENT_MAX 16
#define FACTOR_MAX 4.0

#define COUNT(items) (sizeof(items) / sizeof *(items))

/* What all rows begin with. */
struct file_row {
	const char *device, *problem, *content, *epilogue, *flags;
};
static const struct column file_columns[] = {
	COLUMN("device", struct file_row, device),    COLUMN("problem", struct file_row, problem),
	COLUMN("content", struct file_row, content),  COLUMN("epilogue", struct file_row, epilogue),
	COLUMN("nvcc_flags", struct file_row, flags),
};

static struct file_row file_row(const struct tuned_key *key)
{
	return (struct file_row){key->device, key->problem->name, key->content, key->epilogue,
							 key->flags};
}

/* And what says at which case, beside the shape. */
struct scalars_row {
	char *scalars; /* owned */
};
static const struct column scalars_columns[] = {COLUMN("scalars", struct scalars_row, scalars)};

static struct scalars_row scalars_row(const struct tuned_key *key)
{
	return (struct scalars_row){scalars_of_case(key->problem, key->test)};
}

/* "SELECT these FROM table WHERE key" and the rest, with the key bound. */
static sqlite3_stmt *ask(struct store *store, const struct column_part *wanted, size_t wanted_count,
						 const char *table, const struct column_part *key, size_t key_count,
						 const char *rest, struct error *err)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	fputs("SELECT ", out);
	for (size_t i = 0; i < wanted_count; i++) {
		fputs(i > 0 ? ", " : "", out);
		columns_names(out, wanted[i].columns, wanted[i].count);
	}
	fprintf(out, " FROM %s WHERE ", table);
	columns_match(out, key, key_count);
	fputs(rest, out);
	bool ok = fclose(out) == 0 || error_set(err, "out of memory");
	sqlite3_stmt *statement = ok ? database_prepare(store, sql, err) : NULL;
	if (statement != NULL)
		columns_bind(statement, key, key_count);
	free(sql);
	return statement;
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

static const struct column trial_columns[] = {
	COLUMN("constants", struct tuned_trial, constants),
	COLUMN("outcome", struct tuned_trial, outcome),
	COLUMN("detail", struct tuned_trial, detail),
	COLUMN("median", struct tuned_trial, median),
	COLUMN("low", struct tuned_trial, low),
	COLUMN("high", struct tuned_trial, high),
	COLUMN("samples", struct tuned_trial, samples),
	COLUMN("measured", struct tuned_trial, when),
};

/* Where times come from. */
static const struct column origin_columns[] = {COLUMN("clock_mhz", struct tuned_key, clock_mhz),
											   COLUMN("driver", struct tuned_key, driver),
											   COLUMN("nvcc", struct tuned_key, nvcc)};

static bool keep_one(struct store *store, const struct tuned_key *key, struct tuned_trial trial,
					 struct error *err)
{
	const struct file_row file = file_row(key);
	const struct scalars_row scalars = scalars_row(key);
	clock_date(trial.when);
	const struct column_part parts[] = {
		COLUMN_PART(file_columns, &file), COLUMN_PART(columns_of_shape, &key->test->shape),
		COLUMN_PART(scalars_columns, &scalars), COLUMN_PART(origin_columns, key),
		COLUMN_PART(trial_columns, &trial)};
	bool ok = database_row_insert(store, "trial", parts, COUNT(parts), err) >= 0;
	free(scalars.scalars);
	return ok;
}

bool tuned_keep(const char *path, const struct tuned_key *key, const struct tuned_trial *trials,
				size_t count, struct error *err)
{
	struct store *store = database_open(path, store_schema, true, err);
	bool ok = store != NULL && database_execute(store, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; i < count && ok; i++)
		ok = keep_one(store, key, trials[i], err);
	ok = ok && database_execute(store, "COMMIT", err);
	database_close(store); /* what is not committed is rolled back */
	return ok;
}

/* Of each constants the first row: at this clock, driver and nvcc, else an imported one, else any.
 */
static sqlite3_stmt *trials_ask(struct store *store, const struct tuned_key *key, struct error *err)
{
	const struct column_part wanted[] = {COLUMN_PART(trial_columns, NULL)};
	const struct file_row file = file_row(key);
	const struct scalars_row scalars = scalars_row(key);
	const struct column_part parts[] = {COLUMN_PART(file_columns, &file),
										COLUMN_PART(columns_of_shape, &key->test->shape),
										COLUMN_PART(scalars_columns, &scalars)};
	sqlite3_stmt *row =
		ask(store, wanted, COUNT(wanted), "trial", parts, COUNT(parts),
			" AND ((clock_mhz = :clock AND driver = :driver AND nvcc = :nvcc) OR driver = ''"
			" OR :driver IS NULL)"
			" ORDER BY constants, driver = '', measured DESC",
			err);
	free(scalars.scalars);
	if (row == NULL)
		return NULL;
	sqlite3_bind_double(row, sqlite3_bind_parameter_index(row, ":clock"), key->clock_mhz);
	sqlite3_bind_text(row, sqlite3_bind_parameter_index(row, ":driver"), key->driver, -1,
					  SQLITE_STATIC);
	sqlite3_bind_text(row, sqlite3_bind_parameter_index(row, ":nvcc"), key->nvcc, -1,
					  SQLITE_STATIC);
	return row;
}

static bool trials_read(struct store *store, const struct tuned_key *key, struct tuned_trials *out,
						struct error *err)
{
	bool failed = true;
	struct tuned_trial trial;
	sqlite3_stmt *row = trials_ask(store, key, err);
	if (row == NULL)
		return false;
	while (database_next(store, row, &failed, err)) {
		const struct tuned_trial *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
		columns_take(row, 0, trial_columns, COUNT(trial_columns), &trial);
		if (last != NULL && strcmp(last->constants, trial.constants) == 0)
			continue;
		struct tuned_trial *more = grow((void **)&out->items, &out->count, sizeof *more);
		failed = more == NULL;
		if (failed) {
			error_set(err, "out of memory for the trials of %s", store->path);
			break;
		}
		*more = trial;
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

/* A number of 0 is unknown. */
static const struct column choice_columns[] = {
	COLUMN("beta_is_0", struct tuned_choice, beta_is_0),
	COLUMN("constants", struct tuned_choice, constants),
	COLUMN_AS(COLUMN_KNOWN, "median", struct tuned_choice, median, NULL),
	COLUMN_AS(COLUMN_KNOWN, "gain", struct tuned_choice, gain, NULL),
	COLUMN_AS(COLUMN_KNOWN, "gain_low", struct tuned_choice, gain_low, NULL),
	COLUMN_AS(COLUMN_KNOWN, "gain_high", struct tuned_choice, gain_high, NULL),
	COLUMN("library", struct tuned_choice, library),
	COLUMN_AS(COLUMN_KNOWN, "library_ratio", struct tuned_choice, library_ratio, NULL),
	COLUMN("tried", struct tuned_choice, tried),
	COLUMN("judged", struct tuned_choice, judged),
	COLUMN("chosen", struct tuned_choice, when),
};

bool tuned_choose(const char *path, const struct tuned_key *key, const struct tuned_choice *choice,
				  struct error *err)
{
	struct tuned_choice now = *choice;
	clock_date(now.when);
	struct store *store = database_open(path, store_schema, true, err);
	if (store == NULL)
		return false;
	const struct file_row file = file_row(key);
	const struct scalars_row scalars = scalars_row(key);
	const struct column_part parts[] = {
		COLUMN_PART(file_columns, &file), COLUMN_PART(columns_of_shape, &key->test->shape),
		COLUMN_PART(scalars_columns, &scalars), COLUMN_PART(choice_columns, &now)};
	bool ok = database_row_insert(store, "schedule", parts, COUNT(parts), err) >= 0;
	free(scalars.scalars);
	database_close(store);
	return ok;
}

static bool choices_read(struct store *store, const struct tuned_key *key,
						 struct tuned_choices *out, struct error *err)
{
	bool failed = true;
	const struct file_row file = file_row(key);
	const struct column_part parts[] = {COLUMN_PART(file_columns, &file)};
	const struct column_part wanted[] = {COLUMN_PART(choice_columns, NULL),
										 COLUMN_PART(columns_of_shape, NULL)};
	sqlite3_stmt *row = ask(store, wanted, COUNT(wanted), "schedule", parts, COUNT(parts),
							" ORDER BY chosen, m, n, k, batch, group_size, scalars", err);
	if (row == NULL)
		return false;
	while (database_next(store, row, &failed, err)) {
		struct tuned_choice *choice = grow((void **)&out->items, &out->count, sizeof *choice);
		failed = choice == NULL;
		if (failed) {
			error_set(err, "out of memory for the schedules of %s", store->path);
			break;
		}
		columns_take(row, 0, choice_columns, COUNT(choice_columns), choice);
		columns_take(row, COUNT(choice_columns), columns_of_shape, SHAPE_COLUMNS, &choice->shape);
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
	for (size_t i = 0; i < SIZE_NAMED; i++) {
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
