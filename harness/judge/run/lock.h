/* Judges of one GPU: two that measure at once measure each other, and those that only look whether
 * results are right do not mind company. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_LOCK_H
#define GEMMJUDGE_JUDGE_RUN_LOCK_H

#include <stdbool.h>

#include "process/protocol.h"

#define LOCK_PATH 128

enum lock_mode {
	LOCK_ALONE,  /* nobody else has it in any mode */
	LOCK_SHARED, /* others may have it so, too */
};

enum lock_state {
	LOCK_HELD,  /* *fd holds it; closing it, or the end of the process, gives it back */
	LOCK_BUSY,  /* another judge has it */
	LOCK_AMISS, /* there is no file to lock: nobody is kept out; errno says why */
};

/* Takes the lock of a device, if it is free: a file in /tmp, where the judges of all users find it,
 * with the device's name in its own. */
enum lock_state lock_take(const char *device, enum lock_mode mode, int *fd);
void lock_path(const char *device, char out[LOCK_PATH]);

/* One of so many places that judges who share the device have, so that its memory suffices for all:
 * a file for each. False where none is free; what cannot be locked is. */
bool lock_place(const char *device, unsigned places, int *fd);

/* Waits for one of the few places of those who make or end a context on the device: the driver does
 * that one after the other, and who is in its way meanwhile burns a core. A descriptor to close, or
 * -1: it is made all the same. */
int lock_context(const struct device_choice *device);

/* Waits for it, as long as nobody says that it is over. Whether it is held. Who waits to have it
 * alone goes first: from then on no other judge comes to share it. */
bool lock_wait(const char *device, enum lock_mode mode, int *fd, bool (*over)(const void *context),
			   const void *context);

/* The device's name for its lock; "" where it needs none. */
void lock_name(const struct device_choice *choice, const struct device_properties *facts,
			   char out[64]);

#endif
