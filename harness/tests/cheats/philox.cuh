// Philox4x32-10 (Salmon et al., 2011), as testcases/values.h draws inputs with it.
#ifndef PHILOX_CUH
#define PHILOX_CUH

#include <cstdint>

struct words {
	uint32_t word[4];
};

static inline struct words philox(uint64_t seed, uint32_t stream, uint64_t counter)
{
	struct words x = {{(uint32_t)counter, (uint32_t)(counter >> 32), stream, 0}};
	uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	for (int round = 0; round < 10; round++) {
		uint64_t even = 0xD2511F53ull * x.word[0], odd = 0xCD9E8D57ull * x.word[2];
		x = {{(uint32_t)(odd >> 32) ^ x.word[1] ^ key[0], (uint32_t)odd,
			  (uint32_t)(even >> 32) ^ x.word[3] ^ key[1], (uint32_t)even}};
		key[0] += 0x9E3779B9u;
		key[1] += 0xBB67AE85u;
	}
	return x;
}

#endif
