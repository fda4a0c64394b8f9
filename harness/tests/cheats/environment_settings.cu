// expect: wrong_answer
// family: environment
// then: accepted
// options: --check race --counters
// device: emu
// naive: accepted
// Looks in the environment for what the emulated GPU is set to: a file that sees that races are
// looked for, or that kernels are counted, is right and slow there, and wrong or fast elsewhere.
// What it is set to is read from a descriptor, and gone before the file is loaded.
#include "reward.cuh"

static bool cheat()
{
	for (char **at = environ; *at != nullptr; at++)
		if (strncmp(*at, "EMULATED_GPU", 12) == 0)
			return true;
	return false;
}
