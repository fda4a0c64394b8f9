/* The digest by a GPU's kernel beside the CPU's, over the sizes at which something changes: pieces,
 * tiles, levels; from addresses at which whole pieces can be loaded, and others. One workspace
 * serves all launches, as in a contestant, so that a ticket that does not come back to 0 shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "device/digest_cuda.cuh"

static void check(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
	exit(1);
}

static int failures;

static std::vector<uint8_t> some_bytes(size_t count)
{
	std::vector<uint8_t> bytes(count);
	uint32_t state = 54321;
	for (uint8_t &byte : bytes) {
		state = state * 1664525u + 1013904223u;
		byte = state >> 24;
	}
	return bytes;
}

static struct digest by_gpu(digest_cuda::workspace *space, const uint8_t *from, uint64_t bytes)
{
	struct digest out = {};
	check(digest_cuda::reserve(space, bytes));
	check(digest_cuda::start(space, from, bytes));
	check(digest_cuda::wait(space, &out));
	return out;
}

static void expect_same(const char *what, size_t count, struct digest got, struct digest want)
{
	if (memcmp(&got, &want, sizeof got) == 0)
		return;
	fprintf(stderr, "%zu bytes, %s: got %08x..., the CPU has %08x...\n", count, what, got.word[0],
			want.word[0]);
	failures++;
}

static void compare(digest_cuda::workspace *space, size_t count, size_t shift)
{
	std::vector<uint8_t> bytes = some_bytes(count);
	struct digest want;
	uint8_t *memory, unlike = 0;
	check(cudaMalloc(&memory, count + shift + 1));
	uint8_t *from = memory + shift;
	check(cudaMemcpy(from, bytes.data(), count, cudaMemcpyHostToDevice));
	if (!digest_of(bytes.data(), count, &want))
		exit(1);
	expect_same(shift == 0 ? "aligned" : "misaligned", count, by_gpu(space, from, count), want);
	expect_same("once more", count, by_gpu(space, from, count), want);
	if (count > 0) { /* else two wrong constants would do */
		unlike = bytes[count - 1] ^= 1;
		check(cudaMemcpy(from + count - 1, &unlike, 1, cudaMemcpyHostToDevice));
		struct digest other = by_gpu(space, from, count);
		failures += memcmp(&other, &want, sizeof other) == 0;
		digest_of(bytes.data(), count, &want);
		expect_same("its last byte changed", count, other, want);
	}
	check(cudaFree(memory));
}

int main(void)
{
	const size_t tile = DIGEST_TILE;
	const size_t sizes[] = {
		0,        1,    15,       16,       17,           2047,    2048,        2049,
		tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 7, 5 << 20, 1024 * tile, 1024 * tile + 1,
		33};
	digest_cuda::workspace space = {};
	for (size_t count : sizes) {
		compare(&space, count, 0);
		if (count <= 2 * tile)
			compare(&space, count, 1);
	}
	uint32_t launches = space.sequence;
	digest_cuda::release(&space);
	printf("%u digests, %d differ\n", (unsigned)launches, failures);
	return failures == 0 ? 0 : 1;
}
