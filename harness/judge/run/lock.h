/* One judge a GPU: two that measure at once measure each other. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_LOCK_H
#define GEMMJUDGE_JUDGE_RUN_LOCK_H

#include <stdbool.h>

#include "process/protocol.h"

#define LOCK_PATH 128

enum lock_state {
	LOCK_HELD,  /* *fd holds it; closing it, or the end of the process, gives it back */
	LOCK_BUSY,  /* another judge has it */
	LOCK_AMISS, /* there is no file to lock: nobody is kept out; errno says why */
};

/* Takes the lock of a device, if it is free: a file in /tmp, where the judges of all users find it,
 * with the device's name in its own. */
enum lock_state lock_take(const char *device, int *fd);
void lock_path(const char *device, char out[LOCK_PATH]);

/* Waits for it, as long as nobody says that it is over. Whether it is held. */
bool lock_wait(const char *device, int *fd, bool (*over)(const void *context), const void *context);

/* The device's name for its lock; "" where it needs none. */
void lock_name(const struct device_choice *choice, const struct device_properties *facts,
			   char out[64]);

#endif
