/* links: base */
/* The expected digests are those of `b2sum -l 256`, fed with each piece behind its length in eight
 * bytes, the lowest first. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/hash.h"

static void gives(const void *bytes, size_t count, const char *digest)
{
	struct hash hash;
	char text[HASH_TEXT];
	hash_begin(&hash);
	hash_add(&hash, bytes, count);
	hash_end(&hash, text);
	cr_expect_str_eq(text, digest);
}

Test(hash, is_blake2b_with_256_bits)
{
	char *zeros = calloc(1, 100000);
	gives("", 0, "81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c");
	gives("abc", 3, "3bdc62cfd65e3b78e3d90e32e0a91ebfbc229c30abe54e6abd16c5d4def0db7b");
	gives(zeros, 100000, "0c8367b37d111185de1f5728dd5d8546647c1bc5daa02e98ef0b78de60bc8854");
	free(zeros);
}

Test(hash, pieces_are_told_apart)
{
	struct hash hash;
	char one[HASH_TEXT], other[HASH_TEXT];
	hash_begin(&hash);
	hash_add_text(&hash, "ab");
	hash_add_text(&hash, "c");
	hash_end(&hash, one);
	hash_begin(&hash);
	hash_add_text(&hash, "a");
	hash_add_text(&hash, "bc");
	hash_end(&hash, other);
	cr_expect_str_neq(one, other);
	cr_expect_str_eq(one, "20263e794775e4edf2b306c0f306af9e50175c831c857604b481e847f790bf95");
}
