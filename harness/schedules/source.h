/* Whether a solution's text keeps to its declaration. Internal to schedules/. */
#ifndef GEMMJUDGE_SCHEDULES_SOURCE_H
#define GEMMJUDGE_SCHEDULES_SOURCE_H

#include "schedules/space.h"

#define SOURCE_BYTES ((size_t)64 << 20) /* of a file, as the compiler has it */

/* Whether each constant is used in the file or in what it includes from its own folder, and is
 * defined there as its default behind an #ifndef, so that -D can say otherwise. False with err,
 * which begins with FILE:LINE. */
bool source_keeps_to(const struct space *space, struct error *err);

#endif
