/* links: cli */
/* Where the judges of a batch are. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/batch.h"
#include "judge/run/ahead.h"

static struct batch_places places_of(const char *device)
{
	static struct device_list list; /* the places borrow its text */
	static struct batch_places places;
	struct error err;
	cr_assert(device_list_parse(device, &list, &err), "%s", err.message);
	places = (struct batch_places){0};
	cr_assert(batch_places_take(&places, &list, 0, &err), "%s", err.message);
	return places;
}

Test(batch_places, judges_share_each_gpu_as_the_machine_bears)
{
	struct batch_places places = places_of("cuda:2,5");
	cr_assert(places.count >= 2 && places.count % 2 == 0 && places.count <= 8);
	cr_expect(places.count == 2 || places.count <= ahead_threads());
	cr_expect_eq(places.share, places.count > 2);
	for (size_t i = 0; i < places.count; i++)
		cr_expect_str_eq(places.names[i], i % 2 == 0 ? "cuda:2" : "cuda:5");
	places = places_of("cuda:0");
	cr_expect_eq(places.share, places.count > 1);
	cr_expect_eq(places.count, ahead_threads() < 4 ? ahead_threads() : 4);
}

Test(batch_places, emulated_gpus_are_nobody_elses)
{
	struct batch_places places = places_of("emu");
	cr_expect_eq(places.count, ahead_threads());
	cr_expect_not(places.share);
	places = places_of("emulated:3");
	cr_expect_eq(places.count, 3);
	cr_expect_str_eq(places.at[2], "emu");
}
