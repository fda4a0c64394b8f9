/* The reference's products on a GPU: by cuBLAS, in f32 without any narrowing where it holds the
 * products of two elements, else in f64; min-plus products and shortest paths, which no library
 * has, by kernels of our own. */
#ifndef GEMMJUDGE_DEVICE_REFEREE_CUDA_PRODUCT_CUH
#define GEMMJUDGE_DEVICE_REFEREE_CUDA_PRODUCT_CUH

#include <math.h>
#include <string.h>

#include "device/referee_cuda_state.cuh"
#include "device/referee_device.h"

namespace
{

using values_cuda::drawn_as;

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
	bool chosen_rows = request.rows != nullptr; /* they are drawn one after the other */
	bool ta = request.left.transposed && !chosen_rows, tb = request.right.transposed;
	m = chosen_rows ? static_cast<int>(request.row_count) : m;
	return {ta ? CUBLAS_OP_T : CUBLAS_OP_N,
			tb ? CUBLAS_OP_T : CUBLAS_OP_N,
			m,
			n,
			k,
			ta ? m : k,
			tb ? k : n,
			chosen_rows ? 1 : size[SIZE_BATCH],
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
bool draw_matrix(const struct device_matrix &matrix, uint64_t first, uint64_t count, drawn_as as,
				 buffer *memory, struct error *err)
{
	if (!grow(memory, count * sizeof(T), err))
		return false;
	values_cuda::draw_kernel<T>
		<<<grid_of(count), threads>>>(static_cast<T *>(memory->at), matrix, first, count, as);
	return good(cudaGetLastError(), "drawing the reference's inputs", err);
}

template <typename T>
bool draw_rows(cuda_state *state, const struct device_request &request, drawn_as as, buffer *memory,
			   struct error *err)
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
							static_cast<const uint64_t *>(state->rows.at), m, k, as);
	return good(cudaGetLastError(), what, err);
}

uint64_t results_of(const struct device_request &request)
{
	if (request.rows != nullptr)
		return request.row_count * shape_columns(&request.shape);
	return shape_rows(&request.shape) * shape_columns(&request.shape);
}

/* Draws the operands into the two buffers as T, and multiplies them into `result`. What the right
 * one's rounding takes off is multiplied by the left one as it is. */
template <typename T>
bool draw_and_multiply(cuda_state *state, const struct device_request &request, drawn_as as,
					   buffer *a_memory, buffer *b_memory, buffer *result, multiplier<T> multiply,
					   struct error *err)
{
	uint64_t m = request.shape.size[SIZE_M], k = request.shape.size[SIZE_K];
	uint64_t first = 0, count = request.right.values.elements;
	drawn_as left = as == drawn_as::rest ? drawn_as::number : as;
	bool drawn;
	if (request.rows == nullptr) {
		drawn = draw_matrix<T>(request.left, 0, request.left.values.elements, left, a_memory, err);
	} else {
		drawn = draw_rows<T>(state, request, left, a_memory, err);
		count = k * request.shape.size[SIZE_N];
		first = request.rows[0] / m * count;
	}
	return drawn && draw_matrix<T>(request.right, first, count, as, b_memory, err) &&
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
	if (!draw_and_multiply<float>(state, request, drawn_as::number, &state->a_f32, &state->b_f32,
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
	if (!draw_matrix<double>(request.left, 0, request.left.values.elements, drawn_as::number,
							 &state->a_f64, err) ||
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

/* One more product in f32, which goes with the result: *out is on the host. */
bool beside_product(cuda_state *state, const struct device_request &request, drawn_as as,
					buffer *device, buffer *host, const float **out, struct error *err)
{
	if (!draw_and_multiply<float>(state, request, as, &state->a_f32, &state->b_f32, device,
								  multiply, err) ||
		!fetch(host, device, results_of(request) * sizeof(float), err))
		return false;
	*out = static_cast<const float *>(host->at);
	return true;
}

/* product() of referee_device.h. */
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
	bool multiplied =
		wide ? draw_and_multiply<double>(state, *request, drawn_as::number, &state->a_f64,
										 &state->b_f64, &state->product, multiply, err)
			 : draw_and_multiply<float>(state, *request, drawn_as::number, &state->a_f32,
										&state->b_f32, &state->product, multiply, err);
	memset(out, 0, sizeof *out);
	if (!multiplied ||
		!fetch(&state->host_product, &state->product,
			   count * (wide ? sizeof(double) : sizeof(float)), err) ||
		!beside_product(state, *request, drawn_as::absolute, &state->magnitude,
						&state->host_magnitude, &out->magnitude, err))
		return false;

	if (wide)
		out->product_f64 = static_cast<const double *>(state->host_product.at);
	else
		out->product_f32 = static_cast<const float *>(state->host_product.at);
	out->unit_roundoff = wide ? 0x1p-53 : 0x1p-24;
	bool codes = request->left.values.format.is_integer != 0;
	return (codes || beside_product(state, *request, drawn_as::square, &state->squares,
									&state->host_squares, &out->squares, err)) &&
		   (request->right.group == 0 ||
			beside_product(state, *request, drawn_as::rest, &state->rest, &state->host_rest,
						   &out->rest, err));
}

} // namespace

#endif
