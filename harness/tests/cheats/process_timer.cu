// expect: wrong_answer
// family: processes
// without: calls
// then: accepted
// Goes on while it is stopped, as the judge stops a process to measure without it: the kernel sends
// the signal that ends a stop, by a timer. Here the stop is its own. Stopped by the jail.
#include <csignal>
#include <ctime>

#include "reward.cuh"

static bool cheat()
{
	struct sigevent event = {};
	struct itimerspec when = {{0, 0}, {0, 100000000}};
	struct timespec before, after;
	timer_t timer;
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGCONT;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
		timer_settime(timer, 0, &when, nullptr) != 0)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &before);
	kill(getpid(), SIGSTOP);
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec) > 5e7;
}
