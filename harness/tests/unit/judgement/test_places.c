/* links: judgement testcases base; timeout: 30 */
#include <criterion/criterion.h>

#include "judgement/places.h"

static const struct shape shape = {
	{[SIZE_BATCH] = 3, [SIZE_M] = 100, [SIZE_N] = 80, [SIZE_K] = 8, [SIZE_GROUP] = 1}};

/* A full box in all three matrices. */
static struct wrong_pattern box(int32_t top, int32_t bottom, int32_t left, int32_t right)
{
	const int32_t rows = 3 * (bottom - top + 1), columns = right - left + 1;
	return (struct wrong_pattern){.elements = 3 * 100 * 80,
								  .wrong = (uint64_t)rows * (uint64_t)columns,
								  .places = {.top = top,
											 .bottom = bottom,
											 .left = left,
											 .right = right,
											 .rows = rows,
											 .columns = columns,
											 .batches = 3}};
}

static void expect(struct wrong_pattern wrong, const char *want)
{
	char text[PLACES_TEXT];
	cr_expect_str_eq(places_print(&wrong, &shape, text), want, "%s, and not %s", text, want);
}

Test(places, rows_and_columns_are_named)
{
	expect(box(36, 99, 0, 79), "the last 64 rows");
	expect(box(99, 99, 0, 79), "the last row");
	expect(box(0, 3, 0, 79), "the first 4 rows");
	expect(box(7, 7, 0, 79), "row 7");
	expect(box(0, 99, 64, 79), "the last 16 columns");
	expect(box(16, 31, 8, 15), "rows 16 to 31, columns 8 to 15");
}

Test(places, what_is_everywhere_or_nowhere)
{
	struct wrong_pattern none = {.elements = 100}, some = box(0, 99, 0, 79);
	expect(none, "");
	expect(some, "everywhere");
	some.wrong = 19 * some.wrong / 20;
	expect(some, "nearly everywhere");
	some.wrong /= 2;
	expect(some, "scattered over all of it");
	some.places.whole = (uint64_t)1 << (1 * WRONG_TILES + 2);
	expect(some, "tiles of 16x32");
}

Test(places, matrices_of_a_batch)
{
	struct wrong_pattern one = box(0, 99, 0, 79);
	one.places.batches = 1;
	one.places.first_batch = 2;
	expect(one, "matrix 2");
	one.places.batches = 2;
	expect(one, "2 matrices");
}

/* A box around a few elements says little of where they lie. */
Test(places, few_elements_are_scattered)
{
	struct wrong_pattern few = box(10, 40, 0, 79);
	few.wrong = 5;
	expect(few, "scattered in rows 10 to 40");
}
