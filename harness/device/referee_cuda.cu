/* The referee's half on an NVIDIA GPU: a plug-in that the referee loads, so that
 * the program itself needs no CUDA library. Device memory shared through CUDA
 * IPC; values drawn on the device; products by cuBLAS, in f32 without any
 * narrowing where it holds the products of two elements, else in f64; min-plus products and
 * shortest paths, which no library has, by kernels of our own. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/digest_cuda.cuh"
#include "device/referee_device.h"
#include "device/sealed_sets.cuh"
#include "device/values_cuda.cuh"

namespace
{

constexpr int threads = 256;
/* The driver clears memory that was given back, beside other work, which that slows down: seen on
 * an H200 at 16% for 20 ms after 13 GB. */
constexpr double scrubbed_per_microsecond = 500e3; /* bytes */
constexpr uint64_t arena_unit = 2u << 20;          /* CUDA shares whole 2 MiB pages */

/* A buffer that only grows; its contents do not survive growing. */
struct buffer {
	void *at;
	uint64_t bytes;
};

struct cuda_state {
	cublasHandle_t cublas;
	uint8_t *base; /* of the case's buffers: the arena or the sealed sets */
	buffer arena, replaced;
	sealed_sets sealed;
	digest_cuda::workspace digests;
	buffer rows;                                           /* device */
	buffer a_f32, b_f32, a_f64, b_f64, product, magnitude; /* device */
	buffer host_product, host_magnitude;                   /* pinned */
	buffer sweep;                                          /* device */
	uint64_t l2_bytes;
	unsigned long long *changed; /* device */
};

__attribute__((format(printf, 2, 3))) bool fail(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return false;
}

bool good(cudaError_t status, const char *what, struct error *err)
{
	if (status == cudaSuccess)
		return true;
	return fail(err, "%s: %s (%s)", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

bool good(cublasStatus_t status, const char *what, struct error *err)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return true;
	return fail(err, "%s: %s", what, cublasGetStatusString(status));
}

/* ---- kernels --------------------------------------------------------------- */

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

/* One step of Floyd and Warshall's: paths through node k. Row and column k do not change in it,
 * so that all may be done at once. */
__global__ void sweep_paths_kernel(double *d, float *hops, int n, int k)
{
	int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
	size_t row = blockIdx.y;
	if (column >= n)
		return;
	size_t place = row * n + column, first = row * n + k;
	size_t second = static_cast<size_t>(k) * n + column;
	double length = d[first] + d[second];
	if (length < d[place]) {
		d[place] = length;
		hops[place] = hops[first] + hops[second];
	}
}

__global__ void begin_paths_kernel(const double *edges, double *d, float *hops, int n)
{
	int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
	size_t place = static_cast<size_t>(blockIdx.y) * n + column;
	if (column >= n)
		return;
	d[place] = edges[place];
	hops[place] = static_cast<int>(blockIdx.y) == column ? 0 : 1;
}

/* C_ij = min over k of A_ik + B_kj, one thread an element; squares of A and B in
 * shared memory. Beyond the edges the last row or column is read once more, which
 * a minimum does not mind. A sum that is NaN never is the least. */
constexpr int min_plus_tile = 32;

__global__ void min_plus_kernel(int m, int n, int k_count, const float *a, const float *b, float *c)
{
	__shared__ float tile_a[min_plus_tile][min_plus_tile], tile_b[min_plus_tile][min_plus_tile];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * min_plus_tile + y, column = blockIdx.x * min_plus_tile + x;
	const float *from_a = a + static_cast<size_t>(min(row, m - 1)) * k_count;
	const float *from_b = b + min(column, n - 1);
	float least = INFINITY;
	for (int first = 0; first < k_count; first += min_plus_tile) {
		tile_a[y][x] = from_a[min(first + x, k_count - 1)];
		tile_b[y][x] = from_b[static_cast<size_t>(min(first + y, k_count - 1)) * n];
		__syncthreads();
		for (int k = 0; k < min_plus_tile; k++)
			least = fminf(least, tile_a[y][k] + tile_b[k][x]);
		__syncthreads();
	}
	if (row < m && column < n)
		c[static_cast<size_t>(row) * n + column] = least;
}

unsigned grid_of(uint64_t elements)
{
	uint64_t blocks = (elements + VALUES_BLOCK - 1) / VALUES_BLOCK;
	uint64_t grid = (blocks + threads - 1) / threads;
	return static_cast<unsigned>(grid < 1 ? 1 : grid > 65536 ? 65536 : grid);
}

/* After a launch: did it start, and did it end well? */
bool finish(const char *what, struct error *err)
{
	return good(cudaGetLastError(), what, err) && good(cudaDeviceSynchronize(), what, err);
}

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
	char line[256] = "", *at = nullptr;
	FILE *file = fopen("/proc/driver/nvidia/version", "re");
	if (file != nullptr) {
		if (fgets(line, sizeof line, file) != nullptr)
			at = strstr(line, "Module ");
		fclose(file);
	}
	cudaDriverGetVersion(&version);
	char module[16] = "";
	for (at = at != nullptr ? at + 7 : line; *at != '\0'; at++) /* "for x86_64" may stand between */
		if (sscanf(at, " %15[0-9.]", module) == 1 && strchr(module, '.') != nullptr)
			break;
	if (strchr(module, '.') != nullptr)
		snprintf(out, bytes, "%s, CUDA %d.%d", module, version / 1000, version % 1000 / 10);
	else
		snprintf(out, bytes, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

bool read_facts(int ordinal, struct device_facts *facts, struct error *err)
{
	cudaDeviceProp properties;
	int runtime = 0, major = 0, minor = 0, patch = 0;
	if (!good(cudaGetDeviceProperties(&properties, ordinal), "cannot ask the device", err))
		return false;
	cudaRuntimeGetVersion(&runtime);
	cublasGetProperty(MAJOR_VERSION, &major);
	cublasGetProperty(MINOR_VERSION, &minor);
	cublasGetProperty(PATCH_LEVEL, &patch);

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
	snprintf(facts->runtime, sizeof facts->runtime, "CUDA %d.%d", runtime / 1000,
			 runtime % 1000 / 10);
	snprintf(facts->library, sizeof facts->library, "cuBLAS %d.%d.%d", major, minor, patch);
	return true;
}

void drop(buffer *memory)
{
	if (memory->at != nullptr)
		cudaFree(memory->at);
	*memory = {};
}

void cuda_close(void *opaque)
{
	auto *state = static_cast<cuda_state *>(opaque);
	if (state == nullptr)
		return;
	if (state->cublas != nullptr)
		cublasDestroy(state->cublas);
	for (buffer *memory :
		 {&state->arena, &state->replaced, &state->a_f32, &state->b_f32, &state->a_f64,
		  &state->b_f64, &state->product, &state->magnitude, &state->sweep, &state->rows})
		drop(memory);
	sealed_sets_drop(&state->sealed);
	digest_cuda::release(&state->digests);
	cudaFree(state->changed);
	cudaFreeHost(state->host_product.at);
	cudaFreeHost(state->host_magnitude.at);
	free(state);
}

bool cuda_open(const struct device_choice *choice, void **opaque, struct device_facts *facts,
			   struct error *err)
{
	int count = 0;
	int driver = 0;
	if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
		return fail(err, "no NVIDIA driver");
	if (!good(cudaGetDeviceCount(&count), "no CUDA device can be used", err))
		return false;
	if (choice->ordinal < 0 || choice->ordinal >= count)
		return fail(err, "there is no CUDA device %d: this machine has %d, counted from 0",
					choice->ordinal, count);
	if (!good(cudaSetDevice(choice->ordinal), "cannot use the device", err) ||
		!read_facts(choice->ordinal, facts, err))
		return false;
	facts->devices = count;

	auto *state = static_cast<cuda_state *>(calloc(1, sizeof(cuda_state)));
	if (state == nullptr)
		return fail(err, "out of memory");
	if (good(cublasCreate(&state->cublas), "cuBLAS does not start", err) &&
		good(cublasSetMathMode(state->cublas, CUBLAS_PEDANTIC_MATH), "cuBLAS", err) &&
		good(cudaMalloc(&state->changed, sizeof *state->changed), "device memory", err)) {
		state->l2_bytes = facts->l2_bytes;
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

bool cuda_group_descriptor(void *opaque, uint32_t group, int *fd, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	if (group + 1 >= state->sealed.count)
		return fail(err, "there is no group %u", group);
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

bool cuda_sweep_cache(void *opaque, struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
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

/* ---- products ------------------------------------------------------------------- */

uint64_t next_power(uint64_t bytes)
{
	uint64_t power = 1u << 20;
	while (power < bytes)
		power *= 2;
	return power;
}

bool grow(buffer *memory, uint64_t bytes, struct error *err)
{
	if (bytes <= memory->bytes)
		return true;
	drop(memory);
	uint64_t rounded = next_power(bytes);
	cudaError_t status = cudaMalloc(&memory->at, rounded);
	if (status != cudaSuccess) {
		memory->at = nullptr;
		return good(status, "device memory for the reference", err);
	}
	memory->bytes = rounded;
	return true;
}

bool grow_host(buffer *memory, uint64_t bytes, struct error *err)
{
	if (bytes <= memory->bytes)
		return true;
	cudaFreeHost(memory->at);
	*memory = {};
	uint64_t rounded = next_power(bytes);
	cudaError_t status = cudaMallocHost(&memory->at, rounded);
	if (status != cudaSuccess) {
		memory->at = nullptr;
		return good(status, "host memory for the reference", err);
	}
	memory->bytes = rounded;
	return true;
}

/* Row-major C = A*B is column-major C^T = B^T * A^T, which is what cuBLAS sees; a matrix of each
 * batch after the other. */
struct strides {
	cublasOperation_t a_operation, b_operation;
	int m, n, k, a_row, b_row, batch;
	long long a, b, c;
};

struct strides strides_of(const struct device_request &request)
{
	const int32_t *size = request.shape.size;
	int m = size[SIZE_M], n = size[SIZE_N], k = size[SIZE_K];
	bool alone = request.rows != nullptr; /* they are drawn one after the other */
	bool ta = request.left.transposed && !alone, tb = request.right.transposed;
	m = alone ? static_cast<int>(request.row_count) : m;
	return {ta ? CUBLAS_OP_T : CUBLAS_OP_N,
			tb ? CUBLAS_OP_T : CUBLAS_OP_N,
			m,
			n,
			k,
			ta ? m : k,
			tb ? k : n,
			alone ? 1 : size[SIZE_BATCH],
			static_cast<long long>(m) * k,
			static_cast<long long>(k) * n,
			static_cast<long long>(m) * n};
}

bool multiply(cuda_state *state, const struct device_request &request, const float *a,
			  const float *b, float *c, struct error *err)
{
	const float one = 1, zero = 0;
	struct strides s = strides_of(request);
	return good(cublasSgemmStridedBatched(state->cublas, s.b_operation, s.a_operation, s.n, s.m,
										  s.k, &one, b, s.b_row, s.b, a, s.a_row, s.a, &zero, c,
										  s.n, s.c, s.batch),
				"cublasSgemmStridedBatched", err);
}

bool multiply(cuda_state *state, const struct device_request &request, const double *a,
			  const double *b, double *c, struct error *err)
{
	const double one = 1, zero = 0;
	struct strides s = strides_of(request);
	return good(cublasDgemmStridedBatched(state->cublas, s.b_operation, s.a_operation, s.n, s.m,
										  s.k, &one, b, s.b_row, s.b, a, s.a_row, s.a, &zero, c,
										  s.n, s.c, s.batch),
				"cublasDgemmStridedBatched", err);
}

/* Min-plus; every right solution gets the same, so there is one precision only. */
bool multiply_min_plus(cuda_state *, const struct device_request &request, const float *a,
					   const float *b, float *c, struct error *err)
{
	struct strides s = strides_of(request);
	int m = s.m, n = s.n;
	dim3 block(min_plus_tile, min_plus_tile);
	dim3 grid((n + min_plus_tile - 1) / min_plus_tile, (m + min_plus_tile - 1) / min_plus_tile);
	min_plus_kernel<<<grid, block>>>(m, n, s.k, a, b, c);
	return good(cudaGetLastError(), "computing the reference", err);
}

template <typename T>
using multiplier = bool (*)(cuda_state *, const struct device_request &, const T *, const T *, T *,
							struct error *);

template <typename T>
bool draw_matrix(const struct device_matrix &matrix, uint64_t first, uint64_t count, bool absolute,
				 buffer *memory, struct error *err)
{
	if (!grow(memory, count * sizeof(T), err))
		return false;
	values_cuda::draw_kernel<T>
		<<<grid_of(count), threads>>>(static_cast<T *>(memory->at), matrix, first, count, absolute);
	return good(cudaGetLastError(), "drawing the reference's inputs", err);
}

template <typename T>
bool draw_rows(cuda_state *state, const struct device_request &request, bool absolute,
			   buffer *memory, struct error *err)
{
	const char *what = "drawing rows of the reference's inputs";
	uint64_t m = request.shape.size[SIZE_M], k = request.shape.size[SIZE_K];
	uint64_t bytes = request.row_count * sizeof *request.rows;
	if (!grow(memory, request.row_count * k * sizeof(T), err) || !grow(&state->rows, bytes, err) ||
		!good(cudaMemcpy(state->rows.at, request.rows, bytes, cudaMemcpyHostToDevice), what, err))
		return false;
	dim3 grid(static_cast<unsigned>((k + threads - 1) / threads), request.row_count);
	values_cuda::draw_rows_kernel<T>
		<<<grid, threads>>>(static_cast<T *>(memory->at), request.left,
							static_cast<const uint64_t *>(state->rows.at), m, k, absolute);
	return good(cudaGetLastError(), what, err);
}

uint64_t results_of(const struct device_request &request)
{
	if (request.rows != nullptr)
		return request.row_count * shape_columns(&request.shape);
	return shape_rows(&request.shape) * shape_columns(&request.shape);
}

/* Draws the operands into the two buffers as T, and multiplies them into `result`. */
template <typename T>
bool draw_and_multiply(cuda_state *state, const struct device_request &request, bool absolute,
					   buffer *a_memory, buffer *b_memory, buffer *result, multiplier<T> multiply,
					   struct error *err)
{
	uint64_t m = request.shape.size[SIZE_M], k = request.shape.size[SIZE_K];
	uint64_t first = 0, count = request.right.values.elements;
	bool drawn;
	if (request.rows == nullptr) {
		drawn =
			draw_matrix<T>(request.left, 0, request.left.values.elements, absolute, a_memory, err);
	} else {
		drawn = draw_rows<T>(state, request, absolute, a_memory, err);
		count = k * request.shape.size[SIZE_N];
		first = request.rows[0] / m * count;
	}
	return drawn && draw_matrix<T>(request.right, first, count, absolute, b_memory, err) &&
		   grow(result, results_of(request) * sizeof(T), err) &&
		   multiply(state, request, static_cast<T *>(a_memory->at), static_cast<T *>(b_memory->at),
					static_cast<T *>(result->at), err) &&
		   finish("computing the reference", err);
}

bool fetch(buffer *host, const buffer *device, uint64_t bytes, struct error *err)
{
	return grow_host(host, bytes, err) &&
		   good(cudaMemcpy(host->at, device->at, bytes, cudaMemcpyDeviceToHost),
				"reading the reference", err);
}

bool min_plus_product(cuda_state *state, const struct device_request &request,
					  struct device_product *out, struct error *err)
{
	if (!draw_and_multiply<float>(state, request, false, &state->a_f32, &state->b_f32,
								  &state->product, multiply_min_plus, err) ||
		!fetch(&state->host_product, &state->product, results_of(request) * sizeof(float), err))
		return false;
	memset(out, 0, sizeof *out);
	out->product_f32 = static_cast<const float *>(state->host_product.at);
	return true;
}

/* The magnitude of each path's rounding errors, in place of its edges: referee_device.h says which.
 */
void path_magnitudes(const double *d, float *hops, uint64_t count, bool negative)
{
	double most = 1, longest = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (!isfinite(d[i]))
			continue;
		most = hops[i] > most ? hops[i] : most;
		longest = fabs(d[i]) > longest ? fabs(d[i]) : longest;
	}
	for (uint64_t i = 0; i < count; i++)
		hops[i] = isfinite(d[i]) ? static_cast<float>(most * (negative ? longest : fabs(d[i]))) : 0;
}

bool shortest_paths(cuda_state *state, const struct device_request &request,
					struct device_product *out, struct error *err)
{
	int n = request.shape.size[SIZE_M];
	uint64_t count = results_of(request);
	if (!draw_matrix<double>(request.left, 0, request.left.values.elements, false, &state->a_f64,
							 err) ||
		!grow(&state->product, count * sizeof(double), err) ||
		!grow(&state->magnitude, count * sizeof(float), err))
		return false;
	double *d = static_cast<double *>(state->product.at);
	float *hops = static_cast<float *>(state->magnitude.at);
	dim3 grid((n + threads - 1) / threads, n);
	begin_paths_kernel<<<grid, threads>>>(static_cast<double *>(state->a_f64.at), d, hops, n);
	for (int k = 0; k < n; k++)
		sweep_paths_kernel<<<grid, threads>>>(d, hops, n, k);
	if (!finish("computing the reference", err) ||
		!fetch(&state->host_product, &state->product, count * sizeof(double), err) ||
		!fetch(&state->host_magnitude, &state->magnitude, count * sizeof(float), err))
		return false;
	memset(out, 0, sizeof *out);
	out->product_f64 = static_cast<const double *>(state->host_product.at);
	out->magnitude = static_cast<const float *>(state->host_magnitude.at);
	out->unit_roundoff = 0x1p-53;
	bool negative = request.left.values.spec.distribution != VALUES_GRAPH;
	path_magnitudes(out->product_f64, static_cast<float *>(state->host_magnitude.at), count,
					negative);
	return true;
}

bool cuda_product(void *opaque, const struct device_request *request, struct device_product *out,
				  struct error *err)
{
	auto *state = static_cast<cuda_state *>(opaque);
	if (request->algebra == ALGEBRA_MIN_PLUS)
		return min_plus_product(state, *request, out, err);
	if (request->algebra == ALGEBRA_SHORTEST_PATHS)
		return shortest_paths(state, *request, out, err);
	uint64_t count = results_of(*request);
	bool wide = request->wide;
	bool multiplied = wide
						  ? draw_and_multiply<double>(state, *request, false, &state->a_f64,
													  &state->b_f64, &state->product, multiply, err)
						  : draw_and_multiply<float>(state, *request, false, &state->a_f32,
													 &state->b_f32, &state->product, multiply, err);
	if (!multiplied ||
		!draw_and_multiply<float>(state, *request, true, &state->a_f32, &state->b_f32,
								  &state->magnitude, multiply, err) ||
		!fetch(&state->host_product, &state->product,
			   count * (wide ? sizeof(double) : sizeof(float)), err) ||
		!fetch(&state->host_magnitude, &state->magnitude, count * sizeof(float), err))
		return false;

	memset(out, 0, sizeof *out);
	if (wide)
		out->product_f64 = static_cast<const double *>(state->host_product.at);
	else
		out->product_f32 = static_cast<const float *>(state->host_product.at);
	out->magnitude = static_cast<const float *>(state->host_magnitude.at);
	out->unit_roundoff = wide ? 0x1p-53 : 0x1p-24;
	return true;
}

const struct referee_device cuda_device = {
	REFEREE_DEVICE_VERSION,
	true,
	cuda_open,
	cuda_close,
	cuda_memory_free,
	cuda_arena,
	cuda_sealed_arena,
	cuda_group_descriptor,
	cuda_fill,
	cuda_set_bytes,
	cuda_sweep_cache,
	cuda_count_changed,
	cuda_read,
	cuda_copy,
	cuda_digest,
	cuda_product,
};

} // namespace

const struct referee_device *referee_device_cuda(void)
{
	return &cuda_device;
}
