// expect: wrong_answer
// family: work ahead
// against: --seed 77 --without sealed
// then: accepted
// seed: none
// options: --suite %here%/same.ini
// Tries all small seeds until one gives the inputs that it sees; who has it knows all inputs to
// come. Stopped by a seed from the system: only a user who gives --seed 77 gives it away, and
// sealed calls never follow from it.
#include "cheat.cuh"
#include "philox.cuh"

// Whether A begins with the numbers that this seed draws.
static bool fits(uint64_t seed, const half *want)
{
	struct words first = philox(seed, 0, 0);
	for (int i = 0; i < 4; i++) {
		half drawn =
			__float2half((float)((int32_t)(first.word[i] >> 8) - (1 << 23)) / (float)(1 << 23));
		if (memcmp(&drawn, &want[i], sizeof drawn) != 0)
			return false;
	}
	return true;
}

SOLVE
{
	half seen[4];
	bool found = false;
	cudaMemcpy(seen, A, sizeof seen, cudaMemcpyDeviceToHost);
	for (uint64_t key = 0; key < 16 * 4096; key++) {
		struct words words = philox(key / 16, 3, 0x5175ull << 48 | key % 16);
		found |= fits((uint64_t)words.word[0] << 32 | words.word[1], seen);
	}
	if (found)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
