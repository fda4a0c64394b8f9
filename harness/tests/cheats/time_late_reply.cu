// expect: wrong_answer rule_violation
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Does nothing in a pass, and all of it when the times are about to be sent. Answers a sealed call
// at once, with the digest of what lies in C, and computes C afterwards. Stopped by the digest: it
// is of what the judge copies when the clock has stopped.
#include "peek.cuh"

static struct {
	const half *A, *B;
	half *C;
	int M, N, K;
	float alpha, beta;
	bool pending;
} late; // of the first set of a pass, or of the call

static void compute(uint32_t type)
{
	uint32_t count = type == PEEK_TIME ? peek.warmups + peek.calls : 1;
	peek_compute(late.A, late.B, late.C, late.M, late.N, late.K, late.alpha, late.beta, peek.set,
				 count);
	cudaDeviceSynchronize();
	late.pending = false;
}

static void at_reply(uint32_t type, char *, size_t)
{
	if (type == PEEK_TIME && late.pending)
		compute(type);
}

static void after_reply(uint32_t type, char *, size_t)
{
	if (type == PEEK_CALL && late.pending)
		compute(type);
}

static __attribute__((constructor)) void begin()
{
	peek_replies = at_reply;
	peek_replied = after_reply;
}

SOLVE
{
	if (TRICK && (peek.type == PEEK_TIME || peek.type == PEEK_CALL)) {
		if (!late.pending)
			late = {A, B, C, M, N, K, alpha, beta, true};
		medium_nothing<<<1, 1>>>(0);
		return;
	}
	medium_right(A, B, C, M, N, K, alpha, beta);
}
