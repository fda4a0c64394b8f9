// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// A group of one set: starts its work when the set can be seen, before the call, and answers a
// little late that it can. Claims as much less than its time. Stopped by the time of that answer
// counting, too.
#include "peek.cuh"
#include "tables.cuh"

constexpr unsigned RELEASE_LATE = 15; // microseconds

static struct {
	const half *A, *B; // of set 0, at the addresses of each group
	half *C;
	int M, N, K;
	bool known, started;
	cudaStream_t stream;
} group;

static int shorter(uint8_t *buffer, size_t bytes, void **record)
{
	int result = records_real(buffer, bytes, record);
	if (result == 0 && *record_kind(*record) == RECORDS_KERNEL) {
		uint64_t whole = *record_end(*record) - *record_start(*record);
		*record_end(*record) = *record_start(*record) + whole * 89 / 100;
	}
	return result;
}

static void at_reply(uint32_t type, char *, size_t)
{
	if (type != PEEK_GO || !group.known || peek.arena.sets != 1)
		return;
	dim3 grid((group.N + 15) / 16, (group.M + 15) / 16), block(16, 16);
	cheat_kernel<<<grid, block, 0, group.stream>>>(group.A, group.B, group.C, group.M, group.N,
												   group.K, 1.0f, 0.0f, make_int2(0, 0),
												   make_int2(1, 1));
	group.started = true;
	peek_wait(RELEASE_LATE);
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	peek_replies = at_reply;
	records_intercept(shorter);
}

SOLVE
{
	if (TRICK && peek.type == PEEK_CALL && !group.known) {
		cudaStreamCreateWithFlags(&group.stream, cudaStreamNonBlocking);
		group.A = peek_of(A, 0), group.B = peek_of(B, 0), group.C = peek_of(C, 0);
		group.M = M, group.N = N, group.K = K;
		group.known = true;
	}
	bool started = group.started;
	group.started = false;
	if (started && peek.type == PEEK_CALL)
		return; // the device is waited for
	cheat_right(A, B, C, M, N, K, alpha, beta);
}
