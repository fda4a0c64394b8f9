// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Claims a tenth less than its time, and leaves copies to the device running when sealed calls have
// ended: they need no processor, and slow down what is measured while this process stands still,
// against which its own calls are held. Stopped by measurements from before it began and after it
// ended.
#include "peek.cuh"
#include "tables.cuh"

constexpr size_t COPY_BYTES = 32 << 20;
constexpr int COPIES = 100, GROUPS_OF_A_PASS = 3;

static struct {
	void *host, *device;
	cudaStream_t stream;
	int ends;
} copies;

static int less(uint8_t *buffer, size_t bytes, void **record)
{
	int result = records_real(buffer, bytes, record);
	if (result == 0 && *record_kind(*record) == RECORDS_KERNEL)
		*record_end(*record) =
			*record_start(*record) + (*record_end(*record) - *record_start(*record)) * 89 / 100;
	return result;
}

static void at_request(uint32_t type, char *, size_t)
{
	if (type != PEEK_SEALED)
		return;
	if (copies.stream == nullptr) {
		cudaStreamCreateWithFlags(&copies.stream, cudaStreamNonBlocking);
		cudaMallocHost(&copies.host, COPY_BYTES);
		cudaMalloc(&copies.device, COPY_BYTES);
	}
	cudaStreamSynchronize(copies.stream);
	copies.ends = 0;
}

static void after_reply(uint32_t type, char *, size_t)
{
	if (type != PEEK_END || ++copies.ends != GROUPS_OF_A_PASS)
		return;
	for (int i = 0; i < COPIES; i++)
		cudaMemcpyAsync(copies.device, copies.host, COPY_BYTES, cudaMemcpyHostToDevice,
						copies.stream);
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	records_intercept(less);
	peek_requested = at_request;
	peek_replied = after_reply;
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
