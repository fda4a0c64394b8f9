/* links: emulator_core */
#include <criterion/criterion.h>
#include <stdbool.h>

#include "emulator/launch/order.h"

/* Every cluster is begun once, and stays among those that are begun at about its time. */
Test(order, places_are_a_permutation)
{
	static const uint64_t totals[] = {1, 2, 3, 7, 16, 60, 64, 65, 127, 200};
	for (uint64_t order = 0; order < 64; order++)
		for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
			bool begun[200] = {false};
			for (uint64_t i = 0; i < totals[t]; i++) {
				uint64_t place = order_place(order * 0x9e3779b9, i, totals[t]);
				cr_assert_lt(place, totals[t]);
				cr_assert_not(begun[place], "order %d, %d of %d", (int)order, (int)i,
							  (int)totals[t]);
				cr_assert_eq(place / ORDER_WINDOW, i / ORDER_WINDOW);
				begun[place] = true;
			}
		}
}

Test(order, kinds)
{
	cr_expect_eq(order_place(ORDER_ISSUED, 3, 10), 3);
	cr_expect_eq(order_place(ORDER_REVERSED, 3, 10), 6);
	const uint64_t late = order_place(ORDER_DELAYED + 4 * 77, 9, 10);
	for (uint64_t i = 0; i < 9; i++)
		cr_expect_eq(order_place(ORDER_DELAYED + 4 * 77, i, 10), i + (i >= late));
	unsigned moved = 0;
	for (uint64_t i = 0; i < 60; i++)
		moved += order_place(ORDER_SHUFFLED + 4 * 77, i, 60) != i;
	cr_expect_gt(moved, 30);
}

Test(order, draws_differ)
{
	unsigned late[10] = {0}, different = 0;
	for (uint64_t draw = 0; draw < 200; draw++)
		late[order_place(ORDER_DELAYED + 4 * draw, 9, 10)]++;
	for (size_t i = 0; i < 10; i++)
		different += late[i] > 0;
	cr_expect_eq(different, 10);
}

Test(order, next_is_ready)
{
	for (uint64_t order = 0; order < 400; order++)
		for (uint64_t ready = 1; ready < 64; ready++)
			cr_assert(ready >> order_next(order, ready, 6) & 1);
	cr_expect_eq(order_next(ORDER_ISSUED, 0x2c, 6), 2);
	cr_expect_eq(order_next(ORDER_REVERSED, 0x2c, 6), 5);
	cr_expect_eq(order_next(ORDER_REVERSED, (uint64_t)1 << 63, 64), 63);
}
