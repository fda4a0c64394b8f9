/* What the contestant does before it loads the solution: what may be needed later is loaded while
 * that is still possible, then the process is closed. */
#ifndef GEMMJUDGE_CONTESTANT_ENCLOSE_H
#define GEMMJUDGE_CONTESTANT_ENCLOSE_H

#include "process/protocol.h"

/* The context must exist. Fills the layers that hold, and why others do not, in the reply. */
void enclose(const struct contestant_open *request, struct contestant_open_reply *reply);

#endif
