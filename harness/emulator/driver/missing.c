/* All of the driver's functions by name, and those that are not implemented: such a one says so
 * and returns CUDA_ERROR_NOT_SUPPORTED (801), so that a program links, starts, and can find out.
 * CUDA's headers are left out on purpose: only the names matter here. */
#include "emulator/driver/names.h"

#define NOT_SUPPORTED 801

__attribute__((format(printf, 1, 2))) void runtime_say(const char *format, ...);

static int missing(const char *name)
{
	runtime_say("%s is not implemented", name);
	return NOT_SUPPORTED;
}

#define HERE(name, symbol, version) int symbol(void);
#define MISSING(name, symbol, version)                                                             \
	__attribute__((visibility("default"))) int symbol(void);                                       \
	int symbol(void)                                                                               \
	{                                                                                              \
		return missing(#symbol);                                                                   \
	}
#include "emulator/driver/calls.def"
#undef HERE
#undef MISSING

#define HERE(name, symbol, version) {#name, version, symbol},
#define MISSING HERE
const struct driver_name driver_names[] = {
#include "emulator/driver/calls.def"
};
const size_t driver_name_count = sizeof driver_names / sizeof driver_names[0];
