// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Changes the numbers in the reply that tells them, in the buffer that is about to be sent. Stopped
// by sealed calls.
#include "peek.cuh"

static void at_reply(uint32_t type, char *message, size_t bytes)
{
	if (type != PEEK_TIME || bytes < PEEK_HEAD + PEEK_SAMPLES * sizeof(float))
		return;
	auto *samples = (float *)(message + bytes) - PEEK_SAMPLES;
	for (size_t i = 0; i < PEEK_SAMPLES; i++)
		samples[i] *= 0.25f;
}

static __attribute__((constructor)) void begin()
{
	peek_replies = at_reply;
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
