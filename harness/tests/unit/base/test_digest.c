/* links: digest */
/* The digest of results by the CPU: its function is BLAKE3's, and no change of a result leaves it
 * as it was. digest/kernel.cu compares the GPU's with it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

/* ---- the compression function, written down once more ------------------------------ */

static uint32_t turn(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static void quarter(uint32_t v[16], const int at[4], uint32_t x, uint32_t y)
{
	uint32_t a = v[at[0]], b = v[at[1]], c = v[at[2]], d = v[at[3]];
	a = a + b + x;
	d = turn(d ^ a, 16);
	c = c + d;
	b = turn(b ^ c, 12);
	a = a + b + y;
	d = turn(d ^ a, 8);
	c = c + d;
	b = turn(b ^ c, 7);
	v[at[0]] = a, v[at[1]] = b, v[at[2]] = c, v[at[3]] = d;
}

static const uint32_t initial[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
									0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

/* BLAKE3's, section 2.2 of its paper, with any number of rounds; the state that comes next. */
static void compress(const uint32_t state[8], const uint32_t block[16], const uint32_t last[4],
					 int rounds, uint32_t out[8])
{
	static const int lanes[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
									{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
	static const int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
	uint32_t v[16], m[16], next[16];
	memcpy(v, state, 32);
	memcpy(v + 8, initial, 16);
	memcpy(v + 12, last, 16);
	memcpy(m, block, sizeof m);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 8; i++)
			quarter(v, lanes[i], m[2 * i], m[2 * i + 1]);
		for (int i = 0; i < 16; i++)
			next[i] = m[order[i]];
		memcpy(m, next, sizeof m);
	}
	for (int i = 0; i < 8; i++)
		out[i] = v[i] ^ v[i + 8];
}

/* The digest of no bytes that BLAKE3's test vectors have: one block of zeros, of length 0, which is
 * the first and the last of its chunk and the root. */
Test(digest, test_knows_blake3)
{
	const uint32_t block[16] = {0}, last[4] = {0, 0, 0, 1 | 2 | 8};
	uint32_t out[8];
	compress(initial, block, last, 7, out);
	unsigned char bytes[32];
	memcpy(bytes, out, 32);
	static const char hex[] = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
	char got[65];
	for (int i = 0; i < 32; i++)
		snprintf(got + 2 * i, 3, "%02x", bytes[i]);
	cr_assert_str_eq(got, hex);
}

Test(digest, compresses_as_blake3_does)
{
	uint32_t block[16], state[8], want[8];
	for (uint32_t i = 0; i < 16; i++)
		block[i] = 0x9E3779B9u * (i + 1);
	for (uint32_t place = 1; place != 0; place <<= 1) {
		const uint32_t tile = ~place, last[4] = {tile, 0, 64, place};
		digest_begin(state);
		cr_assert(memcmp(state, initial, sizeof state) == 0);
		compress(state, block, last, DIGEST_ROUNDS, want);
		digest_compress(state, block, tile, place);
		cr_assert(memcmp(state, want, sizeof state) == 0, "at place %08x", (unsigned)place);
	}
}

/* How many of the 128 bits change, of `flips` single bits of a block and of where it stands. */
static void count_changes(int rounds, int *least, int *most)
{
	*least = 128, *most = 0;
	for (uint32_t bit = 0; bit < 18 * 32; bit++) {
		int changed = 0;
		for (uint32_t trial = 0; trial < 32; trial++) {
			uint32_t block[18], before[8], after[8];
			for (uint32_t i = 0; i < 18; i++)
				block[i] = 0x9E3779B9u * (trial + 1) * (2 * i + 1) ^ trial << i;
			const uint32_t last[4] = {block[16], 0, 64, block[17]};
			compress(initial, block, last, rounds, before);
			block[bit / 32] ^= 1u << bit % 32;
			const uint32_t other[4] = {block[16], 0, 64, block[17]};
			compress(initial, block, other, rounds, after);
			for (int i = 0; i < 4; i++)
				changed += __builtin_popcount(before[i] ^ after[i]);
		}
		changed /= 32;
		*least = changed < *least ? changed : *least;
		*most = changed > *most ? changed : *most;
	}
}

/* One round less than there are does so already; one alone does not. */
Test(digest, each_bit_changes_half_of_it)
{
	int least, most;
	count_changes(DIGEST_ROUNDS - 1, &least, &most);
	cr_expect(least >= 56 && most <= 72, "%d to %d of 128", least, most);
	count_changes(1, &least, &most);
	cr_expect_lt(least, 32, "the test finds what is mixed badly, not %d", least);
}

/* ---- whole results ------------------------------------------------------------------ */

static const size_t sizes[] = {
	0, 1, 15, 16, 17, DIGEST_TILE, DIGEST_TILE + 1, 5 << 20, 1024 * DIGEST_TILE + 1};

static struct digest of(const uint8_t *bytes, size_t count)
{
	struct digest out;
	cr_assert(digest_of(bytes, count, &out), "out of memory");
	return out;
}

static bool same(struct digest a, struct digest b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* Different in neighbouring bytes, leaves and tiles. */
static uint8_t *some_bytes(size_t count)
{
	uint8_t *bytes = malloc(count + 1);
	uint32_t state = 12345;
	cr_assert_not_null(bytes);
	for (size_t i = 0; i <= count; i++) {
		state = state * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(state >> 24);
	}
	return bytes;
}

static void expect_change(uint8_t *bytes, size_t count, struct digest before, size_t at)
{
	static const uint8_t flips[] = {1, 0x80, 0xFF};
	uint8_t flip = flips[at % 3];
	bytes[at] ^= flip;
	cr_assert_not(same(of(bytes, count), before), "byte %zu of %zu", at, count);
	bytes[at] ^= flip;
}

Test(digest, sees_every_byte_that_changes)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t count = sizes[i], step = count / (count > DIGEST_TILE + 1 ? 11 : 97) + 1;
		uint8_t *bytes = some_bytes(count);
		struct digest before = of(bytes, count);
		for (size_t at = 0; at < count; at += step)
			expect_change(bytes, count, before, at);
		if (count > 0)
			expect_change(bytes, count, before, count - 1);
		cr_assert(same(of(bytes, count), before), "the same bytes, the same digest");
		bytes[count] ^= 1; /* behind the end */
		cr_assert(same(of(bytes, count), before), "%zu bytes and no more", count);
		free(bytes);
	}
}

static void expect_order(size_t count, size_t a, size_t b, size_t bytes_each)
{
	uint8_t *bytes = some_bytes(count), *kept = malloc(bytes_each);
	struct digest before = of(bytes, count);
	cr_assert_not_null(kept);
	memcpy(kept, bytes + a, bytes_each);
	cr_assert_neq(memcmp(kept, bytes + b, bytes_each), 0);
	memcpy(bytes + a, bytes + b, bytes_each);
	memcpy(bytes + b, kept, bytes_each);
	cr_assert_not(same(of(bytes, count), before), "%zu bytes at %zu and %zu of %zu", bytes_each, a,
				  b, count);
	free(bytes);
	free(kept);
}

Test(digest, sees_bytes_that_change_places)
{
	const size_t piece = sizeof(struct digest), row = DIGEST_LEAVES * piece, tile = DIGEST_TILE;
	expect_order(17, 0, 16, 1);
	expect_order(tile, 0, 3, 1);
	expect_order(tile, 0, piece, piece);               /* two leaves */
	expect_order(tile, 5 * piece, 100 * piece, piece); /* far apart */
	expect_order(tile, 0, row, piece);                 /* within a leaf */
	expect_order(tile, 0, 4 * row, 4 * row);           /* the blocks of all leaves */
	expect_order(2 * tile, 0, tile, 1);
	expect_order(2 * tile, 0, tile, tile);
	expect_order(5 << 20, 3 * tile, 200 * tile, tile);
	expect_order(1024 * tile + 1, 1024 * tile, 7, 1); /* two tiles of the second level */
}

/* Pieces of the same bytes at other places: what has a part in each digest is where it stands. */
Test(digest, tells_places_apart)
{
	struct digest pieces[DIGEST_PIECES] = {0}, children[4] = {0};
	struct digest leaf = digest_leaf(pieces, 3, 0, 5),
				  parent = digest_parent(children, 4, 3, 0, 5, 1);
	cr_assert_not(same(leaf, digest_leaf(pieces, 4, 0, 5)));
	cr_assert_not(same(leaf, digest_leaf(pieces, 3, 1, 5)));
	cr_assert_not(same(leaf, digest_leaf(pieces, 3, 0, 6)));
	cr_assert_not(same(parent, digest_parent(children, 4, 4, 0, 5, 1)));
	cr_assert_not(same(parent, digest_parent(children, 4, 3, 1, 5, 1)));
	cr_assert_not(same(parent, digest_parent(children, 4, 3, 0, 6, 1)));
	cr_assert_not(same(parent, digest_parent(children, 4, 3, 0, 5, 2)));
	cr_assert(same(parent, digest_parent(children, 2, 3, 0, 5, 1)), "missing ones are zero");
}

/* The length is known before; what is not there counts as zero. */
Test(digest, has_a_tile_at_least)
{
	const uint8_t zeros[32] = {0};
	cr_assert_eq(digest_tiles(0), 1);
	cr_assert_eq(digest_tiles(1), 1);
	cr_assert_eq(digest_tiles(DIGEST_TILE), 1);
	cr_assert_eq(digest_tiles(DIGEST_TILE + 1), 2);
	cr_assert_eq(digest_tiles(10 * (uint64_t)DIGEST_TILE), 10);
	cr_assert(same(of(zeros, 0), of(zeros, 32)));
	struct digest none = {{0}};
	cr_assert_not(same(of(zeros, 0), none));
}
