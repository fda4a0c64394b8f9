/* The parts of jail_close(). Internal to the jail. Each returns false and says why in err. */
#ifndef GEMMJUDGE_PROCESS_JAIL_LAYERS_H
#define GEMMJUDGE_PROCESS_JAIL_LAYERS_H

#include "process/jail.h"

bool jail_files_close(const struct jail *what, struct error *err);
/* `telling` as in struct jail; `files`: of what Landlock denies, too, since it is in force. */
bool jail_calls_close(struct jail_telling *telling, bool files, struct error *err);
bool jail_namespaces_close(struct error *err);

/* Calls work(context) in every thread of the process, this one last; it must be safe in a signal
 * handler, and returns an errno value or 0. *error_number is the first that is not 0. False and
 * err: some thread could not be reached. */
bool jail_every_thread(int (*work)(long context), long context, int *error_number,
					   struct error *err);

/* Whether there is a thread besides this one; true where that cannot be known. */
bool jail_has_threads(void);

#endif
