/* Where judgements are remembered. */
#ifndef GEMMJUDGE_STORE_PLACE_H
#define GEMMJUDGE_STORE_PLACE_H

#include "base/paths.h"

/* The store's file: `asked` (of --store; NULL: none), else $GEMMJUDGE_STORE, else store.db in
 * $XDG_DATA_HOME/gemmjudge, in ~/.local/share/gemmjudge, or, where no home can be written, in
 * $TMPDIR/gemmjudge-UID. The folders of the last three are made where they are missing. *out is ""
 * where GEMMJUDGE_STORE is "none". False with err where there is no such place. */
bool store_place(const char *asked, char out[PATHS_MAX], struct error *err);

/* As store_place(); false also where it is "". */
bool store_needed(const char *asked, char out[PATHS_MAX], struct error *err);

/* The i-th place where the store of this run or another may lie, "" where there is none; false
 * behind the last. Makes nothing. */
bool store_candidate(const char *asked, size_t i, char out[PATHS_MAX]);

#endif
