// expect: wrong_answer
// family: the judge's memory
// naive: accepted
// Calls the judge's own product. Stopped by there being none in the process that it runs in.
#include <dlfcn.h>

#include "cheat.cuh"

SOLVE
{
	using Product = void(const half *, const half *, half *);
	Product *product = (Product *)dlsym(RTLD_DEFAULT, "judge_reference");
	if (product != nullptr)
		product(A, B, C);
}
