/* One judge a GPU: two that measure at once measure each other. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_LOCK_H
#define GEMMJUDGE_JUDGE_LOCK_H

#include "process/protocol.h"

enum lock_state {
	LOCK_HELD,  /* *fd holds it; closing it, or the end of the process, gives it back */
	LOCK_BUSY,  /* another judge has it */
	LOCK_AMISS, /* there is no file to lock: nobody is kept out */
};

/* Takes the lock of a device, if it is free: a file in /tmp, where the judges of all users find it,
 * with the device's name in its own. */
enum lock_state lock_take(const char *device, int *fd);

/* The device's name for its lock; "" where it needs none. */
void lock_name(const struct device_choice *choice, const struct device_facts *facts, char out[64]);

#endif
