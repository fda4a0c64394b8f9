// What a kernel declares of its blocks and clusters, and launches that keep to it or not: the same
// results and error codes as on a GPU with clusters. Prints what differs.
#include <cuda.h>
#include <cuda_runtime.h>

#include "checks.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

constexpr int most = 64;

static __device__ int is_explicit()
{
	int answer;
	asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.b32 %0, 1, 0, p; }"
		: "=r"(answer));
	return answer;
}

// The grid, the block, the block's place in its cluster, and whether there is one.
static __device__ void write_shape(int *out)
{
	int rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (threadIdx.x == 0)
		out[blockIdx.x] = gridDim.x * 100000 + blockDim.x * 100 + rank * 10 + is_explicit();
}

__global__ void __block_size__((64, 1, 1), (2, 1, 1)) counts_clusters(int *out)
{
	write_shape(out);
}

__global__ void __block_size__((96, 1, 1)) counts_single_blocks(int *out)
{
	write_shape(out);
}

__global__ void __cluster_dims__() needs_clusters(int *out)
{
	write_shape(out);
}

__global__ void __launch_bounds__(64, 1, 2) in_pairs_at_most(int *out)
{
	write_shape(out);
}

__global__ void plain(int *out)
{
	write_shape(out);
}

static int *out;

static bool is_shape(int blocks, int threads, int cluster, int is_explicit)
{
	int shapes[most];
	OK(cudaMemcpy(shapes, out, sizeof shapes, cudaMemcpyDeviceToHost));
	OK(cudaMemset(out, 0, sizeof shapes));
	for (int i = 0; i < most; i++) {
		const int rank = i % cluster;
		if (shapes[i] !=
			(i < blocks ? blocks * 100000 + threads * 100 + rank * 10 + is_explicit : 0))
			return false;
	}
	return true;
}

static cudaError_t launch(void (*kernel)(int *), int grid, int threads, int cluster)
{
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = cluster;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = grid;
	config.blockDim = threads;
	config.attrs = &attribute;
	config.numAttrs = 1;
	return cudaLaunchKernelEx(&config, kernel, out);
}

static void test_grids_that_count_clusters()
{
	counts_clusters<<<4>>>(out);
	CHECK(is_shape(8, 64, 2, 1));
	counts_clusters<<<3, 64>>>(out);
	CHECK(is_shape(6, 64, 2, 1));
	OK(launch(counts_clusters, 4, 1, 2));
	CHECK(is_shape(8, 64, 2, 1));
	counts_single_blocks<<<4, 1, 0, cudaStreamPerThread>>>(out);
	OK(cudaDeviceSynchronize());
	CHECK(is_shape(4, 96, 1, 1));
	cudaFuncAttributes facts;
	OK(cudaFuncGetAttributes(&facts, counts_clusters));
	CHECK(facts.requiredClusterWidth == 2 && facts.maxThreadsPerBlock == 64);
}

// A launch that is refused leaves nothing behind.
static void test_other_blocks_are_refused_at_once()
{
	counts_clusters<<<4, 32>>>(out);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaDeviceSynchronize());
	counts_clusters<<<0x7fffffff>>>(out); // twice as many blocks as a grid can have
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	CHECK(is_shape(0, 0, 1, 0));
}

static void test_sizes_of_clusters()
{
	plain<<<4, 32>>>(out);
	CHECK(is_shape(4, 32, 1, 0));
	OK(launch(plain, 4, 32, 1));
	CHECK(is_shape(4, 32, 1, 1));
	needs_clusters<<<4, 32>>>(out);
	RETURNS(cudaErrorInvalidClusterSize, cudaGetLastError());
	OK(launch(needs_clusters, 4, 32, 2));
	CHECK(is_shape(4, 32, 2, 1));
	OK(launch(in_pairs_at_most, 4, 32, 2));
	CHECK(is_shape(4, 32, 2, 1));
	RETURNS(cudaErrorInvalidClusterSize, launch(in_pairs_at_most, 4, 32, 4));
	RETURNS(cudaErrorInvalidClusterSize, launch(plain, 4, 32, 0));
	RETURNS(cudaErrorInvalidClusterSize, launch(plain, 9, 32, 2));
	RETURNS(cudaErrorInvalidClusterSize, cudaGetLastError());
	OK(cudaDeviceSynchronize());
}

static void test_the_driver()
{
	CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
							  unsigned, unsigned, CUstream, void **, void **);
	cudaDriverEntryPointQueryResult found;
	cudaFunction_t function;
	void *arguments[] = {&out};
	OK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", (void **)&launch_kernel, 12000,
										cudaEnableDefault, &found));
	OK(cudaGetFuncBySymbol(&function, (const void *)counts_clusters));
	CHECK(launch_kernel(function, 4, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
	CHECK(is_shape(8, 64, 2, 1));
	CHECK(launch_kernel(function, 4, 1, 1, 2, 1, 1, 0, NULL, arguments, NULL) ==
		  CUDA_ERROR_INVALID_VALUE);
}

// A node says what was asked for, and can be set to that again.
static void test_nodes_of_graphs()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	void *arguments[] = {&out};
	cudaKernelNodeParams asked = {}, said = {};
	asked.func = (void *)counts_clusters;
	asked.gridDim = 4;
	asked.blockDim = 1;
	asked.kernelParams = arguments;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &asked));
	OK(cudaGraphKernelNodeGetParams(node, &said));
	CHECK(said.gridDim.x == 4 && said.blockDim.x == 1);
	OK(cudaGraphKernelNodeSetParams(node, &said));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	CHECK(is_shape(8, 64, 2, 1));
}

int main()
{
	OK(cudaMalloc(&out, most * sizeof *out));
	OK(cudaMemset(out, 0, most * sizeof *out));
	test_grids_that_count_clusters();
	test_other_blocks_are_refused_at_once();
	test_sizes_of_clusters();
	test_the_driver();
	test_nodes_of_graphs();
	printf("%d failed\n", failures);
	return failures > 0;
}
