#include "store/accounts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "store/database.h"
#include "store/jobs_open.h"

const char *const account_roles[ACCOUNT_ROLES + 1] = {"student", "teacher", NULL};

/* A token is 256 random bits: nobody finds it by trying, so that a plain hash hides it. */
static void token_hash(const char *token, char out[HASH_TEXT])
{
	struct hash hash;
	hash_begin(&hash);
	hash_add_text(&hash, "gemmjudge token");
	hash_add_text(&hash, token);
	hash_end(&hash, out);
}

static bool token_draw(char out[ACCOUNT_TOKEN], struct error *err)
{
	for (size_t i = 0; i < 4; i++) {
		uint64_t bits;
		if (!random_draw(&bits, err))
			return false;
		snprintf(out + 16 * i, 17, "%016llx", (unsigned long long)bits);
	}
	return true;
}

static bool name_suits(const char *name, struct error *err)
{
	const size_t length = strlen(name);
	const bool good =
		length > 0 && length < ACCOUNT_NAME && name[0] != '.' && name[0] != '-' &&
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
	return good || error_set(err, "a user's name has letters, digits, . _ and -, and at most %d",
							 ACCOUNT_NAME - 1);
}

/* One statement with texts, in the store at `path`; *changed: a row. */
static bool execute(const char *path, const char *sql, const char *const *texts, size_t count,
					bool *changed, struct error *err)
{
	struct store *store = database_open(path, store_schema, true, err);
	sqlite3_stmt *statement = store != NULL ? database_prepare(store, sql, err) : NULL;
	bool ok = statement != NULL;
	for (size_t i = 0; i < count && ok; i++)
		sqlite3_bind_text(statement, (int)i + 1, texts[i], -1, SQLITE_STATIC);
	ok = ok && (sqlite3_step(statement) == SQLITE_DONE || database_refused(store, err));
	*changed = ok && sqlite3_changes(store->database) > 0;
	sqlite3_finalize(statement);
	database_close(store);
	return ok;
}

bool account_add(const char *path, const char *name, const char *role, char token[ACCOUNT_TOKEN],
				 struct error *err)
{
	char hash[HASH_TEXT];
	bool added;
	if (!name_suits(name, err) || !token_draw(token, err))
		return false;
	token_hash(token, hash);
	const char *const texts[] = {name, role, hash};
	return execute(path,
				   "INSERT OR IGNORE INTO account (id, name, role, token, created) VALUES "
				   "(lower(hex(randomblob(16))), ?1, ?2, ?3, unixepoch() + 0.0)",
				   texts, 3, &added, err) &&
		   (added || error_set(err, "there is a user %s already: remove it first", name));
}

bool account_remove(const char *path, const char *name, struct error *err)
{
	bool removed;
	const char *const texts[] = {name};
	return execute(path,
				   "UPDATE account SET removed = unixepoch() + 0.0, token = NULL WHERE name = ?1 "
				   "AND removed IS NULL",
				   texts, 1, &removed, err) &&
		   (removed || error_set(err, "there is no user '%.64s'", name));
}

json_t *accounts_list(const char *path, struct error *err)
{
	bool failed = false;
	json_t *list = json_array();
	struct store *store = database_open(path, store_schema, true, err);
	sqlite3_stmt *row =
		store == NULL
			? NULL
			: database_prepare(store,
							   "SELECT name, role, created, (SELECT count(*) FROM job "
							   "WHERE job.account = account.id) FROM account WHERE removed "
							   "IS NULL ORDER BY name",
							   err);
	while (row != NULL && database_next(store, row, &failed, err))
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:f, s:I}", "name", sqlite3_column_text(row, 0), "role",
							sqlite3_column_text(row, 1), "created", sqlite3_column_double(row, 2),
							"submissions", (json_int_t)sqlite3_column_int64(row, 3)));
	const bool ok = row != NULL && !failed;
	sqlite3_finalize(row);
	database_close(store);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

bool account_find(struct jobs *jobs, const char *token, struct account *out, struct error *err)
{
	char hash[HASH_TEXT];
	bool failed = false;
	err->message[0] = '\0';
	sqlite3_stmt *row =
		jobs_statement(&jobs->reads, "SELECT name, role, id FROM account WHERE token = ?1", err);
	if (row == NULL)
		return false;
	token_hash(token, hash);
	sqlite3_bind_text(row, 1, hash, -1, SQLITE_STATIC);
	const bool found = database_next(jobs->reads.store, row, &failed, err);
	if (found) {
		snprintf(out->name, sizeof out->name, "%s", (const char *)sqlite3_column_text(row, 0));
		snprintf(out->id, sizeof out->id, "%s", (const char *)sqlite3_column_text(row, 2));
		const size_t role =
			text_index((const char *)sqlite3_column_text(row, 1), account_roles, ACCOUNT_ROLES);
		out->role = role == ACCOUNT_TEACHER ? ACCOUNT_TEACHER : ACCOUNT_STUDENT;
	}
	jobs_done(&jobs->reads, row);
	return found;
}

/* Whether a row comes: *some. False where it cannot be read. */
static bool finds(struct jobs *jobs, const char *sql, const char *text, bool *some)
{
	struct error err;
	bool failed = false;
	sqlite3_stmt *row = jobs_statement(&jobs->reads, sql, &err);
	if (row == NULL)
		return false;
	if (text != NULL)
		sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
	const bool found = database_next(jobs->reads.store, row, &failed, &err);
	jobs_done(&jobs->reads, row);
	if (!failed)
		*some = found;
	return !failed;
}

bool account_is(struct jobs *jobs, const char *id)
{
	bool some = true;
	return !finds(jobs, "SELECT 1 FROM account WHERE id = ?1 AND removed IS NULL", id, &some) ||
		   some;
}

bool accounts_any(struct jobs *jobs, bool *some)
{
	return finds(jobs, "SELECT 1 FROM account LIMIT 1", NULL, some);
}
