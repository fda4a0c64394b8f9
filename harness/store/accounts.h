/* Who may use `gemmjudge serve`. */
#ifndef GEMMJUDGE_STORE_ACCOUNTS_H
#define GEMMJUDGE_STORE_ACCOUNTS_H

#include <jansson.h>

#include "base/error.h"
#include "store/jobs.h"

#define ACCOUNT_NAME 65 /* with the 0 */
#define ACCOUNT_TOKEN 65
#define ACCOUNT_ID 33

enum account_role { ACCOUNT_STUDENT, ACCOUNT_TEACHER, ACCOUNT_ROLES };
extern const char *const account_roles[ACCOUNT_ROLES + 1]; /* their names; NULL behind the last */

/* The id is nobody else's, also when the account is removed and its name given again. */
struct account {
	char id[ACCOUNT_ID], name[ACCOUNT_NAME]; /* "" of nobody who needs them */
	enum account_role role;
};

/* Adds one to the store at `path`. The token is told here and nowhere else: the store has its
 * hash. False with err, also where the name is taken or is no name (letters, digits, . _ -). */
bool account_add(const char *path, const char *name, const char *role, char token[ACCOUNT_TOKEN],
				 struct error *err);
/* Removes an account; its submissions stay, and are nobody's who gets the name later. */
bool account_remove(const char *path, const char *name, struct error *err);
/* An array of objects: name, role, created, submissions; of those who were not removed. NULL with
 * err. */
json_t *accounts_list(const char *path, struct error *err);

/* Of a running server: whose token it is. False: nobody's, or, with err, it cannot be read. */
bool account_find(struct jobs *jobs, const char *token, struct account *out, struct error *err);
/* Whether the id is an account's that was not removed; true also where it cannot be read. */
bool account_is(struct jobs *jobs, const char *id);
/* *some: whether there is one, or was: who was removed counts. False where it cannot be read. */
bool accounts_any(struct jobs *jobs, bool *some);

#endif
