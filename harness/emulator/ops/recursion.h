/* Calls of functions that have not returned yet: the warp's list of what their return restores. */
#ifndef EMULATOR_OPS_RECURSION_H
#define EMULATOR_OPS_RECURSION_H

#include "emulator/exec/warp.h"

/* At the start of a block; and at the end. */
void recursion_clear(struct warp *warp);
void recursion_free(struct warp *warp);

#endif
