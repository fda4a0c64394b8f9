/* links: base */
/* Which batches the steps of solutions/batched_f16 and batched_f32 refuse. */
#include <criterion/criterion.h>
#include <string.h>

#include "../../../../solutions/batched_f32/limits.h"

/* Whether the answer has the word; with an empty one, whether there is none. */
static bool says(const char *answer, const char *word)
{
	return word[0] == '\0' ? answer == NULL : answer != NULL && strstr(answer, word) != NULL;
}

Test(batched_limits, rows_of_all_products_are_an_int)
{
	cr_assert(says(batched_too_large(32, 256, 256, 256, 128), ""));
	cr_assert(says(batched_too_large(65536, 32767, 1, 1, 8), ""));
	cr_assert(says(batched_too_large(65536, 32768, 1, 1, 8), "BATCH * M"));
	cr_assert(says(batched_too_large(1 << 20, 1 << 20, 1, 1, 128), "BATCH * M")); /* 0 in 32 bits */
	cr_assert(says(batched_too_large(BATCHED_MOST, 1, 1, 1, 64), ""));
	cr_assert(says(batched_too_large(BATCHED_MOST + 1, 1, 1, 1, 64), "BATCH * M"));
}

Test(batched_limits, other_sizes_have_room_for_whole_tiles)
{
	cr_assert(says(batched_too_large(1, 1, BATCHED_MOST, BATCHED_MOST, 64), ""));
	cr_assert(says(batched_too_large(1, 1, BATCHED_MOST + 1, 1, 64), "N or K"));
	cr_assert(says(batched_too_large(1, 1, 1, INT_MAX, 64), "N or K"));
	cr_assert(says(batched_too_large(1, 65535 * 8, 1, 1, 8), ""));
	cr_assert(says(batched_too_large(1, 65535 * 8 + 1, 1, 1, 8), "65535 blocks"));
	cr_assert(says(batched_too_large(1, 65535 * 8 + 1, 1, 1, 64), ""));
}

Test(batched_limits, offsets_within_a_tile_have_32_bits)
{
	cr_assert(says(batched_too_far(128, 256, (1 << 25) - 1, 128, 8), ""));
	cr_assert(says(batched_too_far(128, 256, 1 << 25, 128, 8), "K is too large"));
	cr_assert(says(batched_too_far(1000, 256, 1 << 25, 128, 8), "K is too large"));
	cr_assert(says(batched_too_far(64, 256, 1 << 25, 128, 8), ""));
	cr_assert(says(batched_too_far(1, 1 << 29, 8, 128, 8), "N is too large"));
	cr_assert(says(batched_too_far(1, 1 << 29, 7, 128, 8), ""));
}
