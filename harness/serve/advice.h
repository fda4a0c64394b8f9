/* What a judge's sentences advise, for those who submit. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_ADVICE_H
#define GEMMJUDGE_SERVE_ADVICE_H

#include <jansson.h>

/* A sentence of `judge`, without what it advises by options that only who runs a judge can give:
 * "(--timeout SECONDS gives it more)" is left out. "" where nothing else is said. For the caller to
 * free; NULL: memory is short. */
char *advice_text(const char *sentence);

/* Applies advice_text() to an event's or a result's sentences: detail, reason, hints, the cases'
 * details. What nothing is left of is no hint any more. */
void advice_apply(json_t *json);

#endif
