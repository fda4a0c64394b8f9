/* links: schedules compile testcases base */
/* What machine code says of its kernels' registers and memory. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/paths.h"
#include "schedules/resources.h"

Test(resources, refuse_what_is_no_library)
{
	struct resources resources;
	struct error err;
	char bytes[256] = {0x7f, 'E', 'L', 'F', 2};
	cr_expect_not(resources_parse("", 0, &resources, &err));
	cr_expect_not(resources_parse(bytes, sizeof bytes, &resources, &err));
	memset(bytes + 16, 0xff, sizeof bytes - 16);
	cr_expect_not(resources_parse(bytes, sizeof bytes, &resources, &err));
	cr_expect_not(resources_read("/nonexistent", &resources, &err));
	cr_expect(strstr(err.message, "/nonexistent") != NULL);
}

Test(resources, are_those_of_a_compiled_kernel)
{
	struct resources resources;
	struct error err;
	char path[PATHS_MAX];
	cr_assert(paths_source(path, &err));
	strcat(path, "/harness/tests/fuzz/seeds/resources/kernel.so");
	cr_assert(resources_read(path, &resources, &err), "%s", err.message);
	const struct kernel_resources *k = resources_find(&resources, "k");
	cr_assert(k != NULL && resources.count == 1);
	cr_expect_eq(k->static_shared, 2048, "512 floats: %d", (int)k->static_shared);
	cr_expect(k->registers > 0 && k->registers < 32);
	cr_expect_eq(k->stack_bytes, 0);
	cr_expect_gt(k->code_bytes, 0);
	resources_free(&resources);
}
