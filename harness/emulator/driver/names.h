/* The driver's functions by name: calls.def as a table. */
#ifndef EMULATOR_DRIVER_NAMES_H
#define EMULATOR_DRIVER_NAMES_H

#include <stddef.h>

struct driver_name {
	const char *name; /* as programs ask for it */
	int version;      /* of CUDA, that brought this form of it: 12080 is 12.8 */
	int (*function)(void);
};
extern const struct driver_name driver_names[];
extern const size_t driver_name_count;

#endif
