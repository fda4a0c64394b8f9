#include "base/digest.h"

#include <stdlib.h>

/* Of the tile that begins at `from`, of which so many bytes are there. */
static struct digest digest_tile(const uint8_t *from, uint64_t bytes, uint32_t tile, uint32_t level)
{
	struct digest nodes[DIGEST_LEAVES], pieces[DIGEST_PIECES];
	uint32_t count = DIGEST_LEAVES;
	for (uint32_t leaf = 0; leaf < DIGEST_LEAVES; leaf++) {
		for (uint64_t i = 0; i < DIGEST_PIECES; i++)
			pieces[i] = digest_piece(from, bytes, i * DIGEST_LEAVES + leaf);
		nodes[leaf] = digest_leaf(pieces, tile, level, leaf);
	}
	for (uint32_t height = 1; count > 1; height++) {
		uint32_t parents = (count + 3) / 4;
		for (uint32_t i = 0; i < parents; i++)
			nodes[i] = digest_parent(&nodes[4 * i], (int)(count - 4 * i), tile, level, i, height);
		count = parents;
	}
	return nodes[0];
}

bool digest_of(const void *from, uint64_t bytes, struct digest *out)
{
	uint64_t tiles = digest_tiles(bytes);
	struct digest *digests = malloc(tiles * sizeof *digests);
	const uint8_t *at = from;
	if (digests == NULL)
		return false;
	/* each level over the one below it, which is read before it is overwritten */
	for (uint32_t level = 0;; level++) {
		for (uint64_t i = 0; i < tiles; i++)
			digests[i] =
				digest_tile(at + i * DIGEST_TILE, bytes - i * DIGEST_TILE, (uint32_t)i, level);
		if (tiles == 1)
			break;
		at = (const uint8_t *)digests;
		bytes = tiles * sizeof *digests;
		tiles = digest_tiles(bytes);
	}
	*out = digests[0];
	free(digests);
	return true;
}
