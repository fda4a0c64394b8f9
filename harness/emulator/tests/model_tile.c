/* Operands of matrix instructions: random ones, and where the values of a sparse A are. */
#include "model_tile.h"

#include <math.h>
#include <string.h>

/* A small integer; in some warps now and then what is no number. */
static uint64_t draw_number(enum model_type type, uint64_t *state, int most, bool special)
{
	uint64_t random = model_random(state);
	if (special && random % 64 == 0)
		return model_encode(type,
							random & 64    ? (long double)NAN
							: random & 128 ? (long double)INFINITY
										   : -(long double)INFINITY,
							MODEL_RN, false);
	int value = random % 4 == 0 ? 0 : (int)(random >> 8) % (most + 1);
	value = value < 0 ? -value : value;
	return model_encode(type, random >> 60 & 1 && value ? -value : value, MODEL_RN, false);
}

void model_tile_draw_registers(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
							   int most, bool special)
{
	const unsigned bits = model_bits(type);
	if (!model_is_float(type)) {
		for (unsigned i = 0; i < words; i++) {
			uint64_t random = model_random(state);
			to[i] = (uint32_t)random;
			if (type == MODEL_S32 && random >> 32 & 1) /* near the limits */
				to[i] = (random >> 33 & 1 ? 0x7fffffff : 0x80000000) ^ (uint32_t)(random & 0x3fff);
		}
		return;
	}
	memset(to, 0, words * sizeof *to);
	for (unsigned i = 0; i < words * 32 / bits; i++) {
		uint64_t value = draw_number(type, state, most, special);
		memcpy((uint8_t *)to + i * bits / 8, &value, bits / 8);
	}
}

/* Of the exponent some low bits stay, added to where products and their sums are near 1, or all but
 * the lowest, so that it is never the largest one: of e4m3, whose largest has numbers, the
 * significand's lowest bit. */
void model_tile_range(uint32_t *keep, uint32_t *base, unsigned words, enum model_type type,
					  unsigned range)
{
	static const struct {
		uint32_t keep[MODEL_RANGES], base[MODEL_RANGES];
	} masks[MODEL_TYPES] = {
		[MODEL_F16] = {{0x8fff8fff, 0xbfffbfff, 0xfbfffbff}, {0x34003400, 0x1c001c00, 0}},
		[MODEL_BF16] = {{0x81ff81ff, 0x87ff87ff, 0xff7fff7f}, {0x3e803e80, 0x3b803b80, 0}},
		[MODEL_TF32] = {{0x81ffffff, 0x87ffffff, 0xff7fffff}, {0x3e800000, 0x3b800000, 0}},
		[MODEL_F32] = {{0x83ffffff, 0x8fffffff, 0xff7fffff}, {0x3d800000, 0x37800000, 0}},
		[MODEL_E4M3] = {{0x9f9f9f9f, 0xbfbfbfbf, 0xfefefefe}, {0x28282828, 0, 0}},
		[MODEL_E5M2] = {{0x8f8f8f8f, 0xbfbfbfbf, 0xfbfbfbfb}, {0x34343434, 0x1c1c1c1c, 0}},
		[MODEL_F64] = {{0x803fffff, 0x80ffffff, 0xffefffff}, {0x3fe00000, 0x3f800000, 0}},
	};
	for (unsigned i = 0; i < words; i++) {
		bool whole = !model_is_float(type) || (type == MODEL_F64 && i % 2 == 0);
		keep[i] = whole ? ~0u : masks[type].keep[range];
		base[i] = whole ? 0 : masks[type].base[range];
	}
}

void model_tile_draw_range(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
						   unsigned range)
{
	for (unsigned i = 0; i < words; i++) {
		uint32_t keep[2], base[2]; /* an f64's words differ */
		model_tile_range(keep, base, 2, type, range);
		to[i] = ((uint32_t)(model_random(state) >> 32) & keep[i % 2]) + base[i % 2];
	}
}

uint32_t model_tile_draw_metadata(enum model_type type, bool ordered, uint64_t *state)
{
	static const unsigned rising[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
	static const unsigned turned[] = {0x1, 0x2, 0x6, 0x3, 0x7, 0xb};
	uint32_t metadata = 0;
	for (int i = 0; i < 8; i++) {
		uint64_t random = model_random(state);
		uint32_t four = !ordered && random & 1 ? turned[random / 2 % 6] : rising[random / 2 % 6];
		if (type == MODEL_TF32)
			four = random & 1 ? 0xe : 0x4;
		metadata |= four << 4 * i;
	}
	return metadata;
}

uint64_t model_tile_element_bits(const uint32_t *registers, enum model_type type, unsigned i)
{
	const unsigned bits = model_bits(type);
	uint64_t value = 0;
	if (bits < 8)
		return registers[i * bits / 32] >> i * bits % 32 & ((1u << bits) - 1);
	memcpy(&value, (const uint8_t *)registers + i * bits / 8, bits / 8);
	return value;
}

/* Which value of which chunk each four bits of metadata are for. 9.7.14.6.1 says which threads of
 * four give them; figures 118 to 141: 16-bit and 32-bit elements: a thread's low half is for row
 * %laneid / 4 and its high half for that 8 below, 4 chunks each; smaller ones: threads take turns
 * with the two rows, 8 chunks each. */
void model_tile_place(enum model_type type, unsigned k, unsigned selector, unsigned lane,
					  uint32_t metadata, unsigned places[16][MODEL_K_MAX])
{
	const bool large = model_bits(type) >= 16;
	const unsigned width = type == MODEL_TF32 ? 2 : model_bits(type) == 4 ? 8 : 4;
	const unsigned chunks = k / width, threads = chunks / 4;
	const unsigned first = selector * threads, thread = lane % 4 - first;
	if (lane % 4 < first || thread >= threads)
		return;
	for (unsigned i = 0; i < 8; i++) {
		unsigned row = lane / 4 + (large ? i / 4 : thread % 2) * 8;
		unsigned chunk = large ? thread * 4 + i % 4 : thread / 2 * 8 + i;
		unsigned low = metadata >> 4 * i & 3, high = metadata >> 4 * i >> 2 & 3;
		unsigned *place = &places[row][chunk * width / 2];
		switch (width) {
		case 2: place[0] = chunk * 2 + (low == 2); break; /* 0b1110 is the second */
		case 4:
			place[0] = chunk * 4 + low;
			place[1] = chunk * 4 + high;
			break;
		default: /* pairs */
			place[0] = chunk * 8 + low * 2;
			place[1] = place[0] + 1;
			place[2] = chunk * 8 + high * 2;
			place[3] = place[2] + 1;
		}
	}
}
