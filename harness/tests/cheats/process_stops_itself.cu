// expect: runtime_error
// because: stopped its own process (SIGSTOP)
// family: processes
// options: --timeout 2 --without calls
// shown: the next request to a stopped process waited for 60 s, whatever --timeout
// Stops its own process once solve() has returned: an honest call, and then no answer. Noticed
// after half a second.
#include <csignal>
#include <thread>

#include "cheat.cuh"

SOLVE
{
	static bool begun = false;
	cheat_right(A, B, C, M, N, K, alpha, beta);
	if (!begun)
		std::thread([] {
			usleep(1000);
			kill(getpid(), SIGSTOP);
		}).detach();
	begun = true;
}
