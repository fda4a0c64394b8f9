/* The bounds of a problem of a file: solve() is called like a solution's, with the problem's
 * arguments, and gives a bound for each element of the output in place of the output. Compiled with
 * the header that testcases/problem_reference.c writes as EPILOGUE_CHAIN. On a GPU kernels compute;
 * with REFERENCE_ON_HOST, for the emulated one, threads of the host do. A launch or a copy that
 * fails ends the process, which the judge reports with the error. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef REFERENCE_ON_HOST
#include <cuda_runtime.h>

#include "host.cuh"
#else
#include "device.cuh"
#endif
#include "faults.cuh"

namespace reference
{

#ifdef REFERENCE_ON_HOST
constexpr size_t BLOCK_BYTES = (size_t)256 << 20; // of steps that are computed in blocks
#else
constexpr size_t BLOCK_BYTES = (size_t)4 << 30;
#endif

static void need(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "reference: %s\n", cudaGetErrorString(status));
	exit(1);
}

/* How many of the first extent fit. */
template <class R> static size_t block_of(problem<R> &p)
{
	size_t row = 1;
	p.shape();
#define ADD_ROW(step) row += p.step.blocked ? p.step.stride() * sizeof(R) : 0;
	REFERENCE_STEPS(ADD_ROW)
	return row < BLOCK_BYTES ? BLOCK_BYTES / row : 1;
}

/* What is left of the error when the output's own rounding is not in it, which the judge adds. */
static REFERENCE_FUNCTION bound bound_of(bounded kept, kept_type type)
{
	double certain = kept.error - kept_rounding(kept.x, type);
	double variance = kept.spread.own + kept.spread.inherited + square(kept.bias);
	return {kept.x, certain > 0 ? certain : 0, sqrt(variance)};
}

/* Memory of the host that is filled from the device's. */
template <class Element> static std::vector<Element> brought(const Element *from, size_t count)
{
	std::vector<Element> values(count);
	need(cudaMemcpy(values.data(), from, count * sizeof(Element), cudaMemcpyDeviceToHost));
	return values;
}
#define BRING(name, scaled, zeros)                                                                 \
	auto values_of_##name = brought(p.name.data, p.name.extent[0] * p.name.stride());              \
	p.name.data = values_of_##name.data();

static unsigned threads_here()
{
	long threads = sysconf(_SC_NPROCESSORS_ONLN);
	return threads > 1 ? (unsigned)threads : 1;
}

#ifdef REFERENCE_ON_HOST

template <class Type>
static void give(const std::vector<bounded> &kept, const Type &type, bound *to)
{
	std::vector<bound> bounds(kept.size());
	for (size_t i = 0; i < kept.size(); i++)
		bounds[i] = bound_of(kept[i], type);
	need(cudaMemcpy(to, bounds.data(), bounds.size() * sizeof(bound), cudaMemcpyHostToDevice));
}

static void run(problem<bounded> &p, bound *to)
{
	host_memory<bounded> memory;
	REFERENCE_INPUTS(BRING)
	host_run(p, memory, {threads_here(), block_of(p)});
	give(memory.steps.back(), p.REFERENCE_OUTPUT.kept(), to);
}

#else

static __global__ void give(const bounded *kept, kept_type type, size_t count, bound *to)
{
	for (size_t i = blockIdx.x * (size_t)DEVICE_THREADS + threadIdx.x; i < count;
		 i += gridDim.x * (size_t)DEVICE_THREADS)
		to[i] = bound_of(kept[i], type);
}

static void run(problem<bounded> &p, bound *to)
{
	device_memory memory;
	need(device_run(p, memory, block_of(p)));
	size_t count = p.REFERENCE_OUTPUT.extent[0] * p.REFERENCE_OUTPUT.stride();
	size_t blocks = (count + DEVICE_THREADS - 1) / DEVICE_THREADS;
	unsigned grid = (unsigned)(blocks < DEVICE_BLOCKS ? blocks : DEVICE_BLOCKS);
	give<<<grid, DEVICE_THREADS>>>((const bounded *)memory.steps.back(), p.REFERENCE_OUTPUT.kept(),
								   count, to);
	need(cudaDeviceSynchronize());
}

#endif

} // namespace reference

using reference::bound;

/* Asked for faults: `to` has a result with how far from it an honest one may be, as the deviation
 * what it should be, and an error below 0. The answer is the first value. */
static void find_faults(reference::problem<reference::faulty> &p, bound *to)
{
	using namespace reference;
	REFERENCE_INPUTS(BRING)
	std::vector<bound> given =
		brought(to, p.REFERENCE_OUTPUT.extent[0] * p.REFERENCE_OUTPUT.stride());
	std::vector<double> out, reach, want;
	for (const bound &one : given) {
		out.push_back(one.value);
		reach.push_back(-one.error);
		want.push_back(one.deviation);
	}
	double found =
		(double)faults_of(p, {out.data(), reach.data(), want.data(), given.size()}, threads_here());
	need(cudaMemcpy(&to->value, &found, sizeof found, cudaMemcpyHostToDevice));
}

template <class R> static reference::problem<R> taken(REFERENCE_PARAMETERS)
{
	reference::problem<R> p = {};
	(void)REFERENCE_OUTPUT;
#define TAKE(name) p.name = name;
	REFERENCE_NUMBERS(TAKE)
#define TAKE_INPUT(name, scaled, zeros) p.name.data = name;
	REFERENCE_INPUTS(TAKE_INPUT)
	p.shape();
	return p;
}

extern "C" void solve(REFERENCE_PARAMETERS)
{
	bound *to = REFERENCE_OUTPUT;
	if (reference::brought(to, 1)[0].error < 0) {
		auto p = taken<reference::faulty>(REFERENCE_ARGUMENTS);
		find_faults(p, to);
	} else {
		auto p = taken<reference::bounded>(REFERENCE_ARGUMENTS);
		reference::run(p, to);
	}
}
