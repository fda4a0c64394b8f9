/* The steps of attention's reference on a GPU, or the emulated one, in blocks of three rows, beside
 * those on the host: the same numbers, but for the last bits of functions and of sums in another
 * order. Exit status 1 where not. Made with REFERENCE_LANES 1 and 32. */
#include "reference/device.cuh"
#include "reference/host.cuh"

#include <math.h>
#include <stdio.h>

using reference::bounded;
using reference::problem;

typedef problem<bounded> numbers;

template <class Element> static void draw(const Element *&host, const Element *&device, size_t n)
{
	static unsigned state = 1;
	Element *values = new Element[n], *copy = NULL;
	for (size_t i = 0; i < n; i++)
		values[i] = Element((float)((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1);
	cudaMalloc(&copy, n * sizeof *copy);
	cudaMemcpy(copy, values, n * sizeof *copy, cudaMemcpyHostToDevice);
	host = values;
	device = copy;
}

static double apart(double a, double b)
{
	return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* Of values in units of 2^-20 of their bound, of the rest as they are. */
static double apart_in_all(const bounded &got, const bounded &want)
{
	double value = fabs(got.x - want.x) / want.error * 0x1p20;
	double spread = fmax(apart(got.spread.own, want.spread.own),
						 apart(got.spread.inherited, want.spread.inherited));
	return fmax(fmax(value, apart(got.error, want.error)), spread);
}

static cudaError_t run_there(numbers &p, std::vector<bounded> &out)
{
	reference::device_memory memory;
	cudaError_t status = reference::device_run(p, memory, 3);
	if (status != cudaSuccess)
		return status;
	return cudaMemcpy(out.data(), memory.steps.back(), out.size() * sizeof out[0],
					  cudaMemcpyDeviceToHost);
}

int main()
{
	numbers host = {}, device;
	host.M = 10;
	host.N = 33;
	host.d = 8;
	host.shape();
	device = host;
#define DRAW(name, scaled, zeros)                                                                  \
	draw(host.name.data, device.name.data, host.name.extent[0] * host.name.stride());
	REFERENCE_INPUTS(DRAW)
	reference::host_memory<bounded> expected;
	reference::host_run(host, expected, {1, 0});
	const std::vector<bounded> &want = expected.steps.back();
	std::vector<bounded> got(want.size());
	cudaError_t status = run_there(device, got);
	double most = 0;
	for (size_t i = 0; i < want.size(); i++)
		most = fmax(most, apart_in_all(got[i], want[i]));
	printf("%s, %zu elements: at most %.2g apart\n", cudaGetErrorString(status), want.size(), most);
	return status == cudaSuccess && most < 1e-3 ? 0 : 1;
}
