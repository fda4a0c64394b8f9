/* A store that somebody else may have written: what is done before anything in it is used. Internal
 * to store/. */
#ifndef GEMMJUDGE_STORE_GUARD_H
#define GEMMJUDGE_STORE_GUARD_H

#include "store/database.h"

/* Whether a journal beside the file could make SQLite remove a file that it names: a transaction
 * over several databases has one, ours have none. To be asked before SQLite opens the file. */
bool guard_journal(const char *path, struct error *err);

/* No views, triggers and ATTACH, values and statements of bounded size, and STORE_SECONDS for all
 * that the connection does. Before its first statement. */
void guard_begin(struct store *store);

/* So many seconds from now on. */
void guard_bound(struct store *store, double seconds);

/* Whether the file holds the tables and indices that the first `version` steps of the schema make,
 * to the word, and nothing else but what SQLite itself adds. */
bool guard_schema(struct store *store, const char *const *schema, int64_t version,
				  struct error *err);

/* Whether its pages are what they seem: each is used once, so that the file cannot pretend to hold
 * more rows than it has room for. Takes as long as reading it. */
bool guard_pages(struct store *store, struct error *err);

#endif
