/* links: base */
/* The date as records have it. */
#define _GNU_SOURCE /* strptime, timegm */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

Test(clock, the_date_is_now_in_utc)
{
	char date[CLOCK_DATE];
	struct tm utc = {0};
	time_t before = time(NULL);
	clock_date(date);
	time_t after = time(NULL);
	const char *rest = strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	cr_assert(rest != NULL && *rest == '\0', "%s", date);
	cr_assert_eq(strlen(date), strlen("2026-11-23T05:19:07Z"));
	time_t told = timegm(&utc);
	cr_assert(told >= before && told <= after, "%s", date);
}
