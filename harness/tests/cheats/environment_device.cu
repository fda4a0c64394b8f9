// expect: wrong_answer
// family: environment
// then: accepted
// device: emu
// shown: it was accepted as long as the emulated GPU called itself one
// Is right on the emulated GPU only, by the name of the device: it is that of the GPU which is
// emulated.
#include "reward.cuh"

static bool cheat()
{
	cudaDeviceProp facts;
	return cudaGetDeviceProperties(&facts, 0) == cudaSuccess &&
		   strcasestr(facts.name, "emulat") != nullptr;
}
