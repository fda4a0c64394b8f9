// Texture objects against the emulated libcudart, or NVIDIA's: linear memory, rows with a pitch and
// arrays; address modes, filters, and what integers become. Prints what differs; the exit status is
// 1 when something did.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

#include "checks.cuh"
#include "emulated.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

constexpr int WIDTH = 16, HEIGHT = 4;

template <class T> __global__ void fetch(cudaTextureObject_t texture, int first, T *out)
{
	out[threadIdx.x] = tex1Dfetch<T>(texture, first + (int)threadIdx.x);
}

__global__ void at(cudaTextureObject_t texture, float x, float y, float *out)
{
	*out = tex2D<float>(texture, x, y);
}

template <class T> static T *managed(int count)
{
	T *made;
	OK(cudaMallocManaged(&made, count * sizeof *made));
	return made;
}

static cudaTextureObject_t linear(void *memory, size_t bytes, cudaChannelFormatDesc format,
								  cudaTextureReadMode mode)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc description = {};
	cudaTextureObject_t texture = 0;
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = format;
	resource.res.linear.sizeInBytes = bytes;
	description.readMode = mode;
	OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
	return texture;
}

static void test_linear()
{
	float *numbers = managed<float>(40), *out = managed<float>(32);
	uchar4 *bytes = managed<uchar4>(40), *out_bytes = managed<uchar4>(32);
	int2 *pairs = managed<int2>(40), *out_pairs = managed<int2>(32);
	for (int i = 0; i < 40; i++) {
		numbers[i] = i + 0.25f;
		bytes[i] = make_uchar4(i, 255 - i, 3, 255);
		pairs[i] = make_int2(-i, 1 << 30);
	}
	cudaTextureObject_t of_numbers = linear(
		numbers, 36 * sizeof *numbers, cudaCreateChannelDesc<float>(), cudaReadModeElementType);
	cudaTextureObject_t of_bytes =
		linear(bytes, 40 * sizeof *bytes, cudaCreateChannelDesc<uchar4>(), cudaReadModeElementType);
	cudaTextureObject_t of_pairs =
		linear(pairs, 40 * sizeof *pairs, cudaCreateChannelDesc<int2>(), cudaReadModeElementType);
	cudaTextureObject_t of_parts = linear(
		bytes, 40 * sizeof *bytes, cudaCreateChannelDesc<uchar4>(), cudaReadModeNormalizedFloat);
	float4 *parts = managed<float4>(32);
	fetch<<<1, 32>>>(of_numbers, 8, out);
	fetch<<<1, 32>>>(of_bytes, 8, out_bytes);
	fetch<<<1, 32>>>(of_pairs, 8, out_pairs);
	fetch<<<1, 32>>>(of_parts, 8, parts);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++) {
		CHECK(out[i] == (i + 8 < 36 ? i + 8.25f : 0)); // nothing lies behind the texture's end
		CHECK(out_bytes[i].x == i + 8 && out_bytes[i].y == 247 - i && out_bytes[i].w == 255);
		CHECK(out_pairs[i].x == -i - 8 && out_pairs[i].y == 1 << 30);
		CHECK(parts[i].w == 1 && fabsf(parts[i].x - (i + 8) / 255.0f) < 1e-6f);
	}
	fetch<<<1, 32>>>(of_numbers, -3, out);
	OK(cudaDeviceSynchronize());
	CHECK(out[2] == 0 && out[3] == 0.25f);
	for (cudaTextureObject_t texture : {of_numbers, of_bytes, of_pairs, of_parts})
		OK(cudaDestroyTextureObject(texture));
}

static cudaTextureObject_t of_resource(const cudaResourceDesc &resource, bool normalised,
									   cudaTextureAddressMode mode, cudaTextureFilterMode filter)
{
	cudaTextureDesc description = {};
	cudaTextureObject_t texture = 0;
	description.addressMode[0] = description.addressMode[1] = mode;
	description.filterMode = filter;
	description.normalizedCoords = normalised;
	description.borderColor[0] = 77;
	OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
	return texture;
}

static float value_at(cudaTextureObject_t texture, float x, float y)
{
	static float *out = managed<float>(1);
	at<<<1, 1>>>(texture, x, y, out);
	OK(cudaDeviceSynchronize());
	return *out;
}

// Texel (x, y) is x + 100y.
static void test_plane(const cudaResourceDesc &resource)
{
	const cudaTextureFilterMode point = cudaFilterModePoint, mixed = cudaFilterModeLinear;
	cudaTextureObject_t clamp = of_resource(resource, false, cudaAddressModeClamp, point);
	CHECK(value_at(clamp, 3.9f, 2.1f) == 203 && value_at(clamp, -5, 9) == 300);
	CHECK(value_at(clamp, 1e30f, 0) == WIDTH - 1);
	cudaTextureObject_t border = of_resource(resource, false, cudaAddressModeBorder, point);
	CHECK(value_at(border, 15.5f, 3.5f) == 315 && value_at(border, 16, 0) == 77);
	CHECK(value_at(border, 0, -0.1f) == 77);
	cudaTextureObject_t wrap = of_resource(resource, true, cudaAddressModeWrap, point);
	CHECK(value_at(wrap, 0.25f, 0.5f) == 204 && value_at(wrap, 1.25f, -0.5f) == 204);
	cudaTextureObject_t mirror = of_resource(resource, true, cudaAddressModeMirror, point);
	CHECK(value_at(mirror, 1.0f + 1.5f / WIDTH, 0) == 14 &&
		  value_at(mirror, -0.5f / WIDTH, 0) == 0);
	cudaTextureObject_t smooth = of_resource(resource, false, cudaAddressModeClamp, mixed);
	CHECK(value_at(smooth, 3.5f, 1.5f) == 103 && value_at(smooth, 3.75f, 1.5f) == 103.25f);
	CHECK(value_at(smooth, 4, 2) == 153.5f && value_at(smooth, 0, 0) == 0);
	CHECK(value_at(smooth, 3.5f + 1.0f / 1024, 0.5f) == 3); // weights have 8 bits
	for (cudaTextureObject_t texture : {clamp, border, wrap, mirror, smooth})
		OK(cudaDestroyTextureObject(texture));
}

static void test_planes()
{
	float texels[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			texels[y][x] = x + 100 * y;
	cudaResourceDesc of_rows = {}, of_array = {};
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	void *rows;
	size_t pitch;
	const size_t row = sizeof texels[0];
	OK(cudaMallocPitch(&rows, &pitch, row, HEIGHT));
	OK(cudaMemcpy2D(rows, pitch, texels, row, row, HEIGHT, cudaMemcpyHostToDevice));
	of_rows.resType = cudaResourceTypePitch2D;
	of_rows.res.pitch2D.devPtr = rows;
	of_rows.res.pitch2D.desc = format;
	of_rows.res.pitch2D.width = WIDTH;
	of_rows.res.pitch2D.height = HEIGHT;
	of_rows.res.pitch2D.pitchInBytes = pitch;
	test_plane(of_rows);

	cudaArray_t array;
	cudaExtent extent;
	OK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
	OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
	CHECK(extent.width == WIDTH && extent.height == HEIGHT && extent.depth == 0);
	OK(cudaMemcpy2DToArray(array, 0, 0, texels, row, row, HEIGHT, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DFromArray(back, row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
	CHECK(back[3][15] == 315);
	RETURNS(cudaErrorInvalidValue,
			cudaMemcpy2DToArray(array, 4, 0, texels, row, row, HEIGHT, cudaMemcpyHostToDevice));
	of_array.resType = cudaResourceTypeArray;
	of_array.res.array.array = array;
	test_plane(of_array);
	OK(cudaFreeArray(array));
	OK(cudaFree(rows));
}

int main()
{
	test_linear();
	test_planes();
	if (emulated()) { // which says so, where a GPU may do anything
		int *out = managed<int>(32);
		fetch<<<1, 32>>>((cudaTextureObject_t)12345, 0, out);
		RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	}
	printf("%d failures\n", failures);
	return failures != 0;
}
