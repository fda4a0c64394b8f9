// What programs use of the toolkit's own C++ libraries, each against the host's result: thrust,
// cub, cooperative groups, libcu++ (atomics, barriers, pipelines, cuda::std) and nvcuda::wmma.
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

#include "checks.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init // barriers in shared memory

namespace cg = cooperative_groups;

constexpr int count = 1000, threads = 128;

static std::vector<int> numbers()
{
	std::vector<int> out(count);
	for (int i = 0; i < count; i++)
		out[i] = i * 7919 % 1009;
	return out;
}

struct twice {
	__host__ __device__ int operator()(int value) const
	{
		return 2 * value;
	}
};

static void with_thrust()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> data(host.begin(), host.end()), sums(count);
	thrust::transform(data.begin(), data.end(), data.begin(), twice());
	thrust::sort(data.begin(), data.end());
	std::sort(host.begin(), host.end());
	bool same = true;
	for (int i = 0; i < count; i++)
		same = same && data[i] == 2 * host[i];
	CHECK(same);
	int sum = std::accumulate(host.begin(), host.end(), 0);
	CHECK(thrust::reduce(data.begin(), data.end()) == 2 * sum);
	thrust::inclusive_scan(data.begin(), data.end(), sums.begin());
	CHECK(sums.back() == 2 * sum);
	CHECK(thrust::inner_product(data.begin(), data.end(), data.begin(), 0ll) ==
		  4 * std::inner_product(host.begin(), host.end(), host.begin(), 0ll));
}

static __global__ void block_sums(const int *in, int *out)
{
	using reduce = cub::BlockReduce<int, threads>;
	using scan = cub::BlockScan<int, threads>;
	__shared__ union {
		typename reduce::TempStorage reduce;
		typename scan::TempStorage scan;
	} room;
	int i = blockIdx.x * threads + threadIdx.x, value = i < count ? in[i] : 0, before;
	int sum = reduce(room.reduce).Sum(value);
	__syncthreads();
	scan(room.scan).ExclusiveSum(value, before);
	if (threadIdx.x == 0)
		atomicAdd(&out[0], sum);
	if (threadIdx.x == threads - 1)
		atomicAdd(&out[1], before + value);
}

static void with_cub()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> in(host.begin(), host.end()), out(1), sums(2);
	const int *from = thrust::raw_pointer_cast(in.data());
	int *to = thrust::raw_pointer_cast(out.data());
	int sum = std::accumulate(host.begin(), host.end(), 0);
	size_t bytes = 0;
	RETURNS(cudaSuccess, cub::DeviceReduce::Sum(nullptr, bytes, from, to, count));
	thrust::device_vector<char> room(bytes);
	RETURNS(cudaSuccess,
			cub::DeviceReduce::Sum(thrust::raw_pointer_cast(room.data()), bytes, from, to, count));
	CHECK(out[0] == sum);
	block_sums<<<(count + threads - 1) / threads, threads>>>(from,
															 thrust::raw_pointer_cast(sums.data()));
	CHECK(sums[0] == sum && sums[1] == sum);
}

// One block; out[0] counts by tiles, out[1] is the sum of a scan, out[2] what a cluster saw.
static __global__ void __cluster_dims__(2) groups(const int *in, int *out)
{
	__shared__ int copy[threads];
	cg::thread_block block = cg::this_thread_block();
	cg::cluster_group cluster = cg::this_cluster();
	cg::memcpy_async(block, copy, in, sizeof copy);
	cg::wait(block);
	auto tile = cg::tiled_partition<32>(block);
	int sum = cg::reduce(tile, copy[block.thread_rank()], cg::plus<int>());
	int before = cg::exclusive_scan(tile, copy[block.thread_rank()], cg::plus<int>());
	if (tile.thread_rank() == 31)
		atomicAdd(&out[1], before + copy[block.thread_rank()]);
	if (tile.thread_rank() == 0)
		atomicAdd(&out[0], sum);
	cluster.sync();
	if (block.thread_rank() == 0) {
		const int *other = cluster.map_shared_rank(copy, cluster.block_rank() ^ 1);
		atomicAdd(&out[2], other[5] + (int)cluster.num_blocks());
	}
	cluster.sync();
}

static void with_groups()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> in(host.begin(), host.end()), out(3);
	groups<<<2, threads>>>(thrust::raw_pointer_cast(in.data()),
						   thrust::raw_pointer_cast(out.data()));
	int sum = std::accumulate(host.begin(), host.begin() + threads, 0);
	CHECK(out[0] == 2 * sum && out[1] == 2 * sum && out[2] == 2 * (host[5] + 2));
}

// Two stages of a pipeline double what is copied; a barrier orders the halves of the block.
static __global__ void staged(const int *in, int *out)
{
	__shared__ int stage[2][threads];
	__shared__ cuda::barrier<cuda::thread_scope_block> turn;
	if (threadIdx.x == 0)
		init(&turn, threads);
	__syncthreads();
	auto pipeline = cuda::make_pipeline();
	for (int i = 0; i < 2; i++) {
		pipeline.producer_acquire();
		cuda::memcpy_async(&stage[i][threadIdx.x], &in[i * threads + threadIdx.x],
						   cuda::aligned_size_t<4>(4), pipeline);
		pipeline.producer_commit();
	}
	int sum = 0;
	for (int i = 0; i < 2; i++) {
		cuda::pipeline_consumer_wait_prior<1>(pipeline);
		pipeline.consumer_wait();
		turn.arrive_and_wait();
		sum += stage[i][threads - 1 - threadIdx.x];
		pipeline.consumer_release();
	}
	cuda::atomic_ref<int, cuda::thread_scope_device> total(out[0]);
	total.fetch_add(sum, cuda::memory_order_relaxed);
}

static __global__ void standard(int *out, cuda::atomic<int, cuda::thread_scope_device> *most)
{
	cuda::std::array<int, 4> values = {1, 2, 3, 4};
	cuda::std::span<int> some(values.data() + 1, 3);
	int sum = 0;
	for (int value : some)
		sum += value;
	cuda::std::complex<float> turned = cuda::std::complex<float>(1, 2) * 2.0f;
	out[0] = sum + (int)turned.imag();
	out[1] = cuda::std::numeric_limits<short>::max();
	out[2] = (int)cuda::ptx::get_sreg_ntid_x();
	most->fetch_max((int)threadIdx.x);
}

// A bulk copy whose bytes an mbarrier counts, through the wrappers of cuda::ptx and cuda::device.
static __global__ void bulk(const int *in, int *out)
{
	__shared__ alignas(16) int copy[threads];
	__shared__ cuda::barrier<cuda::thread_scope_block> full;
	if (threadIdx.x == 0) {
		init(&full, blockDim.x);
		cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
	}
	__syncthreads();
	cuda::barrier<cuda::thread_scope_block>::arrival_token token;
	if (threadIdx.x == 0) {
		cuda::device::memcpy_async_tx(copy, in, cuda::aligned_size_t<16>(sizeof copy), full);
		token = cuda::device::barrier_arrive_tx(full, 1, sizeof copy);
	} else {
		token = full.arrive();
	}
	full.wait(std::move(token));
	out[threadIdx.x] = copy[threads - 1 - threadIdx.x];
}

static void with_libcudacxx()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> in(host.begin(), host.end()), out(threads);
	cuda::atomic<int, cuda::thread_scope_device> *most;
	RETURNS(cudaSuccess, cudaMallocManaged(&most, sizeof *most));
	new (most) cuda::atomic<int, cuda::thread_scope_device>(0);
	const int *from = thrust::raw_pointer_cast(in.data());
	int *to = thrust::raw_pointer_cast(out.data());
	staged<<<1, threads>>>(from, to);
	CHECK(out[0] == std::accumulate(host.begin(), host.begin() + 2 * threads, 0));
	standard<<<1, 64>>>(to, most);
	CHECK(out[0] == 13 && out[1] == 32767 && out[2] == 64);
	CHECK(most->load() == 63);
	bulk<<<1, threads>>>(from, to);
	CHECK(out[0] == host[threads - 1] && out[threads - 1] == host[0]);
	RETURNS(cudaSuccess, cudaFree(most));
}

static __global__ void product(const half *a, const half *b, float *c)
{
	using namespace nvcuda;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 1.0f);
	wmma::load_matrix_sync(left, a, 16);
	wmma::load_matrix_sync(right, b, 16);
	wmma::mma_sync(sum, left, right, sum);
	wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

static void with_wmma()
{
	thrust::host_vector<half> a(256), b(256);
	for (int i = 0; i < 256; i++) {
		a[i] = (half)(float)(i % 5);
		b[i] = (half)(float)(i % 7);
	}
	thrust::device_vector<half> left = a, right = b;
	thrust::device_vector<float> sums(256);
	product<<<1, 32>>>(thrust::raw_pointer_cast(left.data()),
					   thrust::raw_pointer_cast(right.data()),
					   thrust::raw_pointer_cast(sums.data()));
	thrust::host_vector<float> c = sums;
	int wrong = 0;
	for (int row = 0; row < 16; row++)
		for (int column = 0; column < 16; column++) {
			float sum = 1;
			for (int k = 0; k < 16; k++)
				sum += (float)a[row * 16 + k] * (float)b[column * 16 + k];
			wrong += c[row * 16 + column] != sum;
		}
	CHECK(wrong == 0);
}

int main()
{
	with_thrust();
	with_cub();
	with_groups();
	with_libcudacxx();
	with_wmma();
	RETURNS(cudaSuccess, cudaDeviceSynchronize());
	printf("%d failed\n", failures);
	return failures > 0;
}
