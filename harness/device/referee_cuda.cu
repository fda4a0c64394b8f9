/* The referee's half on an NVIDIA GPU: a plug-in that the referee loads, so that
 * the program itself needs no CUDA library. Device memory shared through CUDA
 * IPC; values drawn on the device; products in referee_cuda_product.cuh. */
#include <chrono>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cuda_versions.h"
#include "device/referee_cuda_product.cuh"
#include "device/referee_cuda_state.cuh"
#include "device/referee_device.h"

namespace
{

/* The driver clears memory that was given back, beside other work, which that slows down: seen on
 * an H200 at 16% for 20 ms after 13 GB. */
constexpr double scrubbed_per_microsecond = 500e3; /* bytes */
constexpr uint64_t arena_unit = 2u << 20;          /* CUDA shares whole 2 MiB pages */

/* ---- opening ---------------------------------------------------------------- */

int attribute(cudaDeviceAttr which, int device)
{
	int value = 0;
	return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

/* The kernel module's version ("580.95.05") where /proc tells it. */
void driver_version(char *out, size_t bytes)
{
	int version = 0;
	char line[256] = "", cuda[32], *at = nullptr;
	FILE *file = fopen("/proc/driver/nvidia/version", "re");
	if (file != nullptr) {
		if (fgets(line, sizeof line, file) != nullptr)
			at = strstr(line, "Module ");
		fclose(file);
	}
	cudaDriverGetVersion(&version);
	cuda_version(version, cuda, sizeof cuda);
	char module[16] = "";
	for (at = at != nullptr ? at + 7 : line; *at != '\0'; at++) /* "for x86_64" may stand between */
		if (sscanf(at, " %15[0-9.]", module) == 1 && strchr(module, '.') != nullptr)
			break;
	if (strchr(module, '.') != nullptr)
		snprintf(out, bytes, "%s, %s", module, cuda);
	else
		snprintf(out, bytes, "%s", cuda);
}

int ask_cublas(int kind, int *value)
{
	return cublasGetProperty(static_cast<libraryPropertyType>(kind), value);
}

bool read_facts(int ordinal, struct device_properties *facts, struct error *err)
{
	cudaDeviceProp properties;
	int runtime = 0;
	if (!good(cudaGetDeviceProperties(&properties, ordinal), "cannot ask the device", err))
		return false;
	cudaRuntimeGetVersion(&runtime);

	memset(facts, 0, sizeof *facts);
	snprintf(facts->name, sizeof facts->name, "%.127s", properties.name);
	/* From 9.0 on, wgmma and its successors are in the `a` targets only. */
	snprintf(facts->architecture, sizeof facts->architecture, "%d%d%s", properties.major,
			 properties.minor, properties.major >= 9 ? "a" : "");
	/* for the clocks: NVML counts devices in an order of its own */
	if (cudaDeviceGetPCIBusId(facts->pci_bus_id, sizeof facts->pci_bus_id, ordinal) != cudaSuccess)
		facts->pci_bus_id[0] = '\0';
	facts->multiprocessors = properties.multiProcessorCount;
	facts->memory_bytes = properties.totalGlobalMem;
	facts->l2_bytes = static_cast<uint64_t>(attribute(cudaDevAttrL2CacheSize, ordinal));
	facts->sm_clock_khz = attribute(cudaDevAttrClockRate, ordinal);
	/* two transfers a clock */
	facts->memory_bytes_per_second = 2e3 * attribute(cudaDevAttrMemoryClockRate, ordinal) *
									 attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
	driver_version(facts->driver, sizeof facts->driver);
	cuda_version(runtime, facts->runtime, sizeof facts->runtime);
	cublas_version(ask_cublas, facts->library, sizeof facts->library);
	return true;
}

void cuda_close(void *opaque)
{
	auto *state = static_cast<cuda_state *>(opaque);
	if (state == nullptr)
		return;
	if (state->cublas != nullptr)
		cublasDestroy(state->cublas);
	for (buffer *memory : {&state->arena, &state->replaced, &state->a_f32, &state->b_f32,
						   &state->a_f64, &state->b_f64, &state->product, &state->magnitude,
						   &state->squares, &state->rest, &state->sweep, &state->rows})
		drop(memory);
	sealed_sets_drop(&state->sealed);
	digest_cuda::release(&state->digests);
	cudaFree(state->changed);
	cudaFreeHost(state->host_product.at);
	cudaFreeHost(state->host_magnitude.at);
	cudaFreeHost(state->host_squares.at);
	cudaFreeHost(state->host_rest.at);
	free(state);
}

bool cuda_open(const struct device_choice *choice, void **opaque, struct device_properties *facts,
			   float seconds[PART_COUNT], struct error *err)
{
	const auto begun = std::chrono::steady_clock::now();
	int count = 0, driver = 0, runtime = 0;
	if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
		return fail(err, "no NVIDIA driver");
	cudaRuntimeGetVersion(&runtime);
	if (cuda_driver_is_too_old(driver, runtime)) {
		char has[32], needs[32];
		cuda_version(driver, has, sizeof has);
		cuda_version(runtime, needs, sizeof needs);
		return fail(err,
					"the NVIDIA driver is of %s and cannot run %s: install a newer driver, or "
					"judge with --device emu",
					has, needs);
	}
	if (!good(cudaGetDeviceCount(&count), "no CUDA device can be used", err))
		return false;
	if (choice->ordinal < 0 || choice->ordinal >= count)
		return fail(err, "there is no CUDA device %d: this machine has %d, counted from 0",
					choice->ordinal, count);
	if (!good(cudaSetDevice(choice->ordinal), "cannot use the device", err) ||
		!good(cudaFree(nullptr), "cannot make a context on the device", err) ||
		!read_facts(choice->ordinal, facts, err))
		return false;
	facts->devices = count;
	const auto made = std::chrono::steady_clock::now();
	seconds[PART_CONTEXT] = std::chrono::duration<float>(made - begun).count();

	auto *state = static_cast<cuda_state *>(calloc(1, sizeof(cuda_state)));
	if (state == nullptr)
		return fail(err, "out of memory");
	if (good(cublasCreate(&state->cublas), "cuBLAS does not start", err) &&
		good(cublasSetMathMode(state->cublas, CUBLAS_PEDANTIC_MATH), "cuBLAS", err) &&
		good(cudaMalloc(&state->changed, sizeof *state->changed), "device memory", err)) {
		state->l2_bytes = facts->l2_bytes;
		seconds[PART_LIBRARY] =
			std::chrono::duration<float>(std::chrono::steady_clock::now() - made).count();
		*opaque = state;
		return true;
	}
	cuda_close(state);
	return false;
}

/* ---- memory ------------------------------------------------------------------- */

uint64_t cuda_memory_free(void *opaque)
{
	auto *state = static_cast<cuda_state *>(opaque);
	size_t available = 0, total = 0;
	if (cudaMemGetInfo(&available, &total) != cudaSuccess)
		return 0;
	return available + state->arena.bytes;
}

bool cuda_arena(void *opaque, uint64_t bytes, struct arena *arena, int *fd, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	*fd = -1;
	drop(&state->replaced);
	if (bytes > state->arena.bytes) {
		uint64_t rounded = (bytes + arena_unit - 1) / arena_unit * arena_unit;
		state->replaced = state->arena;
		state->arena = {};
		cudaError_t status = cudaMalloc(&state->arena.at, rounded);
		if (status == cudaErrorMemoryAllocation) { /* only then without the old one */
			cudaGetLastError();
			drop(&state->replaced);
			status = cudaMalloc(&state->arena.at, rounded);
		}
		if (status != cudaSuccess) {
			state->arena = {};
			cudaGetLastError();
			return fail(err, "no device memory of %llu MiB for the case: %s",
						static_cast<unsigned long long>(rounded >> 20), cudaGetErrorString(status));
		}
		state->arena.bytes = rounded;
	}
	cudaIpcMemHandle_t handle;
	static_assert(sizeof handle == sizeof arena->ipc_handle, "protocol.h holds one handle");
	if (!good(cudaIpcGetMemHandle(&handle, state->arena.at),
			  "device memory cannot be shared between processes", err))
		return false;
	memcpy(arena->ipc_handle, &handle, sizeof handle);
	state->base = static_cast<uint8_t *>(state->arena.at);
	return true;
}

bool cuda_sealed_arena(void *opaque, struct arena *arena, uint32_t group, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	uint64_t given_back = state->sealed.bytes;
	CUresult code =
		sealed_sets_make(&state->sealed, arena->sets / group, group, &arena->set_stride);
	usleep(static_cast<useconds_t>(static_cast<double>(given_back) / scrubbed_per_microsecond));
	arena->bytes = arena->sets * arena->set_stride;
	if (code != CUDA_SUCCESS)
		return fail(
			err, "no device memory of %llu MiB that can be shared by descriptors (CUDA error %d)",
			static_cast<unsigned long long>(arena->bytes >> 20), static_cast<int>(code));
	state->base = reinterpret_cast<uint8_t *>(state->sealed.base);
	return true;
}

constexpr int wiped_byte = 0x5a;
constexpr uint64_t kept_bytes = 1ull << 30; /* from one file to the next */

__global__ void count_unwiped_kernel(const uint4 *memory, uint64_t count, unsigned long long *found)
{
	const uint32_t word = 0x01010101u * wiped_byte;
	for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
		 i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
		const uint4 value = memory[i];
		if (value.x != word || value.y != word || value.z != word || value.w != word)
			atomicAdd(found, 1ull);
	}
}

/* Lines that a submission made persisting are lines like others again: a sweep would pass them by,
 * and so would the next entrant's data, which had the less of the cache. What is set aside for such
 * lines goes back to the driver's default, nothing. GPUs before sm_80 have neither. */
void reset_persisting()
{
	cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
	cudaCtxResetPersistingL2Cache();
	cudaGetLastError();
}

bool cuda_wipe(void *opaque, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	const char *what = "wiping the memory of earlier cases";
	unsigned long long found = 0;
	drop(&state->replaced);
	sealed_sets_drop(&state->sealed);
	state->base = nullptr;
	reset_persisting();
	if (state->arena.at == nullptr)
		return finish(what, err);
	if (!good(cudaMemsetAsync(state->arena.at, wiped_byte, state->arena.bytes), what, err) ||
		!good(cudaMemsetAsync(state->changed, 0, sizeof found), what, err) || !finish(what, err))
		return false;
	count_unwiped_kernel<<<1024, 256>>>(static_cast<const uint4 *>(state->arena.at),
										state->arena.bytes / sizeof(uint4), state->changed);
	if (!finish(what, err) ||
		!good(cudaMemcpy(&found, state->changed, sizeof found, cudaMemcpyDeviceToHost), what, err))
		return false;
	if (found != 0)
		return fail(err, "memory of earlier cases is still being written to");
	if (state->arena.bytes > kept_bytes) /* others want some, too */
		drop(&state->arena);
	return true;
}

/* Passes on the sets of the one before are made without a sweep: the first group of a pass comes
 * with a cache that nobody has lines in for good. */
bool cuda_group_descriptor(void *opaque, uint32_t group, int *fd, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	if (group + 1 >= state->sealed.count)
		return fail(err, "there is no group %u", group);
	if (group == 0)
		reset_persisting();
	*fd = state->sealed.parts[group].fd;
	return true;
}

uint8_t *arena_at(cuda_state *state, uint64_t offset)
{
	return state->base + offset;
}

bool cuda_fill(void *opaque, const struct device_region *region, const struct values *values,
			   struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	dim3 grid(grid_of(values->elements), region->sets > 65535 ? 65535 : region->sets);
	/* Many sets are small: keep the whole grid within reason. */
	while (static_cast<uint64_t>(grid.x) * grid.y > (1u << 20) && grid.x > 1)
		grid.x = (grid.x + 1) / 2;
	values_cuda::fill_kernel<<<grid, threads>>>(arena_at(state, 0), *region, *values);
	return finish("filling the case's buffers", err);
}

bool cuda_set_bytes(void *opaque, const struct device_region *region, uint8_t byte,
					struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	uint8_t *start = arena_at(state, region->offset);
	const char *what = "setting the case's buffers";
	if (region->sets > 1 && region->stride < (1u << 30)) {
		if (!good(cudaMemset2DAsync(start, region->stride, byte, region->bytes, region->sets), what,
				  err))
			return false;
		return finish(what, err);
	}
	for (uint32_t set = 0; set < region->sets; set++)
		if (!good(cudaMemsetAsync(start + set * region->stride, byte, region->bytes), what, err))
			return false;
	return finish(what, err);
}

/* The values do not matter; the write that never happens keeps the loads. */
__global__ void sweep_kernel(uint4 *memory, uint64_t count)
{
	uint32_t seen = 0;
	for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
		 i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
		uint4 value = memory[i];
		seen |= value.x | value.y | value.z | value.w;
	}
	if (seen != 0) /* the memory holds zeros */
		memory[0].x = 0;
}

bool cuda_sweep_cache(void *opaque, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	reset_persisting();
	if (state->sweep.at == nullptr) {
		uint64_t bytes = 2 * state->l2_bytes / 4096 * 4096 + 4096;
		if (!good(cudaMalloc(&state->sweep.at, bytes), "device memory for sweeping the cache",
				  err) ||
			!good(cudaMemset(state->sweep.at, 0, bytes), "sweeping the cache", err))
			return false;
		state->sweep.bytes = bytes;
	}
	sweep_kernel<<<1024, 256>>>(static_cast<uint4 *>(state->sweep.at),
								state->sweep.bytes / sizeof(uint4));
	return finish("sweeping the cache", err);
}

bool cuda_count_changed(void *opaque, const struct device_region *region,
						const struct values *values, uint64_t *changed, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	const char *what = "looking at the inputs";
	unsigned long long found = 0;
	if (!good(cudaMemsetAsync(state->changed, 0, sizeof found), what, err))
		return false;
	values_cuda::count_changed_kernel<<<grid_of(values->elements), threads>>>(
		arena_at(state, region->offset), *values, state->changed);
	if (!finish(what, err) ||
		!good(cudaMemcpy(&found, state->changed, sizeof found, cudaMemcpyDeviceToHost), what, err))
		return false;
	*changed = found;
	return true;
}

bool cuda_read(void *opaque, uint64_t offset, uint64_t bytes, void *out, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	return good(cudaMemcpy(out, arena_at(state, offset), bytes, cudaMemcpyDeviceToHost),
				"reading the output", err);
}

bool cuda_write(void *opaque, uint64_t offset, uint64_t bytes, const void *from, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	return good(cudaMemcpy(arena_at(state, offset), from, bytes, cudaMemcpyHostToDevice),
				"arranging operands", err);
}

bool cuda_copy(void *opaque, uint64_t from, uint64_t to, uint64_t bytes, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	const char *what = "copying a result";
	return good(cudaMemcpyAsync(arena_at(state, to), arena_at(state, from), bytes,
								cudaMemcpyDeviceToDevice),
				what, err) &&
		   good(cudaStreamSynchronize(nullptr), what, err);
}

bool cuda_digest(void *opaque, uint64_t offset, uint64_t bytes, struct digest *out,
				 struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	const char *what = "computing the digest of a result";
	return good(digest_cuda::reserve(&state->digests, bytes), what, err) &&
		   good(digest_cuda::start(&state->digests, arena_at(state, offset), bytes), what, err) &&
		   good(digest_cuda::wait(&state->digests, out), what, err);
}

const struct referee_device cuda_device = {
	REFEREE_DEVICE_VERSION,
	true,
	cuda_open,
	cuda_close,
	cuda_wipe,
	cuda_memory_free,
	cuda_arena,
	cuda_sealed_arena,
	cuda_group_descriptor,
	cuda_fill,
	cuda_set_bytes,
	cuda_sweep_cache,
	cuda_count_changed,
	cuda_read,
	cuda_write,
	cuda_copy,
	cuda_digest,
	cuda_product,
};

} // namespace

const struct referee_device *referee_device_cuda(void)
{
	return &cuda_device;
}
