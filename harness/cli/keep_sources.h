/* The sources of judged files, on their way into the store. */
#ifndef GEMMJUDGE_CLI_KEEP_SOURCES_H
#define GEMMJUDGE_CLI_KEEP_SOURCES_H

#include "base/error.h"
#include "judgement/judgement.h"

/* Keeps those of a judgement, from the file at `path`, under its name or (unless it is NULL) this
 * one; one that has changed since it was judged, or
 * is too large (store/sources.h), is left out. False with err where the store refuses. */
bool keep_sources(const char *store, const struct judgement *item, const char *path,
				  const char *name, struct error *err);

#endif
