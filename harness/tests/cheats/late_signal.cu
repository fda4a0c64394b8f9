// expect: wrong_answer runtime_error
// family: work late
// naive: accepted
// An alarm works when the clock has stopped. Stopped by C being taken when solve() has returned.
#include <csignal>
#include <sys/time.h>

#include "cheat.cuh"

static struct {
	const half *A, *B;
	half *C;
	int M, N, K;
	float alpha, beta;
} put_off[8];
static int count;

static void work(int)
{
	for (int i = 0; i < count; i++) {
		auto &p = put_off[i];
		cheat_right(p.A, p.B, p.C, p.M, p.N, p.K, p.alpha, p.beta);
	}
}

SOLVE
{
	const struct itimerval soon = {{0, 0}, {0, 100000}};
	bool known = false;
	for (int i = 0; i < count; i++)
		known |= put_off[i].C == C;
	if (!known && count < 8)
		put_off[count++] = {A, B, C, M, N, K, alpha, beta};
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
	signal(SIGALRM, work);
	setitimer(ITIMER_REAL, &soon, nullptr);
}
