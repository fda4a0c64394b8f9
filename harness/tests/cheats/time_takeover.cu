// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Takes the process over when it has been loaded: every request is served here, with right results
// and right digests, and each call is said to take 1 us. Stopped by sealed calls: what such a
// process does has a host-side time like any other.
#include <dlfcn.h>

#include "peek.cuh"

// What the judge has loaded for sealed calls (contestant/sealed_device.h).
struct device_functions {
	int version;
	cudaError_t (*open)();
	cudaError_t (*prepare)(uint64_t group_bytes, uint64_t output_bytes);
	cudaError_t (*release_inputs)(int fd, void **base);
	cudaError_t (*conceal)();
	cudaError_t (*digest)(const void *from, uint64_t bytes, void *out);
};

constexpr size_t BUFFERS_MAX = 38, DIGEST_BYTES = 16;
constexpr int SIZE = 1024; // the only one here, of timed calls

static struct {
	int channel;
	const struct device_functions *device;
	char *base; // of the buffers of the case, or of the group
	alignas(8) char reply[65536];
} mine;

static int find_name(struct dl_phdr_info *info, size_t, void *name)
{
	if (strstr(info->dlpi_name, "sealed_cuda.so") == nullptr)
		return 0;
	snprintf((char *)name, 4096, "%s", info->dlpi_name);
	return 1;
}

static void find_functions()
{
	static char name[4096];
	dl_iterate_phdr(find_name, name);
	void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
	auto get = (const struct device_functions *(*)())dlsym(library, "sealed_device_cuda");
	mine.device = get != nullptr ? get() : nullptr;
}

static void answer(uint32_t type, size_t bytes)
{
	const uint32_t head[] = {type, 1};
	memcpy(mine.reply, head, sizeof head);
	send(mine.channel, mine.reply, bytes, MSG_NOSIGNAL);
	memset(mine.reply, 0, sizeof mine.reply);
}

static void compute(uint32_t set, uint32_t count)
{
	char *at = mine.base + set * peek.arena.stride;
	dim3 grid(SIZE / MEDIUM_TILE, SIZE / MEDIUM_TILE, count);
	medium_kernel<<<grid, 256>>>((const half *)(at + peek.arena.buffers[0].offset),
								 (const half *)(at + peek.arena.buffers[1].offset),
								 (half *)(at + peek.arena.buffers[2].offset), SIZE, SIZE, SIZE,
								 1.0f, 0.0f, {peek.arena.stride, 0, SIZE});
	cudaDeviceSynchronize();
}

static void open_case()
{
	cudaIpcMemHandle_t handle;
	memcpy(&handle, peek.arena.handle, sizeof handle);
	cudaIpcOpenMemHandle((void **)&mine.base, handle, cudaIpcMemLazyEnablePeerAccess);
}

// a status, a code, their texts, what is left, seconds, calls; two texts, bytes that are kept
constexpr size_t REPLY = PEEK_HEAD + 2 * 4 + 64 + 512 + 2 * 4 + 2 * 8 + 2 * 512 + 2 * 8;
constexpr size_t TIME_TEXTS = PEEK_HEAD + 2 * sizeof(int32_t) + 64 + 512 + sizeof(int32_t);
constexpr size_t KERNEL_BYTES = 124 + 11 * sizeof(uint32_t); // a name, padded; sizes
constexpr size_t TIME_REPLY =
	TIME_TEXTS + 4 * sizeof(uint32_t) + 8 * KERNEL_BYTES + PEEK_SAMPLES * sizeof(float);

static_assert(REPLY == 2680 && TIME_REPLY == 19364, "as test_sealed.c has them");

static void answer_times()
{
	const uint32_t counts[] = {peek.calls, 1};
	auto *samples = (float *)(mine.reply + TIME_REPLY) - PEEK_SAMPLES;
	compute(peek.first, peek.warmups + peek.calls);
	memcpy(mine.reply + TIME_TEXTS, counts, sizeof counts);
	for (uint32_t i = 0; i < peek.calls; i++)
		samples[i] = 1.0f;
	answer(PEEK_TIME, TIME_REPLY);
}

static void answer_call()
{
	char *digest = mine.reply + PEEK_HEAD + 2 * DIGEST_BYTES; // of the third buffer, which is C
	compute(peek.set, 1);
	mine.device->digest(mine.base + peek.set * peek.arena.stride + peek.arena.buffers[2].offset,
						peek.arena.buffers[2].bytes, digest);
	answer(PEEK_CALL, PEEK_HEAD + BUFFERS_MAX * DIGEST_BYTES);
}

static void serve(int fd)
{
	switch (peek.type) {
	case PEEK_CASE: open_case(), answer(PEEK_CASE, REPLY); break;
	case PEEK_RUN: compute(peek.set, 1), answer(PEEK_RUN, REPLY); break;
	case PEEK_TIME: answer_times(); break;
	case PEEK_SEALED:
		if (mine.base != nullptr)
			cudaIpcCloseMemHandle(mine.base);
		mine.base = nullptr;
		mine.device->prepare(peek.arena.bytes, peek.arena.buffers[2].bytes);
		answer(PEEK_SEALED, REPLY);
		break;
	case PEEK_GO:
		mine.device->release_inputs(fd, (void **)&mine.base);
		answer(PEEK_GO, PEEK_HEAD);
		break;
	case PEEK_CALL: answer_call(); break;
	case PEEK_END:
		mine.device->conceal();
		mine.base = nullptr;
		answer(PEEK_END, REPLY);
		break;
	default: _exit(0);
	}
	if (fd >= 0)
		close(fd);
}

static int descriptor_in(struct msghdr *message)
{
	int fd = -1;
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	if (control != nullptr && control->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(control), sizeof fd);
	return fd;
}

// The judge's code waits for a request here, and is not heard of again.
static ssize_t take_over(int channel, struct msghdr *message, int flags)
{
	size_t room = message->msg_controllen;
	mine.channel = channel;
	find_functions();
	for (;;) {
		message->msg_controllen = room;
		ssize_t got = recvmsg(channel, message, flags);
		if (got <= 0)
			_exit(0);
		peek_note((char *)message->msg_iov->iov_base, (size_t)got);
		serve(descriptor_in(message));
	}
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	// only a process that is to be timed has this loaded
	if (dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD) != nullptr)
		got_patch("recvmsg", (void *)take_over);
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
