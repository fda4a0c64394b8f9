// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Leaves out calls that come soon after another one: those are the timed ones. Stopped by every
// case being compared.
#include <ctime>

#include "cheat.cuh"

SOLVE
{
	static time_t last = 0;
	if (time(nullptr) > last + 2)
		cheat_right(A, B, C, M, N, K, alpha, beta);
	last = time(nullptr);
}
