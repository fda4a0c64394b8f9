/* ffma() and tensor() of solutions/sgemm called from a program, on the emulated GPU or a real one:
 * sizes that are aligned and not, batches, streams, workspaces, statuses, threads. Compiled with
 * one tile of each, and with the kernel of ffma_specialised.cuh. Says what is wrong, a line each;
 * exit status 1 if something is. */
#define FFMA_TILE 0
#define FFMA_SPECIALISED 2
#define TENSOR_TILE 64
#define TENSOR_SPLIT 1
#include <atomic>
#include <random>
#include <stdio.h>
#include <thread>
#include <vector>

#include "sgemm/tensor.cuh"

static std::atomic<int> failures;

#define EXPECT(condition, ...)                                                                     \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			failures++;                                                                            \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
			printf(__VA_ARGS__);                                                                   \
			putchar('\n');                                                                         \
		}                                                                                          \
	} while (0)

/* A product in device memory that begins `base` floats behind an aligned place, with one NaN before
 * and behind C, where nothing may be written. */
struct test_case {
	int batch, m, n, k, base;
	float alpha, beta;
	std::vector<float> a, b, c;
	float *device = NULL;

	test_case(int batch, int m, int n, int k, int base, float alpha, float beta)
		: batch(batch), m(m), n(n), k(k), base(base), alpha(alpha), beta(beta)
	{
		std::mt19937 random(m * 31 + n * 7 + k);
		std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
		auto draw = [&](std::vector<float> &x, size_t count) {
			for (size_t i = 0; i < count; i++)
				x.push_back(uniform(random));
		};
		draw(a, (size_t)batch * m * k);
		draw(b, (size_t)batch * k * n);
		draw(c, (size_t)batch * m * n);
		if (beta == 0.0f) // not read
			c.assign(c.size(), NAN);
		cudaMalloc(&device, (at_c() + c.size() + 1) * sizeof(float));
		upload(a, base);
		upload(b, at_b());
		upload({NAN}, at_c() - 1);
		upload(c, at_c());
		upload({NAN}, at_c() + c.size());
	}
	test_case(const test_case &) = delete;
	~test_case()
	{
		cudaFree(device);
	}
	static size_t aligned(size_t at)
	{
		return (at + 1 + 63) / 64 * 64;
	}
	size_t at_b(void) const
	{
		return aligned(base + a.size()) + base;
	}
	size_t at_c(void) const
	{
		return aligned(at_b() + b.size()) + base;
	}
	void upload(const std::vector<float> &x, size_t at)
	{
		cudaMemcpy(device + at, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
	}
	ffma_product product(void) const
	{
		return {device + base, device + at_b(), batch, m, n, k};
	}
	epilogue<float> out(void) const
	{
		return epilogue_make(device + at_c(), batch * m, n, alpha, beta);
	}
	bool same(const std::vector<float> &x, size_t at) const
	{
		std::vector<float> got(x.size());
		cudaMemcpy(got.data(), device + at, x.size() * sizeof(float), cudaMemcpyDeviceToHost);
		return memcmp(got.data(), x.data(), x.size() * sizeof(float)) == 0;
	}

	void expect_right(const char *what) const
	{
		std::vector<float> got(c.size());
		cudaMemcpy(got.data(), device + at_c(), c.size() * sizeof(float), cudaMemcpyDeviceToHost);
		int wrong = 0;
		for (size_t at = 0; at < got.size(); at++) {
			size_t row = at / n, column = at % n, one = row / m;
			double sum = 0.0, bound = 0.0;
			for (int i = 0; i < k; i++) {
				double term = (double)a[row * k + i] * b[(one * k + i) * n + column];
				sum += term;
				bound += fabs(term);
			}
			double old = beta == 0.0f ? 0.0 : (double)beta * c[at];
			wrong += !(fabs(got[at] - (alpha * sum + old)) <= 1e-6 * (bound + fabs(old)) + 1e-7);
		}
		EXPECT(wrong == 0, "%s, %dx %dx%dx%d, base %d: %d are wrong", what, batch, m, n, k, base,
			   wrong);
		EXPECT(same(a, base) && same(b, at_b()), "%s: A and B are not what they were", what);
		EXPECT(same({NAN}, at_c() - 1) && same({NAN}, at_c() + c.size()),
			   "%s, %dx%dx%d: writes beside C", what, m, n, k);
	}
};

static void by_ffma(const test_case &t, cudaStream_t stream)
{
	cudaError_t status = ffma(t.product(), t.out(), stream);
	EXPECT(status == cudaSuccess, "ffma: %s", cudaGetErrorString(status));
	cudaStreamSynchronize(stream);
	t.expect_right("ffma");
}

static void by_tensor(const test_case &t, cudaStream_t stream)
{
	void *workspace;
	size_t bytes = tensor_workspace(t.product(), t.out());
	EXPECT(bytes > 0, "TENSOR_TILE needs a workspace");
	cudaMalloc(&workspace, bytes);
	cudaError_t status = tensor_workspace_init(workspace, bytes, stream);
	EXPECT(status == cudaSuccess, "its first use: %s", cudaGetErrorString(status));
	status = tensor(t.product(), t.out(), workspace, bytes, stream);
	EXPECT(status == cudaSuccess, "tensor: %s", cudaGetErrorString(status));
	cudaStreamSynchronize(stream);
	t.expect_right("tensor");
	cudaFree(workspace);
}

/* Aligned and misaligned ones, edges of tiles and of stages, and what is drawn. */
static void test_shapes(cudaStream_t stream)
{
	static const int edges[][3] = {{128, 256, 32}, {129, 257, 33}, {128, 260, 31}, {1, 1, 1},
								   {1, 4, 97},     {127, 252, 96}, {3, 31, 64},    {130, 5, 65}};
	for (auto [m, n, k] : edges)
		by_ffma({1, m, n, k, 0, 0.75f, 0.5f}, stream);
	std::mt19937 random(1);
	auto size = [&](int most) { return 1 + (int)(random() % most); };
	for (int i = 0; i < 24; i++)
		by_ffma({1 + i % 3, size(150), size(100) * (i % 2 ? 1 : 4), size(120), i % 4, 1.5f,
				 i % 5 ? 0.0f : 1.0f},
				stream);
	for (int i = 0; i < 4; i++)
		by_tensor({1 + i % 2, size(150), size(150), size(150), i, 1.5f, i % 2 ? 0.0f : -1.0f},
				  stream);
}

static void test_statuses(void)
{
	test_case t(1, 20, 24, 16, 0, 2.0f, 0.5f), ones(1, 20, 24, 16, 0, 0.0f, 0.5f);
	ffma_product p = t.product();
	alignas(256) static char host[512];
	auto refused = [&](ffma_product q) {
		return ffma(q, t.out(), 0) == cudaErrorInvalidValue &&
			   tensor(q, t.out(), NULL, 0, 0) == cudaErrorInvalidValue;
	};
	auto with = [&](int batch, int m, int n, int k) {
		return ffma_product{p.A, p.B, batch, m, n, k};
	};
	EXPECT(refused(with(-1, 20, 24, 16)) && refused(with(1, -1, 24, 16)), "a size below 0");
	EXPECT(refused(with(1, 20, -1, 16)) && refused(with(1, 20, 24, -1)), "a size below 0");
	EXPECT(refused(with(65536, 1, 1, 1)) && refused(with(32768, 65536, 1, 1)), "a batch too large");
	EXPECT(refused({NULL, p.B, 1, 20, 24, 16}) && refused({p.A, NULL, 1, 20, 24, 16}), "NULL");
	EXPECT(tensor(p, t.out(), host, 1, 0) == cudaErrorInvalidValue, "too small a workspace");
	EXPECT(tensor(p, t.out(), host + 4, 1 << 30, 0) == cudaErrorInvalidValue, "misaligned");
	EXPECT(tensor(p, t.out(), NULL, 1 << 30, 0) == cudaErrorInvalidValue, "NULL of many bytes");
	for (ffma_product empty : {with(0, 20, 24, 16), with(1, 0, 24, 16), with(1, 20, 0, 16)})
		EXPECT(ffma(empty, t.out(), 0) == cudaSuccess, "nothing to do");
	EXPECT(t.same(t.c, t.at_c()), "C changed though nothing was computed");
	EXPECT(ffma({NULL, NULL, 1, 20, 24, 16}, ones.out(), 0) == cudaSuccess, "alpha is 0");
	ones.a.assign(ones.a.size(), 0.0f);
	ones.upload(ones.a, ones.base);
	ones.expect_right("alpha 0");
	EXPECT(ffma(with(1, 20, 24, 0), ones.out(), 0) == cudaSuccess, "K is 0");
	EXPECT(tensor(p, t.out(), NULL, 0, 0) == cudaSuccess, "no workspace");
	t.expect_right("tensor() without a workspace");
}

static void test_threads(void)
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([i] {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			by_ffma({1, 60 + i, 70, 40, i, 1.0f, 0.0f}, stream);
			by_tensor({1, 60, 70 + i, 40, i, 1.0f, 0.0f}, stream);
			cudaStreamDestroy(stream);
		});
	for (std::thread &thread : threads)
		thread.join();
}

int main(void)
{
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	test_shapes(stream);
	test_statuses();
	test_threads();
	return failures > 0;
}
