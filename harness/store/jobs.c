#include "store/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/database.h"
#include "store/guard.h"
#include "store/jobs_open.h"

#define PROBE_SECONDS 2

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- open -------------------------------------------------------------------------- */

/* One server a store: the lock is the kernel's, so that it goes with the process. */
static bool lock_take(struct jobs *jobs, const char *path, struct error *err)
{
	jobs->lock = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (jobs->lock < 0)
		return error_set(err, "the store %s: %s", path, strerror(errno));
	if (flock(jobs->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	return errno == EWOULDBLOCK
			   ? error_set(err, "the store %s: another 'gemmjudge serve' has it (--store)", path)
			   : error_set(err, "the store %s cannot be locked: %s", path, strerror(errno));
}

struct jobs *jobs_open(const char *path, bool share, struct error *err)
{
	struct jobs *jobs = calloc(1, sizeof *jobs);
	if (jobs == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	jobs->lock = -1;
	jobs->probed = -PROBE_SECONDS;
	pthread_mutex_init(&jobs->writes.mutex, NULL);
	pthread_mutex_init(&jobs->reads.mutex, NULL);
	if ((jobs->writes.store = database_open(path, store_schema, true, err)) != NULL &&
		lock_take(jobs, path, err) &&
		(jobs->reads.store = database_second(jobs->writes.store, err)) != NULL &&
		database_execute(jobs->writes.store,
						 share ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
						 err) &&
		database_execute(jobs->writes.store,
						 "UPDATE job SET state = 'waiting' WHERE state = 'judging'", err))
		return jobs;
	jobs_close(jobs);
	return NULL;
}

void jobs_close(struct jobs *jobs)
{
	if (jobs == NULL)
		return;
	database_close(jobs->reads.store);
	if (jobs->reads.store != NULL) { /* else as others left it, who may still read */
		struct error ignored;
		guard_bound(jobs->writes.store, STORE_SECONDS);
		sqlite3_busy_timeout(jobs->writes.store->database, 0);
		database_execute(jobs->writes.store, "PRAGMA journal_mode = DELETE", &ignored);
	}
	database_close(jobs->writes.store);
	if (jobs->lock >= 0)
		close(jobs->lock);
	pthread_mutex_destroy(&jobs->writes.mutex);
	pthread_mutex_destroy(&jobs->reads.mutex);
	free(jobs);
}

sqlite3_stmt *jobs_statement(struct jobs_side *side, const char *sql, struct error *err)
{
	pthread_mutex_lock(&side->mutex);
	guard_bound(side->store, STORE_SECONDS);
	sqlite3_stmt *statement = database_prepare(side->store, sql, err);
	if (statement == NULL)
		pthread_mutex_unlock(&side->mutex);
	return statement;
}

void jobs_done(struct jobs_side *side, sqlite3_stmt *statement)
{
	sqlite3_finalize(statement);
	pthread_mutex_unlock(&side->mutex);
}

static void bind(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static const char *text_at(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	return text != NULL ? text : "";
}

/* Runs it, and lets go of it. True where it changed a row; false with err, "" where it did not. */
static bool change(struct jobs_side *side, sqlite3_stmt *statement, struct error *err)
{
	err->message[0] = '\0';
	const bool ok = sqlite3_step(statement) == SQLITE_DONE || database_refused(side->store, err);
	const bool some = ok && sqlite3_changes(side->store->database) > 0;
	jobs_done(side, statement);
	return some;
}

/* ---- its course --------------------------------------------------------------------- */

bool job_insert(struct jobs *jobs, const struct job_given *job, int64_t *number, char **name,
				struct error *err)
{
	struct jobs_side *side = &jobs->writes;
	bool failed = false;
	*name = NULL;
	sqlite3_stmt *statement = jobs_statement(
		side,
		"INSERT INTO job (id, account, problem, name, options, source, state, created, seconds, "
		"attempts, bytes, practice) VALUES (?1, ?2, ?3, iif(?4 <> '', ?4, 'submission-' || (1 + "
		"coalesce((SELECT "
		"seq FROM sqlite_sequence WHERE name = 'job'), 0)) || '.cu'), ?5, ?6, 'waiting', ?7, 0, 0, "
		"?8, ?9) "
		"RETURNING number, name",
		err);
	if (statement == NULL)
		return false;
	bind(statement, 1, job->id);
	bind(statement, 2, job->account);
	bind(statement, 3, job->problem);
	bind(statement, 4, job->name);
	bind(statement, 5, job->options);
	sqlite3_bind_text64(statement, 6, job->source, job->source_length, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_double(statement, 7, now());
	sqlite3_bind_int64(statement, 8, (sqlite3_int64)(job->source_length + strlen(job->options)));
	sqlite3_bind_int(statement, 9, job->practice);
	if (database_next(side->store, statement, &failed, err)) {
		*number = sqlite3_column_int64(statement, 0);
		*name = strdup(text_at(statement, 1));
		/* it is on the disk with the statement's end */
		database_next(side->store, statement, &failed, err);
	}
	jobs_done(side, statement);
	if (*name != NULL && !failed)
		return true;
	free(*name);
	*name = NULL;
	return failed ? false : error_set(err, "out of memory");
}

bool jobs_waiting(struct jobs *jobs, job_take *take, void *context, struct error *err)
{
	bool failed = false;
	sqlite3_stmt *row =
		jobs_statement(&jobs->reads,
					   "SELECT id, account, problem, name, number FROM job WHERE state = 'waiting' "
					   "ORDER BY number",
					   err);
	if (row == NULL)
		return false;
	while (database_next(jobs->reads.store, row, &failed, err)) {
		const struct job_given job = {.id = text_at(row, 0),
									  .account = text_at(row, 1),
									  .problem = text_at(row, 2),
									  .name = text_at(row, 3)};
		take(context, &job, sqlite3_column_int64(row, 4));
	}
	jobs_done(&jobs->reads, row);
	return !failed;
}

bool job_begin(struct jobs *jobs, const char *id, char **options, char **source, int *attempts,
			   struct error *err)
{
	bool failed = false;
	*options = *source = NULL;
	sqlite3_stmt *row = jobs_statement(&jobs->writes,
									   "UPDATE job SET state = 'judging', started = ?2, attempts = "
									   "attempts + 1 WHERE id = ?1 AND state IN ('waiting', "
									   "'judging') "
									   "RETURNING options, source, attempts",
									   err);
	if (row == NULL)
		return false;
	bind(row, 1, id);
	sqlite3_bind_double(row, 2, now());
	bool ok = database_next(jobs->writes.store, row, &failed, err);
	if (ok) {
		*options = strdup(text_at(row, 0));
		*source = strdup(text_at(row, 1));
		*attempts = sqlite3_column_int(row, 2);
		/* the change is the disk's with the statement's end */
		ok = !database_next(jobs->writes.store, row, &failed, err) && !failed;
	} else if (!failed) {
		error_set(err, "%s does not wait any more", id);
	}
	jobs_done(&jobs->writes, row);
	if (ok && *options != NULL && *source != NULL)
		return true;
	free(*options);
	free(*source);
	*options = *source = NULL;
	return ok ? error_set(err, "out of memory") : false;
}

bool job_again(struct jobs *jobs, const char *id, double seconds, struct error *err)
{
	sqlite3_stmt *statement =
		jobs_statement(&jobs->writes,
					   "UPDATE job SET state = 'waiting', seconds = seconds + ?2 WHERE id = ?1 AND "
					   "state = 'judging'",
					   err);
	if (statement == NULL)
		return false;
	bind(statement, 1, id);
	sqlite3_bind_double(statement, 2, seconds);
	return change(&jobs->writes, statement, err);
}

bool job_finish(struct jobs *jobs, const char *id, const struct job_end *end, struct error *err)
{
	sqlite3_stmt *statement = jobs_statement(
		&jobs->writes,
		"UPDATE job SET state = 'done', ended = ?2, seconds = seconds + ?3, verdict "
		"= ?4, seed = ?5, detail = ?6, content = ?7, result = ?8, microseconds = ?9, "
		"bytes = bytes + ?10, practice = ?11 "
		"WHERE id = ?1",
		err);
	if (statement == NULL)
		return false;
	bind(statement, 1, id);
	sqlite3_bind_double(statement, 2, now());
	sqlite3_bind_double(statement, 3, end->seconds);
	bind(statement, 4, end->verdict);
	bind(statement, 5, end->seed);
	bind(statement, 6, end->detail);
	bind(statement, 7, end->content);
	bind(statement, 8, end->result);
	sqlite3_bind_int(statement, 11, end->practice);
	if (end->microseconds > 0)
		sqlite3_bind_double(statement, 9, end->microseconds);
	sqlite3_bind_int64(statement, 10, end->result != NULL ? (sqlite3_int64)strlen(end->result) : 0);
	return change(&jobs->writes, statement, err);
}

bool job_withdraw(struct jobs *jobs, const char *id, struct error *err)
{
	sqlite3_stmt *statement = jobs_statement(
		&jobs->writes,
		"UPDATE job SET state = 'withdrawn', source = '', ended = ?2 WHERE id = ?1 AND state = "
		"'waiting'",
		err);
	if (statement == NULL)
		return false;
	bind(statement, 1, id);
	sqlite3_bind_double(statement, 2, now());
	return change(&jobs->writes, statement, err);
}

/* ---- what is asked ------------------------------------------------------------------- */

/* The name of an account; one that is not known is its own. */
#define JOB_USER "coalesce((SELECT a.name FROM account a WHERE a.id = job.account), job.account)"
#define JOB_COLUMNS                                                                                \
	"id, number, " JOB_USER ", account, problem, name, state, created, started, ended, seconds, "  \
	"attempts, verdict, seed, detail, content, microseconds, practice, options"
static const char *const job_members[] = {
	"id",      "number",  "user",         "user_id",  "problem",  "name",    "state",
	"created", "started", "ended",        "seconds",  "attempts", "verdict", "seed",
	"error",   "content", "microseconds", "practice", "options"};
#define JOB_DATES 7 /* created, started, ended */
#define JOB_PRACTICE (JOB_MEMBERS - 2)
#define JOB_MEMBERS (sizeof job_members / sizeof *job_members)

/* "2026-11-26T14:03:09.908Z" */
static json_t *date_of(double seconds)
{
	char text[40] = "", whole[24];
	const time_t time = (time_t)seconds;
	struct tm parts;
	if (gmtime_r(&time, &parts) == NULL)
		return json_null();
	strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, sizeof text, "%s.%03dZ", whole, (int)(1000 * (seconds - (double)time)));
	return json_string(text);
}

static json_t *value_at(sqlite3_stmt *row, int column)
{
	const bool is_date = column >= JOB_DATES && column < JOB_DATES + 3;
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(row, column));
	case SQLITE_FLOAT:
		return is_date ? date_of(sqlite3_column_double(row, column))
					   : json_real(sqlite3_column_double(row, column));
	case SQLITE_TEXT: return json_string(text_at(row, column));
	default: return json_null();
	}
}

static json_t *parsed(sqlite3_stmt *row, int column)
{
	json_t *json = json_loads(text_at(row, column), 0, NULL);
	return json != NULL ? json : json_null();
}

static json_t *job_of_row(sqlite3_stmt *row)
{
	json_t *json = json_object();
	for (size_t i = 0; i + 1 < JOB_MEMBERS; i++)
		json_object_set_new(json, job_members[i],
							i == JOB_PRACTICE ? json_boolean(sqlite3_column_int(row, (int)i))
											  : value_at(row, (int)i));
	json_object_set_new(json, job_members[JOB_MEMBERS - 1], parsed(row, JOB_MEMBERS - 1));
	return json;
}

json_t *job_find(struct jobs *jobs, const char *id, bool whole, struct error *err)
{
	bool failed = false;
	json_t *json = NULL;
	err->message[0] = '\0';
	sqlite3_stmt *row = jobs_statement(&jobs->reads,
									   whole ? "SELECT " JOB_COLUMNS ", result"
											   " FROM job "
											   "WHERE id = ?1"
											 : "SELECT " JOB_COLUMNS " FROM job "
											   "WHERE id = ?1",
									   err);
	if (row == NULL)
		return NULL;
	bind(row, 1, id);
	if (database_next(jobs->reads.store, row, &failed, err))
		json = job_of_row(row);
	if (json != NULL && whole) {
		json_t *result = parsed(row, JOB_MEMBERS);
		if (json_is_object(result))
			json_object_update(json, result);
		else
			json_object_set(json, "result", result);
		json_decref(result);
	}
	jobs_done(&jobs->reads, row);
	return json;
}

char *job_source(struct jobs *jobs, const char *id, struct error *err)
{
	bool failed = false;
	char *source = NULL;
	err->message[0] = '\0';
	sqlite3_stmt *row = jobs_statement(
		&jobs->reads, "SELECT source FROM job WHERE id = ?1 AND state <> 'withdrawn'", err);
	if (row == NULL)
		return NULL;
	bind(row, 1, id);
	if (database_next(jobs->reads.store, row, &failed, err))
		source = strdup(text_at(row, 0));
	jobs_done(&jobs->reads, row);
	return source;
}

json_t *jobs_list(struct jobs *jobs, const struct job_filter *filter, struct error *err)
{
	bool failed = false;
	json_t *list = json_array();
	sqlite3_stmt *row = jobs_statement(
		&jobs->reads,
		"SELECT " JOB_COLUMNS " FROM job "
		"WHERE (?1 IS NULL OR account = ?1) AND (?2 "
		"IS NULL OR problem = ?2) AND (?3 = 0 OR number < ?3) AND (?5 IS NULL OR "
		"name = ?5) AND (?6 = 0 OR state <> 'withdrawn') AND (?7 IS NULL OR account IN "
		"(SELECT id FROM account WHERE account.name = ?7)) ORDER BY number DESC LIMIT ?4",
		err);
	if (row == NULL) {
		json_decref(list);
		return NULL;
	}
	bind(row, 1, filter->account);
	bind(row, 2, filter->problem);
	sqlite3_bind_int64(row, 3, filter->before);
	sqlite3_bind_int(row, 4, filter->limit);
	bind(row, 5, filter->name);
	sqlite3_bind_int(row, 6, filter->kept);
	bind(row, 7, filter->user);
	while (database_next(jobs->reads.store, row, &failed, err))
		json_array_append_new(list, job_of_row(row));
	jobs_done(&jobs->reads, row);
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* Those of one user are neighbours. */
static void class_add(json_t *users, sqlite3_stmt *row)
{
	json_t *last = json_array_get(users, json_array_size(users) - 1);
	const char *id = json_string_value(json_object_get(last, "id"));
	if (id == NULL || strcmp(id, text_at(row, 1)) != 0) {
		last =
			json_pack("{s:s, s:s, s:{}}", "user", text_at(row, 0), "id", text_at(row, 1), "best");
		json_array_append_new(users, last);
	}
	if (sqlite3_column_type(row, 2) != SQLITE_NULL)
		json_object_set_new(json_object_get(last, "best"), text_at(row, 2),
							json_pack("{s:o, s:o, s:o, s:o, s:o}", "id", value_at(row, 3),
									  "verdict", value_at(row, 4), "microseconds", value_at(row, 5),
									  "submissions", value_at(row, 6), "practice",
									  json_boolean(sqlite3_column_int(row, 7))));
}

json_t *jobs_class(struct jobs *jobs, struct error *err)
{
	bool failed = false;
	json_t *users = json_array();
	sqlite3_stmt *row = jobs_statement(
		&jobs->reads,
		"SELECT " JOB_USER ", account, problem, id, verdict, microseconds, of_all, practice FROM "
		"(SELECT account, problem, id, verdict, microseconds, practice, count(*) OVER of AS "
		"of_all, row_number() "
		"OVER (of ORDER BY practice, verdict IS 'accepted' DESC, "
		"iif(verdict IS 'accepted', microseconds, NULL) NULLS LAST, number DESC) AS place FROM job "
		"WHERE state = 'done' WINDOW of AS (PARTITION BY account, problem)) AS job WHERE place = 1 "
		"AND account NOT IN (SELECT id FROM account WHERE removed IS NOT NULL) "
		"UNION ALL SELECT name, id, NULL, NULL, NULL, NULL, 0, 0 FROM account WHERE role = "
		"'student' "
		"AND removed IS NULL ORDER BY 1, 2, 3",
		err);
	while (row != NULL && database_next(jobs->reads.store, row, &failed, err))
		class_add(users, row);
	if (row != NULL)
		jobs_done(&jobs->reads, row);
	if (row != NULL && !failed)
		return users;
	json_decref(users);
	return NULL;
}

/* The one number of a row, which the caller has bound; 0 where it cannot be read. */
static double number_of(struct jobs *jobs, sqlite3_stmt *row)
{
	struct error err;
	bool failed = false;
	double number = 0;
	if (database_next(jobs->reads.store, row, &failed, &err))
		number = sqlite3_column_double(row, 0);
	jobs_done(&jobs->reads, row);
	return number;
}

/* A number of an account, ?1, since ?2; ?3 is now. */
static double number_since(struct jobs *jobs, const char *sql, const char *account, double since)
{
	struct error err;
	sqlite3_stmt *row = jobs_statement(&jobs->reads, sql, &err);
	if (row == NULL)
		return 0;
	bind(row, 1, account);
	sqlite3_bind_double(row, 2, since);
	sqlite3_bind_double(row, 3, now());
	return number_of(jobs, row);
}

double jobs_seconds(struct jobs *jobs, const char *account, double since)
{
	return number_since(jobs,
						"SELECT total(seconds + iif(state = 'judging', max(?3 - started, 0), 0)) "
						"FROM job WHERE account = ?1 AND (ended > ?2 OR ended IS NULL)",
						account, since);
}

int64_t jobs_bytes(struct jobs *jobs, const char *account, double since)
{
	/* 512: what a row takes beside them */
	return (int64_t)number_since(
		jobs,
		"SELECT total(512 + iif(state = 'withdrawn' AND ended <= ?2, 0, bytes)) FROM job "
		"WHERE account = ?1",
		account, since);
}

int64_t jobs_size(struct jobs *jobs)
{
	struct error err;
	sqlite3_stmt *row =
		jobs_statement(&jobs->reads,
					   "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
					   "pragma_freelist_count, pragma_page_size",
					   &err);
	return row != NULL ? (int64_t)number_of(jobs, row) : 0;
}

bool jobs_writable(struct jobs *jobs, struct error *err)
{
	struct jobs_side *side = &jobs->writes;
	char pragma[48];
	int version = 0;
	while (store_schema[version] != NULL)
		version++;
	snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", version); /* as it is */
	pthread_mutex_lock(&side->mutex);
	if (!(clock_seconds() < jobs->probed + PROBE_SECONDS)) {
		guard_bound(side->store, STORE_SECONDS);
		if (database_execute(side->store, pragma, &jobs->refused))
			jobs->refused.message[0] = '\0';
		jobs->probed = clock_seconds();
	}
	*err = jobs->refused;
	pthread_mutex_unlock(&side->mutex);
	return err->message[0] == '\0';
}
