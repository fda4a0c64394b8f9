/* Inputs from inputs: bytes, numbers, blocks, lines and words changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define CHANGES_MAX 8
#define BLOCK_MAX 512

struct input {
	uint8_t *bytes;
	size_t size;
};

/* xorshift64* */
uint64_t fuzz_random(struct fuzz_corpus *corpus, uint64_t below)
{
	uint64_t x = corpus->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	corpus->random = x;
	return below > 0 ? (x * 0x2545F4914F6CDD1Du >> 16) % below : 0;
}

/* `size` bytes take the place of the `old` at `at`, as far as there is room. */
static void replace(struct input *in, size_t at, size_t old, const uint8_t *bytes, size_t size)
{
	if (in->size - old + size > FUZZ_INPUT_MAX)
		return;
	memmove(in->bytes + at + size, in->bytes + at + old, in->size - at - old);
	if (size > 0)
		memcpy(in->bytes + at, bytes, size);
	in->size = in->size - old + size;
}

struct block {
	size_t at, size;
};

/* Some bytes of the input, or some whole lines. */
static struct block choose_block(struct fuzz_corpus *corpus, const uint8_t *bytes, size_t size)
{
	struct block block = {fuzz_random(corpus, size + 1), 0};
	size_t left = size - block.at;
	bool lines = fuzz_random(corpus, 2) == 0;
	size_t longest = fuzz_random(corpus, 4) == 0 ? BLOCK_MAX : 16;
	block.size = fuzz_random(corpus, (left < longest ? left : longest) + 1);
	while (lines && block.at > 0 && bytes[block.at - 1] != '\n') {
		block.at--;
		block.size++;
	}
	while (lines && block.at + block.size < size &&
		   (block.size == 0 || bytes[block.at + block.size - 1] != '\n'))
		block.size++;
	return block;
}

static void copy_block(struct fuzz_corpus *corpus, struct input *in, const uint8_t *from,
					   size_t size, bool over)
{
	uint8_t copy[8 * BLOCK_MAX];
	struct block block = choose_block(corpus, from, size);
	struct block to = choose_block(corpus, in->bytes, in->size);
	if (block.size > sizeof copy)
		block.size = sizeof copy;
	memcpy(copy, from + block.at, block.size);
	replace(in, to.at, over ? to.size : 0, copy, block.size);
}

static void change_number(struct fuzz_corpus *corpus, struct input *in)
{
	static const uint64_t numbers[] = {
		0,     1,          2,          3,          4,          7,         8,          16,
		31,    32,         63,         64,         127,        128,       255,        256,
		512,   1023,       1024,       4095,       4096,       32767,     32768,      65535,
		65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX};
	size_t width = (size_t)1 << fuzz_random(corpus, 4);
	if (in->size < width)
		return;
	size_t at = fuzz_random(corpus, in->size - width + 1);
	uint64_t value = 0;
	memcpy(&value, in->bytes + at, width);
	if (fuzz_random(corpus, 2) == 0)
		value = numbers[fuzz_random(corpus, sizeof numbers / sizeof *numbers)];
	else
		value += fuzz_random(corpus, 33) - 16;
	memcpy(in->bytes + at, &value, width);
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* The next number that is written in digits. */
static void change_digits(struct fuzz_corpus *corpus, struct input *in)
{
	static const char *const texts[] = {"0",          "-1",  "1",     "2147483647",
										"2147483648", "1e9", "nan",   "4294967296",
										"65536",      "0x",  "1e-45", "9223372036854775807",
										"16",         "255", "",      "18446744073709551616"};
	size_t at = fuzz_random(corpus, in->size + 1), end;
	while (at < in->size && !is_digit(in->bytes[at]))
		at++;
	for (end = at; end < in->size && is_digit(in->bytes[end]);)
		end++;
	char text[32];
	if (fuzz_random(corpus, 2) == 0)
		snprintf(text, sizeof text, "%s", texts[fuzz_random(corpus, sizeof texts / sizeof *texts)]);
	else
		snprintf(text, sizeof text, "%u", (unsigned)fuzz_random(corpus, 300));
	if (at < in->size)
		replace(in, at, end - at, (const uint8_t *)text, strlen(text));
}

/* Where one of two numbers that were compared stands, the other takes its place. */
static void change_compared(struct fuzz_corpus *corpus, struct input *in)
{
	uint64_t pair[2];
	size_t width;
	if (!fuzz_coverage_compared(fuzz_random(corpus, 0xFFFFFFFFFFFF), pair, &width) ||
		in->size < width)
		return;
	uint64_t value = pair[1] + fuzz_random(corpus, 4) / 3;
	for (size_t narrow = width; narrow > 0; narrow /= 2) {
		size_t start = fuzz_random(corpus, in->size - narrow + 1);
		uint8_t *found = memmem(in->bytes + start, in->size - start, &pair[0], narrow);
		if (found != NULL) {
			memcpy(found, &value, narrow);
			return;
		}
	}
}

static void change_word(struct fuzz_corpus *corpus, struct input *in)
{
	if (corpus->word_count == 0)
		return;
	const struct fuzz_entry *word = &corpus->words[fuzz_random(corpus, corpus->word_count)];
	size_t at = fuzz_random(corpus, in->size + 1);
	size_t over = fuzz_random(corpus, 2) == 0 ? word->size : 0;
	replace(in, at, over < in->size - at ? over : in->size - at, word->bytes, word->size);
}

static void change_once(struct fuzz_corpus *corpus, struct input *in)
{
	uint8_t byte = (uint8_t)fuzz_random(corpus, 256);
	size_t at = fuzz_random(corpus, in->size);
	const struct fuzz_entry *other = &corpus->entries[fuzz_random(corpus, corpus->count)];
	struct block block;
	switch (fuzz_random(corpus, 11)) {
	case 0:
		if (in->size > 0)
			in->bytes[at] ^= (uint8_t)(1u << byte % 8);
		break;
	case 1:
		if (in->size > 0)
			in->bytes[at] = byte;
		break;
	case 2: replace(in, at, 0, &byte, 1); break;
	case 3:
		block = choose_block(corpus, in->bytes, in->size);
		replace(in, block.at, block.size, NULL, 0);
		break;
	case 4: copy_block(corpus, in, in->bytes, in->size, false); break;
	case 5: copy_block(corpus, in, in->bytes, in->size, true); break;
	case 6: copy_block(corpus, in, other->bytes, other->size, byte % 2 == 0); break;
	case 7: change_number(corpus, in); break;
	case 8: change_digits(corpus, in); break;
	case 9: change_compared(corpus, in); break;
	default: change_word(corpus, in); break;
	}
}

size_t fuzz_mutate(struct fuzz_corpus *corpus, uint8_t *out)
{
	/* new ones, and short ones, more often */
	const struct fuzz_entry *one = &corpus->entries[fuzz_random(corpus, corpus->count)];
	const struct fuzz_entry *two = &corpus->entries[fuzz_random(corpus, corpus->count)];
	const struct fuzz_entry *chosen = fuzz_random(corpus, 4) == 0
										  ? &corpus->entries[corpus->count - 1]
									  : one->size < two->size ? one
															  : two;
	struct input in = {out, chosen->size};
	if (in.size > 0)
		memcpy(out, chosen->bytes, in.size);
	for (uint64_t left = 1 + fuzz_random(corpus, CHANGES_MAX); left > 0; left--)
		change_once(corpus, &in);
	return in.size;
}
