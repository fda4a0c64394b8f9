/* hopper::gemm() of solutions/gemm_f16/hopper, on the emulated GPU or a real one:
 *
 *     gemm configurations   each configuration of configs.def, by its number, on the shapes below
 *     gemm calls            leading dimensions, bases, workspaces, threads, statuses
 *     gemm unsupported      where the current device is no Hopper GPU
 *     gemm graph            captured and replayed with other values (a real GPU only)
 *     gemm reached          that the heuristic chooses each configuration for some shape (no GPU)
 *     gemm sizes            what it chooses for extreme sizes, and how they are sliced (no GPU)
 *     gemm invariant        batch-invariant products have the same bits in any batch
 *     gemm tune             the choice by measurement, and products that name a configuration
 *
 * Says what is wrong, a line each; exit status 1 if something is, 77 if a part cannot run here. */
#include <memory>
#include <random>
#include <stdio.h>
#include <string.h>
#include <thread>
#include <vector>

/* Tiles of a launch, at most. With few, small products go in slices, too. */
static int most_tiles = 65535;
#define HOPPER_MOST_TILES most_tiles
/* Likewise the small kernel's indices. */
static long long small_indices = 1ll << 30;
#define HOPPER_SMALL_INDICES small_indices

#define HOPPER_F16_ONLY
#include "hopper/hopper_gemm.cu"

static int failures;

#define EXPECT(condition, ...)                                                                     \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			failures++;                                                                            \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
			printf(__VA_ARGS__);                                                                   \
			putchar('\n');                                                                         \
		}                                                                                          \
	} while (0)
#define CUDA(call) EXPECT((call) == cudaSuccess, "%s", cudaGetErrorString(cudaGetLastError()))

struct shape {
	int m, n, k;
	int pad_a, pad_b, pad_c;    // elements between rows
	int base_a, base_b, base_c; // elements before the matrix
	float beta;
	bool b_is_k_major = false;
};

/* A matrix on the host and on the device, with room before and behind it that must stay as it is.
 */
struct matrix {
	static constexpr int ROOM = 64;
	int rows, columns, ld, base;
	std::vector<half> host;
	half *device = NULL;

	matrix(int rows, int columns, int pad, int base)
		: rows(rows), columns(columns), ld(columns + pad), base(base)
	{
		host.resize((size_t)rows * ld + 2 * ROOM);
		CUDA(cudaMalloc(&device, host.size() * sizeof(half)));
	}
	matrix(const matrix &) = delete;
	~matrix()
	{
		cudaFree(device);
	}
	/* Infinity lies around the matrix and between its rows: times 0 it is NaN. */
	void draw(std::mt19937 &random)
	{
		std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
		for (size_t i = 0; i < host.size(); i++) {
			long long place = (long long)i - ROOM / 2 - base;
			bool inside = place >= 0 && place / ld < rows && place % ld < columns;
			host[i] = __float2half_rn(inside ? uniform(random) : INFINITY);
		}
		upload(host);
	}
	/* cudaMemcpy() from pageable memory may return before the device has everything, which streams
	 * that do not wait for the default one would see. */
	void upload(const std::vector<half> &from)
	{
		CUDA(cudaMemcpy(device, from.data(), from.size() * sizeof(half), cudaMemcpyHostToDevice));
		CUDA(cudaStreamSynchronize(0));
	}
	half *data(void) const
	{
		return device + ROOM / 2 + base;
	}
	float at(int row, int column) const
	{
		return __half2float(host[ROOM / 2 + base + (size_t)row * ld + column]);
	}
};

/* A product with what is expected of it. */
struct test_case {
	shape s;
	matrix a, b, c;
	std::vector<double> sums, bounds;
	static constexpr float ALPHA = 0.75f;

	test_case(const shape &s, unsigned seed)
		: s(s), a(s.m, s.k, s.pad_a, s.base_a),
		  b(s.b_is_k_major ? s.n : s.k, s.b_is_k_major ? s.k : s.n, s.pad_b, s.base_b),
		  c(s.m, s.n, s.pad_c, s.base_c)
	{
		std::mt19937 random(seed);
		a.draw(random);
		b.draw(random);
		c.draw(random);
		sums.resize((size_t)s.m * s.n);
		bounds.resize(sums.size());
		for (int i = 0; i < s.m; i++)
			for (int k = 0; k < s.k; k++) {
				double x = a.at(i, k);
				for (int j = 0; j < s.n; j++) {
					double term = x * (s.b_is_k_major ? b.at(j, k) : b.at(k, j));
					sums[(size_t)i * s.n + j] += term;
					bounds[(size_t)i * s.n + j] += fabs(term);
				}
			}
	}

	hopper_gemm product(void) const
	{
		return {s.m,  s.n,  s.k,  a.data(), b.data(), c.data(),
				a.ld, b.ld, c.ld, ALPHA,    s.beta,   s.b_is_k_major};
	}

	/* C as it was before the call. */
	void reset(void)
	{
		c.upload(c.host);
	}

	/* Whether C is what it should be now: the product, or with `computed` false what it was. */
	bool right(const char *what, bool computed = true) const
	{
		std::vector<half> got(c.host.size());
		CUDA(cudaMemcpy(got.data(), c.device, got.size() * sizeof(half), cudaMemcpyDeviceToHost));
		for (size_t at = 0; at < got.size(); at++) {
			long long place = (long long)at - matrix::ROOM / 2 - c.base;
			long long i = place / c.ld, j = place % c.ld;
			bool inside = place >= 0 && i < s.m && j < s.n;
			if (!inside || !computed) {
				if (memcmp(&got[at], &c.host[at], sizeof(half)) != 0)
					return report(what, i, j, __half2float(got[at]), __half2float(c.host[at]));
				continue;
			}
			size_t number = (size_t)i * s.n + j;
			double old = c.at((int)i, (int)j), expected = ALPHA * sums[number] + s.beta * old;
			double bound =
				fabs(expected) / 1024 + (bounds[number] + fabs(s.beta * old)) * 1e-5 + 1e-7;
			double x = __half2float(got[at]);
			if (!(fabs(x - expected) <= bound))
				return report(what, i, j, x, expected);
		}
		return true;
	}

  private:
	bool report(const char *what, long long i, long long j, double got, double expected) const
	{
		failures++;
		printf("%s, %dx%dx%d: C[%lld][%lld] is %g, should be %g\n", what, s.m, s.n, s.k, i, j, got,
			   expected);
		return false;
	}
};

/* A workspace as a caller makes one. */
struct workspace {
	void *memory = NULL;
	size_t bytes;
	explicit workspace(const hopper_gemm &product, cudaStream_t stream = 0)
		: bytes(hopper::workspace_bytes(product))
	{
		if (bytes > 0) {
			CUDA(cudaMalloc(&memory, bytes));
			EXPECT(hopper::workspace_init(memory, bytes, stream) == HOPPER_OK, "its first use");
		}
	}
	~workspace()
	{
		cudaFree(memory);
	}
};

static auto epilogue_of(const hopper_gemm &p)
{
	return epilogue_make((half *)p.c, p.m, p.n, p.alpha, p.beta);
}

using plain_epilogue = decltype(epilogue_of(hopper_gemm()));

static hopper_status call(const test_case &t, void *memory, size_t bytes, cudaStream_t stream,
						  int number = -1)
{
	hopper_gemm p = t.product();
	auto gemm_by = p.b_is_k_major ? &hopper::gemm_by<half, hopper::B_K_MAJOR, plain_epilogue>
								  : &hopper::gemm_by<half, hopper::B_N_MAJOR, plain_epilogue>;
	hopper_status status = gemm_by(number, p, epilogue_of(p), memory, bytes, stream);
	CUDA(cudaStreamSynchronize(stream));
	return status;
}

/* ---- each configuration ---- */

static const shape SHAPES[] = {
	{200, 136, 512, 0, 0, 0, 0, 0, 0, 0.0f},  {265, 328, 640, 8, 16, 8, 0, 0, 0, 0.5f},
	{131, 77, 463, 0, 0, 0, 0, 0, 0, 1.0f},   {99, 264, 453, 0, 0, 0, 0, 0, 0, 0.0f},
	{260, 134, 456, 0, 0, 0, 0, 0, 0, 0.5f},  {141, 160, 517, 2, 0, 0, 0, 0, 0, 0.0f},
	{37, 41, 100, 0, 0, 0, 0, 0, 0, 0.0f},    {70, 72, 840, 0, 0, 0, 0, 0, 0, 0.5f},
	{67, 70, 333, 2, 5, 1, 0, 0, 0, 0.0f},    {130, 136, 1096, 0, 0, 8, 0, 0, 0, 0.5f},
	{265, 328, 232, 8, 16, 8, 0, 0, 0, 0.5f},
};

static void test_configurations(bool b_is_k_major)
{
	int runs[hopper::CONFIGS] = {};
	for (shape s : SHAPES) {
		s.b_is_k_major = b_is_k_major;
		most_tiles = most_tiles == 16 ? 65535 : 16;
		test_case t(s, 7 + s.m);
		workspace space(t.product());
		for (int number = 0; number < hopper::CONFIGS; number++) {
			t.reset();
			hopper_status status = call(t, space.memory, space.bytes, 0, number);
			if (status == HOPPER_INVALID_ARGUMENT)
				continue; // it does not fit
			char what[48];
			snprintf(what, sizeof what, "configuration %d%s", number,
					 b_is_k_major ? ", B K-major" : "");
			EXPECT(status == HOPPER_OK, "%s: %s", what, hopper::status_text(status));
			t.right(what);
			runs[number]++;
		}
	}
	hopper::b_layout layout = b_is_k_major ? hopper::B_K_MAJOR : hopper::B_N_MAJOR;
	for (int number = 0; number < hopper::CONFIGS; number++) {
		bool takes = hopper::variant_takes(hopper::CONFIG_LINES[number].variant, layout);
		EXPECT((runs[number] > 0) == takes, "configuration %d fits no shape of this test", number);
	}
	printf("%d configurations\n", hopper::CONFIGS);
	most_tiles = 65535;
}

/* ---- calls ---- */

static void test_shapes(void)
{
	static const shape shapes[] = {
		{1, 1, 1, 0, 0, 0, 0, 0, 0, 1.0f},
		{3, 700, 5, 1, 0, 3, 0, 0, 0, 0.0f},
		{17, 15, 2000, 0, 0, 0, 1, 0, 0, 0.5f},
		{64, 64, 64, 8, 8, 8, 8, 8, 8, 0.5f},
		{100, 100, 100, 4, 12, 0, 0, 0, 1, 0.5f},
		{150, 72, 333, 0, 0, 1, 3, 1, 0, 0.0f},
		{9, 130, 1500, 0, 2, 0, 0, 0, 0, 1.0f},
		{128, 256, 64, 0, 0, 0, 0, 0, 4, 0.0f},
		{5, 24, 1300, 0, 0, 0, 3, 1, 0, 0.5f},
		{20, 16, 1100, 0, 0, 0, 1, 0, 0, 1.0f},
		{70000, 8, 9, 0, 0, 0, 0, 0, 0, 0.5f},
		{9, 70000, 8, 0, 0, 0, 0, 0, 0, 0.0f},
		{8, 9, 70000, 0, 0, 0, 0, 0, 0, 0.0f},
		{1, 1, 1, 0, 0, 0, 0, 0, 0, 1.0f, true},
		{17, 15, 2000, 0, 0, 0, 1, 3, 0, 0.5f, true},
		{64, 64, 64, 8, 16, 0, 8, 8, 8, 0.5f, true},
		{150, 77, 328, 0, 0, 0, 0, 0, 0, 0.5f, true},
		{9, 130, 1500, 2, 5, 0, 0, 0, 0, 1.0f, true},
		{131, 78, 333, 0, 0, 0, 0, 0, 0, 1.0f, true},
		{70000, 8, 9, 0, 0, 0, 0, 0, 0, 0.5f, true},
		{9, 70000, 8, 0, 0, 0, 0, 0, 0, 0.0f, true},
		{8, 9, 70000, 0, 0, 0, 0, 0, 0, 0.0f, true},
		{5, 24, 1300, 0, 0, 0, 3, 1, 0, 0.5f, true},
	};
	for (const shape &s : shapes) {
		test_case t(s, 11 + s.m);
		workspace space(t.product());
		for (int turn = 0; turn < 2; turn++) { // the workspace serves again
			t.reset();
			EXPECT(call(t, space.memory, space.bytes, 0) == HOPPER_OK, "with a workspace");
			t.right("with a workspace");
		}
		t.reset();
		EXPECT(call(t, NULL, 0, 0) == HOPPER_OK, "without a workspace");
		t.right("without a workspace");
		if (space.bytes > 0) {
			t.reset();
			EXPECT(call(t, space.memory, space.bytes - 1, 0) == HOPPER_WORKSPACE_TOO_SMALL,
				   "a byte less");
			t.right("a workspace that is too small", false);
		}
	}
}

static void test_statuses(void)
{
	test_case t({40, 48, 56, 0, 0, 0, 0, 0, 0, 0.5f}, 3);
	auto status_of = [&](auto change) {
		hopper_gemm p = t.product();
		change(p);
		t.reset();
		hopper_status status = hopper_gemm_f16(&p, NULL, 0, 0);
		CUDA(cudaDeviceSynchronize());
		return status;
	};
	EXPECT(status_of([](hopper_gemm &p) { p.m = -1; }) == HOPPER_INVALID_ARGUMENT, "m = -1");
	EXPECT(status_of([](hopper_gemm &p) { p.lda = p.k - 1; }) == HOPPER_INVALID_ARGUMENT, "lda");
	EXPECT(status_of([](hopper_gemm &p) { p.ldb = p.n - 1; }) == HOPPER_INVALID_ARGUMENT, "ldb");
	EXPECT(status_of([](hopper_gemm &p) { p.b_is_k_major = 1; }) == HOPPER_INVALID_ARGUMENT,
		   "ldb, of a K-major B");
	EXPECT(status_of([](hopper_gemm &p) { p.ldc = p.n - 1; }) == HOPPER_INVALID_ARGUMENT, "ldc");
	EXPECT(status_of([](hopper_gemm &p) { p.a = NULL; }) == HOPPER_INVALID_ARGUMENT, "a");
	EXPECT(status_of([](hopper_gemm &p) { p.c = NULL; }) == HOPPER_INVALID_ARGUMENT, "c");
	t.right("invalid arguments", false);
	EXPECT(status_of([](hopper_gemm &p) { p.n = 0; }) == HOPPER_OK, "an empty product");
	t.right("an empty product", false);
	EXPECT(status_of([](hopper_gemm &p) { p.alpha = 0, p.beta = 1, p.a = NULL; }) == HOPPER_OK,
		   "alpha = 0, beta = 1");
	t.right("alpha = 0, beta = 1", false);
	EXPECT(hopper_gemm_f16(NULL, NULL, 0, 0) == HOPPER_INVALID_ARGUMENT, "no product");
	for (int status = 0; status < 6; status++)
		EXPECT(strlen(hopper_status_text((hopper_status)status)) > 5, "status %d", status);
}

/* Four threads, each with a stream and a workspace. */
static void test_threads(void)
{
	std::vector<std::unique_ptr<test_case>> cases;
	for (unsigned i = 0; i < 4; i++)
		cases.push_back(std::make_unique<test_case>(
			shape{131 + (int)i, 77, 463, 0, 0, 0, 0, 0, 0, 0.5f}, 100 + i));
	std::vector<std::thread> threads;
	for (auto &t : cases)
		threads.emplace_back([&t] {
			cudaStream_t stream;
			CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
			workspace space(t->product(), stream);
			for (int turn = 0; turn < 3; turn++) {
				CUDA(cudaMemcpyAsync(t->c.device, t->c.host.data(), t->c.host.size() * sizeof(half),
									 cudaMemcpyHostToDevice, stream));
				EXPECT(call(*t, space.memory, space.bytes, stream) == HOPPER_OK, "in a thread");
			}
			CUDA(cudaStreamDestroy(stream));
		});
	for (std::thread &thread : threads)
		thread.join();
	for (auto &t : cases)
		t->right("four threads");
}

static __global__ void fault(void)
{
	asm volatile("trap;");
}

/* Last, as nothing works afterwards. */
static void test_failing_launch(void)
{
	test_case t({64, 64, 64, 0, 0, 0, 0, 0, 0, 0.0f}, 5);
	hopper_gemm p = t.product();
	fault<<<1, 1>>>();
	cudaDeviceSynchronize();
	EXPECT(hopper_gemm_f16(&p, NULL, 0, 0) == HOPPER_CUDA_ERROR, "after a kernel that faulted");
	cudaGetLastError();
}

static void test_unsupported(void)
{
	half *memory;
	CUDA(cudaMalloc(&memory, 4096));
	hopper_gemm p = {8, 8, 8, memory, memory, memory, 8, 8, 8, 1.0f, 0.0f};
	EXPECT(hopper_gemm_f16(&p, NULL, 0, 0) == HOPPER_UNSUPPORTED_DEVICE, "on this device");
}

/* ---- a graph, replayed 100 times with other values; and four streams at once ---- */

static int test_graph(void)
{
	cudaStream_t stream;
	cudaGraph_t graph = NULL;
	cudaGraphExec_t replay;
	CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	test_case t({1023, 1021, 1019, 0, 0, 0, 0, 0, 0, 0.5f}, 1);
	workspace space(t.product(), stream);
	EXPECT(call(t, space.memory, space.bytes, stream) == HOPPER_OK, "before the capture");
	if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
		printf("this device has no graphs\n");
		return 77;
	}
	hopper_gemm p = t.product();
	EXPECT(hopper_gemm_f16(&p, space.memory, space.bytes, stream) == HOPPER_OK, "captured");
	CUDA(cudaStreamEndCapture(stream, &graph));
	CUDA(cudaGraphInstantiate(&replay, graph, 0));
	constexpr int VALUES = 4; // a product takes the host a second or two
	std::unique_ptr<test_case> values[VALUES];
	for (int i = 0; i < VALUES; i++)
		values[i].reset(new test_case(t.s, 1000 + i));
	for (int turn = 0; turn < 100; turn++) {
		const test_case &next = *values[turn % VALUES];
		t.a.upload(next.a.host);
		t.b.upload(next.b.host);
		t.sums = next.sums;
		t.bounds = next.bounds;
		t.reset();
		CUDA(cudaGraphLaunch(replay, stream));
		CUDA(cudaStreamSynchronize(stream));
		if (!t.right("replayed"))
			break;
	}
	return 0;
}

/* ---- the heuristic, on an H200's numbers ---- */

static void test_reached(bool b_is_k_major)
{
	hopper::device_table h200 = {HOPPER_OK, 132, {0, 132, 66, 39, 30, 22, 17, 15, 15}, 4.917e6f};
	hopper::b_layout layout = b_is_k_major ? hopper::B_K_MAJOR : hopper::B_N_MAJOR;
	bool compiled[hopper::CONFIGS], reached[hopper::CONFIGS] = {};
	for (int number = 0; number < hopper::CONFIGS; number++)
		compiled[number] = hopper::variant_takes(hopper::CONFIG_LINES[number].variant, layout);
	std::mt19937 random(1);
	const void *aligned = (const void *)256;
	for (int i = 0; i < 60000; i++) {
		auto size = [&] { // half of them uniform, half of a uniform order of magnitude
			double u = random() / 4294967296.0;
			int x = random() % 2 ? 16 + (int)(u * 4080) : (int)(16 * exp(u * log(256.0)));
			return i % 3 == 0 ? (x + 7) / 8 * 8 : x;
		};
		int m = size(), n = size(), k = size();
		if (i % 4 == 1) // a long sum, as of decode shapes
			k *= 1 + (int)(random() % 7);
		float beta = random() % 2 ? 0.5f : 0.0f;
		hopper::problem q({m, n, k, aligned, aligned, (void *)aligned, k, b_is_k_major ? k : n, n,
						   1.0f, beta, b_is_k_major},
						  true);
		int number = hopper::config_choose(h200, q, compiled);
		EXPECT(number >= 0, "%dx%dx%d has no configuration", m, n, k);
		if (number >= 0)
			reached[number] = true;
	}
	for (int number = 0; number < hopper::CONFIGS; number++)
		EXPECT(reached[number] == compiled[number],
			   "configuration %d is chosen for no shape of B's layout %d: delete its line", number,
			   layout);
}

/* ---- extreme sizes, on an H200's numbers ---- */

/* Whether the slices of a product are all of its tiles, each a launch that can number its own. */
template <hopper::variant VARIANT, int TILE_M, int TILE_N, int TILE_K, int CONSUMERS, int CLUSTER_M,
		  int CLUSTER_N, int SPLIT_K, int MAX_SPLIT, int MAX_STAGES, int PRODUCERS>
static void slices_check(const hopper::problem &q, int number, long long &launches)
{
	if constexpr (VARIANT != hopper::SMALL) {
		using config = hopper::tile_config<VARIANT, TILE_M, TILE_N, TILE_K, CONSUMERS, CLUSTER_M,
										   CLUSTER_N, MAX_SPLIT, MAX_STAGES, PRODUCERS>;
		long long tiles = 0;
		hopper::launch_slices<config>(q, SPLIT_K, [&](const hopper::schedule<config> &work) {
			long long last = work.tiles - 1; // as divisor has it
			bool exact = last * work.group_tiles.magic >> 32 == last / work.group_tiles.value;
			EXPECT(exact || work.group_tiles.value == 1, "configuration %d: division", number);
			EXPECT(work.tiles > 0 && work.tiles < 65536, "configuration %d: tiles", number);
			tiles += work.tiles;
			launches++;
			return HOPPER_OK;
		});
		long long all = hopper::tiles_of(hopper::CONFIG_LINES[number], q);
		EXPECT(tiles == all, "configuration %d: %lld of %lld tiles", number, tiles, all);
	}
}

static long long slices_of(const hopper::problem &q, int chosen)
{
	int number = 0;
	long long launches = 0;
#define CONFIG(variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n, split_k,         \
			   max_split_k, max_stages, producers, ...)                                            \
	if (number++ == chosen)                                                                        \
		slices_check<hopper::variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n,    \
					 split_k, max_split_k, max_stages, producers>(q, chosen, launches);
#include "hopper/configs.def"
#undef CONFIG
	return launches;
}

static void test_sizes(bool b_is_k_major)
{
	constexpr int MOST = HOPPER_MAX_SIZE;
	static const struct {
		int m, n, k;
	} sizes[] = {
		{4096, 4096, 4096},    {65536, 128256, 4096}, {32768, 32767, 4097},
		{80000, 80000, 1024},  {2097152, 8192, 8192}, {8192, 2097152, 8192},
		{4000000, 1024, 128},  {8388608, 64, 64},     {1000001, 1000003, 999},
		{300000001, 17, 1025}, {17, 300000001, 31},   {17, 17, 300000001},
		{1, 1, 70001},         {MOST, MOST, MOST},    {MOST, 8, 8},
		{8, MOST, 8},          {8, 8, MOST},          {1, 70001, 70003},
		{7, 4097, 2049},       {4097, 3, 5000},
	};
	hopper::device_table h200 = {HOPPER_OK, 132, {0, 132, 66, 39, 30, 22, 17, 15, 15}, 4.917e6f};
	bool all[hopper::CONFIGS], chain[hopper::CONFIGS];
	hopper::b_layout layout = b_is_k_major ? hopper::B_K_MAJOR : hopper::B_N_MAJOR;
	for (int i = 0; i < hopper::CONFIGS; i++) {
		all[i] = hopper::variant_takes(hopper::CONFIG_LINES[i].variant, layout);
		chain[i] = all[i] && hopper::CONFIG_LINES[i].variant != hopper::SWAP_AB;
	}
	for (auto [m, n, k] : sizes)
		for (int bases = 0; bases < 16; bases++) { // a bit: A, B, C misaligned; a workspace
			const char *at = (const char *)256;
			hopper_gemm p = {m,
							 n,
							 k,
							 at + bases % 2 * 2,
							 at + bases / 2 % 2 * 4,
							 (void *)(at + bases / 4 % 2 * 8),
							 k,
							 b_is_k_major ? k : n,
							 n,
							 1.0f,
							 0.5f,
							 b_is_k_major};
			hopper::problem q(p, bases / 8 > 0), of_chain(p, bases / 8 > 0, {false, 10.0f});
			int number = hopper::config_choose(h200, q, all);
			int other = hopper::config_choose(h200, of_chain, chain);
			EXPECT(number >= 0 && other >= 0, "%dx%dx%d, bases %d: no configuration", m, n, k,
				   bases);
			for (int chosen : {number, other})
				EXPECT(chosen < 0 || k <= 1024 ||
						   hopper::CONFIG_LINES[chosen].variant != hopper::SMALL,
					   "%dx%dx%d, bases %d: the small kernel", m, n, k, bases);
			hopper_gemm in_any_batch = p;
			in_any_batch.batch_invariant = 1;
			/* what a pad copy reaches, or the small kernel */
			bool within = (n >= 16 && k >= 16 && ((double)m + n) * k < 1e12) ||
						  (k < 1 << 24 && (k + 256.0) * (n + 256.0) < 1e9);
			int same = hopper::config_choose(h200, hopper::problem(in_any_batch, true), all);
			EXPECT(same >= 0 || !within, "%dx%dx%d, bases %d: none is batch-invariant", m, n, k,
				   bases);
			bool few = (double)m * n < 1e13; // else the host would count slices for minutes
			if (bases == 8 && number >= 0)
				printf("%dx%dx%d: configuration %d, launches %lld\n", m, n, k, number,
					   few ? slices_of(q, number) : 0ll);
		}
}

#include "invariant.cuh"
#include "tune.cuh"

int main(int argc, char **argv)
{
	const char *part = argc == 2 ? argv[1] : "";
	int status = 0;
	if (strcmp(part, "configurations") == 0) {
		test_configurations(false);
		test_configurations(true);
	} else if (strcmp(part, "calls") == 0) {
		test_shapes();
		test_statuses();
		test_threads();
		test_failing_launch();
	} else if (strcmp(part, "unsupported") == 0) {
		test_unsupported();
	} else if (strcmp(part, "graph") == 0) {
		status = test_graph();
	} else if (strcmp(part, "reached") == 0) {
		test_reached(false);
		test_reached(true);
	} else if (strcmp(part, "sizes") == 0) {
		test_sizes(false);
		test_sizes(true);
	} else if (strcmp(part, "invariant") == 0) {
		test_invariant();
	} else if (strcmp(part, "tune") == 0) {
		test_tune();
	} else {
		printf("usage: gemm configurations | calls | unsupported | graph | reached | sizes | "
			   "invariant | tune\n");
		return 2;
	}
	return failures > 0 ? 1 : status;
}
