/* A digest of what a call wrote: 128 bits that nobody can compute before he has all of it, and for
 * which nobody finds another result afterwards. The contestant answers a sealed call with it, and
 * so commits itself to its result before the clock stops; the referee computes it again from its
 * own sight of the same memory. Compiles as C17 and as CUDA C++, with the same bits in both.
 *
 * A tree over BLAKE3's compression function (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3",
 * section 2.2) with DIGEST_ROUNDS of its 7 rounds. A tile of DIGEST_TILE bytes has DIGEST_LEAVES
 * leaves; leaf i takes the 16-byte pieces i, i + DIGEST_LEAVES, ... of its tile, so that
 * neighbouring threads read neighbouring pieces. Four digests make their parent's block, up to one
 * a tile. The tiles' digests, one after the other, are the bytes of the next level, until one is
 * left. What lies behind the end counts as zero: the length is known beforehand.
 *
 * Why three rounds. There is no key: whoever wants to cheat knows the function, and has as much
 * time as he likes before a call. It does not help him:
 *
 * 1. He gains by answering before he has computed some tile of the result, and by writing that tile
 *    before the referee copies it, some milliseconds, at most seconds, later. The tile must then be
 *    right and have the digest that he has committed himself to. What is right follows from inputs
 *    that nobody had before the call; his choice is how each element is rounded. Two results of one
 *    digest that he made beforehand are both wrong. He needs a preimage of 128 bits, within
 * seconds, among blocks that he can choose in few bits; one of 2^40 digests that he can lead to the
 * same root is still 2^88 trials, and a GPU makes 2^35 a second.
 * 2. The published preimages of this family of functions reach 2.5 rounds (Li, Xu, "Attacks on
 *    Round-Reduced BLAKE", 2009) and 2.75 (Espitau, Fouque, Karpman, CRYPTO 2015), with blocks and
 *    chaining values that are free, and save a few bits of 256: all of them are slower than trying
 *    2^128. Those on more rounds are distinguishers and preimages with a start of one's own choice.
 * 3. Each bit of a block changes half of the digest's after two rounds (tests/unit/base).
 *
 * What the full function would cost, by count and not measured: a round is 96 instructions of the
 * integer pipe (the machine code for sm_90a), a tile 12 times the function for a warp, so that an
 * H100 (132 x 64 a clock, 1755 MHz) takes 36 us instead of 15 for 32 MiB, and 3 us more for 2 MiB,
 * where nothing but latency counts. A sealed call of gemm-e4m3 and gemm-s8 at the shapes that
 * `judge` times would take 12% and 11% longer, of linear-f16 8%, of gemm-f16 6%. And it is just
 * this time that somebody gains who takes the digest within his own kernel
 * (harness/guide/threat-model.md): a dearer digest lets more lies through than a stronger one keeps
 * out. A CPU takes 196 ms instead of 105 for 32 MiB. */
#ifndef GEMMJUDGE_BASE_DIGEST_H
#define GEMMJUDGE_BASE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define DIGEST_FUNCTION static __host__ __device__ __forceinline__
#else
#define DIGEST_FUNCTION static inline
#endif
#ifdef __CUDA_ARCH__
#define DIGEST_UNROLL _Pragma("unroll")
#else
#define DIGEST_UNROLL
#endif

#define DIGEST_ROUNDS 3
#define DIGEST_LEAVES 128 /* of a tile: the threads of a block */
#define DIGEST_BLOCKS 2   /* of 64 bytes, of a leaf */
#define DIGEST_PIECES (4 * DIGEST_BLOCKS)
#define DIGEST_TILE (DIGEST_LEAVES * DIGEST_BLOCKS * 64)
#define DIGEST_PARENT 0x80000000u

struct digest {
	uint32_t word[4];
};

/* Where a block stands: it has a part in the digest, so that nothing can change its place. */
DIGEST_FUNCTION uint32_t digest_place(uint32_t level, uint32_t leaf, uint32_t step)
{
	return level << 24 | leaf << 8 | step;
}

DIGEST_FUNCTION uint32_t digest_turn(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

DIGEST_FUNCTION void digest_mix(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y)
{
	v[a] += v[b] + x;
	v[d] = digest_turn(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = digest_turn(v[b] ^ v[c], 12);
	v[a] += v[b] + y;
	v[d] = digest_turn(v[d] ^ v[a], 8);
	v[c] += v[d];
	v[b] = digest_turn(v[b] ^ v[c], 7);
}

DIGEST_FUNCTION void digest_begin(uint32_t state[8])
{
	const uint32_t start[8] = {0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au,
							   0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u};
	DIGEST_UNROLL
	for (int i = 0; i < 8; i++)
		state[i] = start[i];
}

/* One block into the state; `tile` and `place` say which. */
DIGEST_FUNCTION void digest_compress(uint32_t state[8], const uint32_t block[16], uint32_t tile,
									 uint32_t place)
{
	const int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
	uint32_t v[16], m[16], next[16];
	DIGEST_UNROLL
	for (int i = 0; i < 16; i++) {
		v[i] = i < 8 ? state[i] : 0;
		m[i] = block[i];
	}
	v[8] = 0x6A09E667u;
	v[9] = 0xBB67AE85u;
	v[10] = 0x3C6EF372u;
	v[11] = 0xA54FF53Au;
	v[12] = tile;
	v[14] = 64;
	v[15] = place;
	DIGEST_UNROLL
	for (int round = 0; round < DIGEST_ROUNDS; round++) {
		DIGEST_UNROLL
		for (int i = 0; i < 4; i++)
			digest_mix(v, i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1]);
		DIGEST_UNROLL
		for (int i = 0; i < 4; i++)
			digest_mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i],
					   m[9 + 2 * i]);
		DIGEST_UNROLL
		for (int i = 0; i < 16; i++)
			next[i] = m[order[i]];
		DIGEST_UNROLL
		for (int i = 0; i < 16; i++)
			m[i] = next[i];
	}
	DIGEST_UNROLL
	for (int i = 0; i < 8; i++)
		state[i] = v[i] ^ v[i + 8];
}

/* Piece `index` of the bytes; zero where they have ended. */
DIGEST_FUNCTION struct digest digest_piece(const uint8_t *from, uint64_t bytes, uint64_t index)
{
	struct digest piece = {{0, 0, 0, 0}};
	uint64_t first = index * sizeof piece;
	for (uint64_t i = first; i < first + sizeof piece && i < bytes; i++)
		piece.word[(i - first) / 4] |= (uint32_t)from[i] << (8 * (i % 4));
	return piece;
}

/* A leaf from its pieces. */
DIGEST_FUNCTION struct digest digest_leaf(const struct digest pieces[DIGEST_PIECES], uint32_t tile,
										  uint32_t level, uint32_t leaf)
{
	uint32_t state[8], block[16];
	struct digest out;
	digest_begin(state);
	DIGEST_UNROLL
	for (uint32_t step = 0; step < DIGEST_BLOCKS; step++) {
		DIGEST_UNROLL
		for (int i = 0; i < 16; i++)
			block[i] = pieces[4 * step + i / 4].word[i % 4];
		digest_compress(state, block, tile, digest_place(level, leaf, step));
	}
	DIGEST_UNROLL
	for (int i = 0; i < 4; i++)
		out.word[i] = state[i];
	return out;
}

/* Of the four from `children` on, or of `count` where there are fewer. */
DIGEST_FUNCTION struct digest digest_parent(const struct digest *children, int count, uint32_t tile,
											uint32_t level, uint32_t parent, uint32_t height)
{
	uint32_t state[8], block[16];
	struct digest out;
	digest_begin(state);
	DIGEST_UNROLL
	for (int i = 0; i < 16; i++)
		block[i] = i / 4 < count ? children[i / 4].word[i % 4] : 0;
	digest_compress(state, block, tile, DIGEST_PARENT | digest_place(level, parent, height));
	DIGEST_UNROLL
	for (int i = 0; i < 4; i++)
		out.word[i] = state[i];
	return out;
}

/* How many digests a level has that stands on so many bytes; at least one. */
DIGEST_FUNCTION uint64_t digest_tiles(uint64_t bytes)
{
	return bytes <= DIGEST_TILE ? 1 : (bytes + DIGEST_TILE - 1) / DIGEST_TILE;
}

#ifdef __cplusplus
extern "C" {
#endif
/* By the CPU. False where memory is short. */
bool digest_of(const void *from, uint64_t bytes, struct digest *out);
#ifdef __cplusplus
}
#endif

#endif
