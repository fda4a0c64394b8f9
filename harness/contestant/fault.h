/* What the process says on stderr of its own end: where host code touched memory that is not its
 * own, and where the solution is when its time is over. The judge quotes it; nothing rests on it,
 * as the solution may take the handlers away. */
#ifndef GEMMJUDGE_CONTESTANT_FAULT_H
#define GEMMJUDGE_CONTESTANT_FAULT_H

#include <stddef.h>

#include "contestant/call.h"
#include "contestant/cudart.h"
#include "process/protocol.h"

#define FAULT_NAME 128

/* Once, before the solution is loaded. Begins with no call. */
void fault_open(const struct cudart *cudart);

/* The buffers of the call that comes; what was said of the last one's is forgotten. */
void fault_forget(void);
void fault_buffer(const char *name, const void *base, size_t bytes);

/* How far the main thread is in a call. */
enum fault_doing { FAULT_BETWEEN, FAULT_SOLVE, FAULT_DEVICE };
void fault_is(enum fault_doing doing);

#endif
