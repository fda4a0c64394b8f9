/* links: schedules compile testcases base; seeds: harness/tests/fuzz/seeds/resources */
/* words: harness/schedules/resources.c */
/* Libraries of compiled solutions, whose machine code could be anything: an error in a line, or
 * kernels with names. */
#include <string.h>

#include "fuzz.h"
#include "schedules/resources.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct resources resources;
	struct error err = {{0}};
	if (!resources_parse(data, size, &resources, &err)) {
		if (err.message[0] == '\0' || resources.count != 0)
			fuzz_found("a failure without a word, or with kernels");
		return;
	}
	for (size_t i = 0; i < resources.count; i++)
		if (resources.kernels[i].name == NULL ||
			resources_find(&resources, resources.kernels[i].name) == NULL)
			fuzz_found("a kernel that cannot be found");
	resources_free(&resources);
}
