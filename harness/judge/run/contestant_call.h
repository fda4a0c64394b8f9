/* How requests go to a contestant. Internal to its link. */
#ifndef GEMMJUDGE_JUDGE_RUN_CONTESTANT_CALL_H
#define GEMMJUDGE_JUDGE_RUN_CONTESTANT_CALL_H

#include "judge/run/contestant_link.h"

#define BETWEEN_CALLS "the solution, between two calls,"

/* Sends a request and waits for the reply; `doing` is what the process does meanwhile, for
 * messages. */
struct outcome contestant_call(struct contestant_link *link, const char *doing,
							   struct child_exchange *exchange);

/* contestant_call() with a reply that is a struct contestant_reply: its status counts. */
struct outcome contestant_call_for_status(struct contestant_link *link, const char *doing,
										  struct child_exchange *exchange);

/* Seconds that what the judge's part of the process does may take. */
double contestant_call_seconds(const struct contestant_link *link);

/* A request whose reply is a struct contestant_reply and that has solve() called: what that left
 * behind is in link->left. */
struct outcome contestant_call_of_solve(struct contestant_link *link,
										struct child_exchange *exchange);

#endif
