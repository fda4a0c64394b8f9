/* What the contestant does before it loads the solution: what may be needed later is loaded while
 * that is still possible, then the process is closed. */
#ifndef GEMMJUDGE_CONTESTANT_ENCLOSE_H
#define GEMMJUDGE_CONTESTANT_ENCLOSE_H

#include "contestant/cudart.h"
#include "process/protocol.h"

/* The context must exist. Fills the layers that hold, and why others do not, in the reply, and who
 * is told of what is denied. Returns the descriptor that goes with the reply, or -1; to be closed
 * once it is sent: who has it can answer in the supervisor's place. Files are opened by nobody
 * until the supervisor listens. */
int enclose(const struct contestant_open *request, const struct cudart *cudart,
			struct contestant_open_reply *reply);

#endif
