// CUDA graphs against the emulated libcudart, or NVIDIA's: what is captured, what may not be called
// meanwhile, graphs of explicit nodes, their updates, and the orders that missing edges allow.
// Prints what differs; the exit status is 1 when something did.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "checks.cuh"
#include "emulated.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

__device__ int variable;

__global__ void add(int *to, int amount)
{
	*to += amount;
}

__global__ void times(int *to, int factor)
{
	*to *= factor;
}

static int *device_int(int value)
{
	int *made;
	OK(cudaMalloc(&made, 4 * sizeof *made));
	OK(cudaMemcpy(made, &value, sizeof value, cudaMemcpyHostToDevice));
	return made;
}

static int value_of(const int *device)
{
	int value = -1;
	OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

// Everything of one launch in the order that the number draws, as EMULATED_GPU_ORDER does.
static void draw_order(uint64_t order)
{
	auto set = (cudaError_t(*)(uint64_t))dlsym(RTLD_DEFAULT, "cudaEmulatedOrder");
	if (set)
		set(order);
}

static void count(void *data)
{
	++*(int *)data;
}

static void call_cuda(void *data)
{
	*(cudaError_t *)data = cudaDeviceSynchronize();
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
	cudaGraphExec_t exec = nullptr;
	OK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void run(cudaGraph_t graph)
{
	cudaGraphExec_t exec = instantiate(graph);
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaGraphExecDestroy(exec));
}

static void test_capture(cudaStream_t stream)
{
	int *x = device_int(1), host = 0, calls = 0, amount = 5;
	cudaGraph_t graph;
	cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	RETURNS(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaStreamIsCapturing(stream, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaMemsetAsync(x, 0, sizeof *x, stream));
	add<<<1, 1, 0, stream>>>(x, amount);
	amount = 100; // the node has its own
	times<<<1, 1, 0, stream>>>(x, 3);
	OK(cudaMemcpyAsync(&host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
	OK(cudaLaunchHostFunc(stream, count, &calls));
	const cudaGraphNode_t *last;
	size_t nodes = 0;
	OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, nullptr, &nodes));
	CHECK(status == cudaStreamCaptureStatusActive && id && nodes == 1);
	cudaGraphNodeType type;
	OK(cudaGraphNodeGetType(*last, &type));
	CHECK(type == cudaGraphNodeTypeHost);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaStreamIsCapturing(stream, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	CHECK(value_of(x) == 1 && calls == 0); // nothing has run
	OK(cudaGraphGetNodes(graph, nullptr, &nodes));
	CHECK(nodes == 5);
	cudaGraphNode_t from[8], to[8];
	size_t edges = 8;
	OK(cudaGraphGetEdges(graph, from, to, nullptr, &edges));
	CHECK(edges == 4 && to[0] == from[1] && !from[5]);
	cudaGraphExec_t exec = instantiate(graph);
	OK(cudaGraphDestroy(graph)); // the other one is its own
	OK(cudaGraphUpload(exec, stream));
	for (int i = 1; i <= 2; i++) {
		OK(cudaGraphLaunch(exec, stream));
		OK(cudaStreamSynchronize(stream));
		CHECK(host == 15 && calls == i);
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaFree(x));
}

// One stream joins by an event, and is joined by another.
static void test_fork(cudaStream_t stream, cudaStream_t other)
{
	int *x = device_int(1), *y = device_int(2);
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	add<<<1, 1, 0, stream>>>(x, 1);
	OK(cudaEventRecord(fork, stream));
	OK(cudaStreamWaitEvent(other, fork, 0));
	times<<<1, 1, 0, other>>>(y, 10);
	add<<<1, 1, 0, stream>>>(x, 2);
	OK(cudaEventRecord(join, other));
	RETURNS(cudaErrorCapturedEvent, cudaEventQuery(join));
	OK(cudaStreamWaitEvent(stream, join, 0));
	OK(cudaMemcpyAsync(x + 1, y, sizeof *y, cudaMemcpyDeviceToDevice, stream));
	RETURNS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
	OK(cudaStreamEndCapture(stream, &graph));
	size_t nodes = 0, roots = 0, edges = 0;
	OK(cudaGraphGetNodes(graph, nullptr, &nodes));
	OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
	OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
	CHECK(nodes == 4 && roots == 1 && edges == 4);
	for (uint64_t order = 0; order < 8; order++) {
		const int before = value_of(x), y_before = value_of(y);
		draw_order(order);
		run(graph);
		CHECK(value_of(x) == before + 3 && value_of(y) == y_before * 10);
		CHECK(value_of(x + 1) == value_of(y));
	}
	draw_order(0);
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(fork));
	OK(cudaEventDestroy(join));
	OK(cudaFree(x));
	OK(cudaFree(y));
}

// Begins a capture, lets a call end it, and ends it.
#define SPOILS(mode, stream, status, call)                                                         \
	do {                                                                                           \
		cudaGraph_t none = (cudaGraph_t)1;                                                         \
		cudaStreamCaptureStatus now;                                                               \
		OK(cudaStreamBeginCapture(stream, mode));                                                  \
		RETURNS(status, call);                                                                     \
		OK(cudaStreamIsCapturing(stream, &now));                                                   \
		CHECK(now == cudaStreamCaptureStatusInvalidated);                                          \
		RETURNS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(x, 0, 4, stream));              \
		RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &none));           \
		CHECK(!none);                                                                              \
	} while (0)

static void test_illegal(cudaStream_t stream, cudaStream_t other)
{
	int *x = device_int(7), host = 0;
	void *more = nullptr;
	cudaEvent_t before, inside;
	cudaGraph_t graph;
	cudaStreamCaptureStatus status;
	const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
	OK(cudaEventCreate(&before));
	OK(cudaEventCreate(&inside));
	OK(cudaEventRecord(before, stream));
	RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, global));
	RETURNS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
	const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
	SPOILS(cudaStreamCaptureModeRelaxed, stream, unsupported, cudaStreamSynchronize(stream));
	SPOILS(cudaStreamCaptureModeRelaxed, stream, unsupported, cudaStreamQuery(stream));
	SPOILS(cudaStreamCaptureModeRelaxed, stream, unsupported, cudaDeviceSynchronize());
	SPOILS(global, stream, unsupported, cudaMalloc(&more, 4));
	SPOILS(cudaStreamCaptureModeThreadLocal, stream, unsupported, cudaMalloc(&more, 4));
	SPOILS(global, stream, cudaErrorStreamCaptureImplicit,
		   cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
	SPOILS(global, stream, cudaErrorStreamCaptureImplicit, cudaMemsetAsync(x, 0, 4, 0));
	SPOILS(global, stream, cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, before, 0));

	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(cudaMalloc(&more, 4)); // not forbidden in this mode
	RETURNS(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status));
	add<<<1, 1, 0, stream>>>(x, 1);
	OK(cudaEventRecord(inside, stream));
	OK(cudaStreamWaitEvent(other, inside, 0));
	OK(cudaStreamEndCapture(stream, &graph)); // it waits, and was given nothing to do
	OK(cudaGraphDestroy(graph));

	OK(cudaStreamBeginCapture(stream, global));
	OK(cudaEventRecord(inside, stream));
	OK(cudaStreamWaitEvent(other, inside, 0));
	add<<<1, 1, 0, other>>>(x, 1);
	RETURNS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
	OK(cudaStreamIsCapturing(other, &status));
	CHECK(status == cudaStreamCaptureStatusNone);

	OK(cudaStreamBeginCapture(stream, global));
	OK(cudaStreamBeginCapture(other, global));
	OK(cudaEventRecord(inside, stream));
	RETURNS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(other, inside, 0));
	RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
	RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(other, &graph));
	OK(cudaEventRecord(inside, stream)); // an event as any other again
	OK(cudaEventSynchronize(inside));

	cudaStream_t free_stream; // which the legacy stream does not wait for
	OK(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
	OK(cudaStreamBeginCapture(free_stream, global));
	OK(cudaMemsetAsync(x, 0, 4, 0));
	add<<<1, 1>>>(x, 9);
	OK(cudaStreamEndCapture(free_stream, &graph));
	CHECK(value_of(x) == 9);
	run(graph); // it is empty
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(free_stream));
	OK(cudaEventDestroy(before));
	OK(cudaEventDestroy(inside));
	OK(cudaFree(x));
	OK(cudaFree(more));
	cudaGetLastError();
}

static cudaKernelNodeParams kernel(void (*function)(int *, int), void **arguments)
{
	return {(void *)function, dim3(1), dim3(1), 0, arguments, nullptr};
}

static void test_nodes(cudaStream_t stream)
{
	int *x = device_int(1), one = 1, four = 4, host = 0, calls = 0;
	void *add_one[] = {&x, &one}, *times_four[] = {&x, &four};
	cudaGraph_t graph, child, clone;
	cudaGraphNode_t fill, adds, multiplies, copies, calls_host, empty, nested, in_clone;
	OK(cudaGraphCreate(&graph, 0));
	cudaMemsetParams zero = {x, 0, 0, 4, 1, 1};
	OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
	cudaKernelNodeParams of_add = kernel(add, add_one), of_times = kernel(times, times_four);
	OK(cudaGraphAddKernelNode(&adds, graph, &fill, 1, &of_add));
	one = 1000; // too late
	cudaGraphNodeParams any = {};
	any.type = cudaGraphNodeTypeKernel;
	any.kernel.func = (void *)times;
	any.kernel.gridDim = any.kernel.blockDim = dim3(1);
	any.kernel.kernelParams = times_four;
	OK(cudaGraphAddNode(&multiplies, graph, &adds, nullptr, 1, &any));
	OK(cudaGraphAddEmptyNode(&empty, graph, &multiplies, 1));
	OK(cudaGraphAddMemcpyNode1D(&copies, graph, nullptr, 0, &host, x, 4, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddDependencies(graph, &empty, &copies, nullptr, 1));
	RETURNS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &copies, &copies, nullptr, 1));
	cudaHostNodeParams of_host = {count, &calls};
	OK(cudaGraphAddHostNode(&calls_host, graph, &copies, 1, &of_host));
	run(graph);
	CHECK(host == 4 && calls == 1);

	cudaKernelNodeParams said;
	OK(cudaGraphKernelNodeGetParams(adds, &said));
	CHECK(said.func == (void *)add && *(int *)said.kernelParams[1] == 1);
	cudaGraphExec_t exec = instantiate(graph);
	one = 2;
	OK(cudaGraphExecKernelNodeSetParams(exec, adds, &of_add));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(host == 8);
	OK(cudaGraphNodeSetEnabled(exec, multiplies, 0));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(host == 2);
	OK(cudaGraphNodeSetEnabled(exec, multiplies, 1));

	four = 5;
	OK(cudaGraphKernelNodeSetParams(multiplies, &of_times));
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphExecUpdate(exec, graph, &info)); // adds 1 again
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(host == 5);

	OK(cudaGraphClone(&clone, graph));
	OK(cudaGraphNodeFindInClone(&in_clone, calls_host, clone));
	OK(cudaGraphDestroyNode(in_clone));
	RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, clone, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
	calls = 0;
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddChildGraphNode(&nested, child, nullptr, 0, clone));
	cudaMemsetParams beside = {x + 1, 0, 3, 4, 1, 1};
	OK(cudaGraphAddMemsetNode(&fill, child, &nested, 1, &beside));
	host = 0;
	run(child);
	CHECK(host == 5 && calls == 0 && value_of(x + 1) == 3);

	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(cudaGraphLaunch(exec, stream)); // a node of another graph
	OK(cudaStreamEndCapture(stream, &clone));
	host = 0;
	run(clone);
	CHECK(host == 5 && calls == 1);

	cudaGraphNode_t a, b;
	cudaGraph_t circle;
	OK(cudaGraphCreate(&circle, 0));
	OK(cudaGraphAddEmptyNode(&a, circle, nullptr, 0));
	OK(cudaGraphAddEmptyNode(&b, circle, &a, 1));
	OK(cudaGraphAddDependencies(circle, &b, &a, nullptr, 1));
	cudaGraphExec_t none;
	RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(&none, circle, 0));
	OK(cudaGraphRemoveDependencies(circle, &b, &a, nullptr, 1));
	run(circle);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(circle));
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphDestroy(child));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
	cudaGetLastError();
}

// A sum, and a product that no edge puts behind it: 3, or 1 where the product comes first.
static void test_orders()
{
	int one = 1, three = 3, seen_late = 0, seen_early = 0;
	int *x = device_int(0);
	void *add_one[] = {&x, &one}, *times_three[] = {&x, &three};
	cudaKernelNodeParams of_add = kernel(add, add_one), of_times = kernel(times, times_three);
	cudaGraph_t graph;
	cudaGraphNode_t fill, adds, multiplies;
	cudaMemsetParams zero = {x, 0, 0, 4, 1, 1};
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
	OK(cudaGraphAddKernelNode(&adds, graph, &fill, 1, &of_add));
	OK(cudaGraphAddKernelNode(&multiplies, graph, &fill, 1, &of_times));
	for (uint64_t order = 0; order < 16; order++) {
		draw_order(order);
		run(graph);
		seen_late += value_of(x) == 3;
		seen_early += value_of(x) == 1;
	}
	CHECK(seen_late > 0 && seen_early > 0 && seen_late + seen_early == 16);
	OK(cudaGraphAddDependencies(graph, &adds, &multiplies, nullptr, 1));
	for (uint64_t order = 0; order < 16; order++) {
		draw_order(order);
		run(graph);
		CHECK(value_of(x) == 3);
	}
	draw_order(0);
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
}

// More nodes than the queue of the emulated GPU holds, in children too, in every order.
static void test_many()
{
	int one = 1, *x = device_int(0);
	void *add_one[] = {&x, &one};
	cudaKernelNodeParams of_add = kernel(add, add_one);
	cudaGraph_t part, graph;
	cudaGraphNode_t last, made;
	OK(cudaGraphCreate(&part, 0));
	OK(cudaGraphAddKernelNode(&last, part, nullptr, 0, &of_add));
	for (int i = 1; i < 50; i++, last = made)
		OK(cudaGraphAddKernelNode(&made, part, &last, 1, &of_add));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddChildGraphNode(&last, graph, nullptr, 0, part));
	OK(cudaGraphAddChildGraphNode(&made, graph, &last, 1, part));
	cudaMemsetParams zero = {x, 0, 0, 4, 1, 1};
	OK(cudaGraphAddMemsetNode(&last, graph, &made, 1, &zero));
	OK(cudaGraphAddKernelNode(&made, graph, &last, 1, &of_add));
	for (uint64_t order = 0; order < 8; order++) {
		draw_order(order);
		run(graph);
		CHECK(value_of(x) == 1);
	}
	draw_order(0);
	OK(cudaGraphDestroy(part));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
}

// What only the emulated GPU promises.
static void test_emulated()
{
	int *x = device_int(0), *y = device_int(0);
	cudaError_t inside = cudaSuccess;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	OK(cudaGraphCreate(&graph, 0));
	cudaHostNodeParams of_host = {call_cuda, &inside};
	OK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &of_host));
	run(graph);
	CHECK(inside == cudaErrorNotPermitted);
	cudaGetLastError();
	RETURNS(cudaErrorInvalidValue,
			cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, x, y, 17, cudaMemcpyDeviceToDevice));
	OK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, x, y, 16, cudaMemcpyDeviceToDevice));
	OK(cudaFree(y));
	cudaGraphExec_t exec = instantiate(graph);
	OK(cudaGraphLaunch(exec, 0));
	RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

// An argument: only the graph that lacks an edge, where it is a race.
int main(int count, char **)
{
	cudaStream_t stream, other;
	if (count > 1) {
		test_orders();
		return 0;
	}
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamCreate(&other));
	test_capture(stream);
	test_fork(stream, other);
	test_illegal(stream, other);
	test_nodes(stream);
	if (emulated()) {
		if (!getenv("EMULATED_GPU_CHECK"))
			test_orders();
		test_many();
		test_emulated();
	}
	printf("%d failures\n", failures);
	return failures != 0;
}
