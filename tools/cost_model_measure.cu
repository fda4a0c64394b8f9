/* Times the tile configurations of solutions/gemm_f16/hopper that are linked to this program,
 * cuBLAS and what cuBLASLt suggests, shape by shape, and appends rows of CSV
 * (measurements/README.md there).
 *
 * usage: cost_model_measure OUT.csv SECONDS DATE DRIVER     reads lines of a draw, M N K, the
 * layout of B (n_major or k_major) and beta_is_0; DATE and DRIVER go into the rows
 *
 * A shape's calls take turns in rounds, in another order each time, with events around each call
 * and with operands that others used long ago. A gate holds the GPU until a round's calls are
 * queued, so that none waits for the host. What is far behind after two rounds is called no more.
 *
 * After SECONDS or an interrupt the shape that is being measured is the last. Exit status 1: a
 * configuration computed something wrong, or a call of CUDA failed. */
#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <math.h>
#include <random>
#include <signal.h>
#include <string.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "cost_model_library.cuh"
#include "cost_model_part.cuh"

static constexpr size_t MEBIBYTE = 1 << 20;
static constexpr size_t OPERAND_BYTES = 120 * MEBIBYTE; // of all sets: they leave an L2 cache of 50
static constexpr size_t SETS_MOST = 512;
static constexpr int ROUNDS_LEAST = 2, ROUNDS_MOST = 15;
static constexpr float SHAPE_US = 25e3f; // of calls, after which no other round begins
static constexpr float LONG_US = 2000;   // calls that are dropped after one round
static constexpr float KEPT = 1.25f;     // of the best time: slower ones get no row
static constexpr char COLUMNS[] =
	"date,gpu,driver,device,draw,m,n,k,layout,beta_is_0,configuration,median_us,calls\n";

#define CONFIG(variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n, split_k,         \
			   max_split_k, max_stages, producers, ...)                                            \
#variant " " #tile_m " " #tile_n " " #k_block " " #consumers " " #cluster_m " " #cluster_n     \
			 " " #split_k " " #max_split_k " " #max_stages " " #producers,
static const char *const NAMES[] = {
#include "hopper/configs.def"
};
#undef CONFIG

static part_call *parts_linked[hopper::CONFIGS][2]; // by B's layout

part::part(int number, part_call *n_major, part_call *k_major)
{
	parts_linked[number][hopper::B_N_MAJOR] = n_major;
	parts_linked[number][hopper::B_K_MAJOR] = k_major;
}

static volatile sig_atomic_t interrupted;

static double now(void)
{
	auto since = std::chrono::steady_clock::now().time_since_epoch();
	return std::chrono::duration<double>(since).count();
}

struct shape {
	char draw[16], layout[9];
	int m, n, k, beta_is_0;

	bool k_major(void) const
	{
		return strcmp(layout, "k_major") == 0;
	}
};

static bool read_shape(const char *line, shape &out)
{
	int read = sscanf(line, "%15s %d %d %d %8s %d", out.draw, &out.m, &out.n, &out.k, out.layout,
					  &out.beta_is_0);
	return read == 6 && std::min({out.m, out.n, out.k}) > 0 &&
		   (out.k_major() || strcmp(out.layout, "n_major") == 0);
}

/* ---- kernels ----------------------------------------------------------------------------- */

/* Until the host sets *open, or some seconds are over. */
__global__ void gate(volatile const int *open)
{
	long long begin = clock64();
	while (*open == 0 && clock64() - begin < 4000000000ll)
		;
}

/* Multiples of 1/512 between -1 and 1. */
__global__ void fill(half *to, size_t count, unsigned seed)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
		 i += (size_t)gridDim.x * blockDim.x) {
		unsigned bits = (unsigned)i * 2654435761u + seed;
		bits = (bits ^ bits >> 15) * 2246822519u;
		to[i] = __float2half((float)((int)(bits >> 16 & 1023) - 512) / 512.0f);
	}
}

__global__ void compare(const half *a, const half *b, size_t count, float error, int *wrong)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
		 i += (size_t)gridDim.x * blockDim.x) {
		float x = __half2float(a[i]), y = __half2float(b[i]);
		if (!(fabsf(x - y) <= error + 2e-3f * fabsf(y)))
			atomicAdd(wrong, 1);
	}
}

/* ---- a machine, and a shape's operands --------------------------------------------------- */

struct machine {
	cudaStream_t stream;
	cudaEvent_t events[2 * (hopper::CONFIGS + 9)];
	int *open, *wrong; // of the gate; elements
	bool emulated;     // its launches return when they are done: nothing could open the gate
	std::string head;  // the first columns

	machine(const char *date, const char *driver)
	{
		cudaDeviceProp facts;
		int ordinal;
		const hopper::device_table &device = hopper::device_get(ordinal);
		if (device.status != HOPPER_OK) {
			fprintf(stderr, "the current device is no Hopper GPU (sm_90)\n");
			exit(1);
		}
		CHECK(cudaGetDeviceProperties(&facts, ordinal));
		CHECK(cudaStreamCreate(&stream));
		for (cudaEvent_t &event : events)
			CHECK(cudaEventCreate(&event));
		CHECK(cudaMallocHost(&open, sizeof *open));
		CHECK(cudaMallocHost(&wrong, sizeof *wrong));
		emulated = dlsym(RTLD_DEFAULT, "cudaEmulatedMemory") != NULL;
		head = std::string(date) + (emulated ? ",emulated " : ",") + facts.name + "," + driver +
			   "," + std::to_string(device.multiprocessors) + " " +
			   std::to_string((long)device.dram_bytes);
		for (int blocks = 1; blocks <= hopper::MAX_CLUSTER; blocks++)
			head += " " + std::to_string(device.clusters[blocks]);
	}
};

/* A, B and C in as many sets as are needed for no call to find its own in the L2 cache, another C
 * for a result to be compared, and the workspace. */
struct operands {
	hopper_gemm first;
	size_t sets, bytes[3], workspace_bytes;
	char *memory[3], *other;
	void *workspace = NULL;

	operands(machine &on, const shape &s)
	{
		size_t elements[] = {(size_t)s.m * s.k, (size_t)s.n * s.k, (size_t)s.m * s.n}, all = 0;
		for (int i = 0; i < 3; i++)
			all += bytes[i] = (elements[i] * sizeof(half) + 255) / 256 * 256;
		sets = on.emulated ? 2 : std::min(OPERAND_BYTES / all + 2, SETS_MOST);
		for (int i = 0; i < 3; i++) {
			CHECK(cudaMalloc(&memory[i], sets * bytes[i]));
			fill<<<1024, 256, 0, on.stream>>>((half *)memory[i], sets * bytes[i] / sizeof(half), i);
		}
		CHECK(cudaMalloc(&other, bytes[2]));
		first = {s.m,
				 s.n,
				 s.k,
				 memory[0],
				 memory[1],
				 memory[2],
				 s.k,
				 s.k_major() ? s.k : s.n,
				 s.n,
				 1.0f,
				 s.beta_is_0 ? 0.0f : 0.5f,
				 s.k_major(),
				 0};
		workspace_bytes = hopper::workspace_bytes(first);
		if (workspace_bytes == 0)
			return;
		CHECK(cudaMalloc(&workspace, workspace_bytes));
		CHECK(hopper::workspace_init(workspace, workspace_bytes, on.stream));
	}
	~operands()
	{
		for (void *some :
			 {(void *)memory[0], (void *)memory[1], (void *)memory[2], (void *)other, workspace})
			cudaFree(some);
	}
	operands(const operands &) = delete;

	hopper_gemm product(size_t turn) const
	{
		hopper_gemm out = first;
		out.a = memory[0] + turn % sets * bytes[0];
		out.b = memory[1] + turn % sets * bytes[1];
		out.c = memory[2] + turn % sets * bytes[2];
		return out;
	}
};

/* ---- what is timed ----------------------------------------------------------------------- */

struct candidate {
	bool is_library;
	int number;
	std::vector<float> us;

	float least(void) const
	{
		return *std::min_element(us.begin(), us.end());
	}
	float median(void) const
	{
		std::vector<float> sorted = us;
		std::sort(sorted.begin(), sorted.end());
		return sorted[sorted.size() / 2];
	}
};

struct measurement {
	machine &on;
	const shape &asked;
	operands with;
	library_calls libraries;
	std::vector<candidate> candidates;
	size_t turn = 0;
	bool right = true;

	measurement(machine &m, library &l, const shape &s)
		: on(m), asked(s), with(m, s), libraries(l, with.first)
	{
	}

	/* Whether the candidate can do the product. */
	bool call(const candidate &c, const hopper_gemm &p)
	{
		if (c.is_library)
			return libraries.call(c.number, p);
		hopper_status status = parts_linked[c.number][p.b_is_k_major](
			p, with.workspace, with.workspace_bytes, on.stream);
		CHECK(status == HOPPER_INVALID_ARGUMENT ? HOPPER_OK : status);
		return status == HOPPER_OK;
	}

	/* Whether the candidate can do the product, and its result is that of the first which can. */
	bool try_out(const candidate &c)
	{
		bool is_first = candidates.empty();
		hopper_gemm p = with.product(0);
		size_t count = (size_t)p.m * p.n;
		p.c = is_first ? p.c : with.other;
		fill<<<1024, 256, 0, on.stream>>>((half *)p.c, count, 7);
		if (!call(c, p))
			return false;
		*on.wrong = 0;
		if (!is_first)
			compare<<<256, 256, 0, on.stream>>>((half *)p.c, (half *)with.product(0).c, count,
												1e-3f * sqrtf((float)p.k), on.wrong);
		CHECK(cudaStreamSynchronize(on.stream));
		if (*on.wrong == 0)
			return true;
		if (!c.is_library) {
			fprintf(stderr, "%dx%dx%d, %s: %d elements of %s differ\n", p.m, p.n, p.k, asked.layout,
					*on.wrong, NAMES[c.number]);
			right = false;
		}
		return false;
	}

	void find_candidates(void)
	{
		for (int i = 0; i < libraries.count; i++)
			if (candidate c = {true, i}; try_out(c))
				candidates.push_back(c);
		for (int i = 0; i < hopper::CONFIGS; i++)
			if (candidate c = {false, i}; parts_linked[i][asked.k_major()] != NULL && try_out(c))
				candidates.push_back(c);
	}

	/* One call of each, behind the gate. Returns the microseconds of all. */
	float round(const std::vector<candidate *> &order)
	{
		float all = 0.0f;
		*(volatile int *)on.open = on.emulated;
		gate<<<1, 1, 0, on.stream>>>(on.open);
		for (size_t i = 0; i < order.size(); i++) {
			CHECK(cudaEventRecord(on.events[2 * i], on.stream));
			CHECK(!call(*order[i], with.product(turn++)));
			CHECK(cudaEventRecord(on.events[2 * i + 1], on.stream));
		}
		*(volatile int *)on.open = 1;
		CHECK(cudaStreamSynchronize(on.stream));
		for (size_t i = 0; i < order.size(); i++) {
			float ms;
			CHECK(cudaEventElapsedTime(&ms, on.events[2 * i], on.events[2 * i + 1]));
			order[i]->us.push_back(1e3f * ms);
			all += 1e3f * ms;
		}
		return all;
	}

	float best(void) const
	{
		float us = INFINITY;
		for (const candidate &c : candidates)
			us = c.us.empty() ? us : std::min(us, c.least());
		return us;
	}

	void run(std::mt19937 &random)
	{
		float spent = 0.0f;
		for (int i = 0; i < ROUNDS_LEAST || (i < ROUNDS_MOST && spent < SHAPE_US); i++) {
			float least = best(), most = i >= 4            ? 1.2f
										 : i >= 2          ? 1.5f
										 : least > LONG_US ? 1.3f
														   : INFINITY;
			std::vector<candidate *> order;
			for (candidate &c : candidates)
				if (i == 0 || c.least() < most * least)
					order.push_back(&c);
			std::shuffle(order.begin(), order.end(), random);
			spent += round(order);
		}
	}

	/* Of the faster library, and of configurations that are near the best one. */
	void write(FILE *out) const
	{
		const candidate *library = NULL;
		float best = INFINITY;
		for (const candidate &c : candidates)
			if (!c.is_library)
				best = std::min(best, c.median());
			else if (library == NULL || c.median() < library->median())
				library = &c;
		for (const candidate &c : candidates)
			if (&c == library || (!c.is_library && c.median() <= KEPT * best))
				fprintf(out, "%s,%s,%d,%d,%d,%s,%d,%s,%.3f,%zu\n", on.head.c_str(), asked.draw,
						asked.m, asked.n, asked.k, asked.layout, asked.beta_is_0,
						c.is_library ? "library" : NAMES[c.number], c.median(), c.us.size());
		fflush(out);
	}
};

/* ---- the program ------------------------------------------------------------------------- */

static void interrupt(int)
{
	interrupted = 1;
}

/* Measures the shapes of `in` until `end`; returns whether all results were right. */
static bool measure(FILE *in, FILE *out, double end, machine &on)
{
	library with(on.stream, !on.emulated);
	std::mt19937 random(1);
	char line[256];
	int count = 0;
	bool right = true;
	while (!interrupted && now() < end && fgets(line, sizeof line, in)) {
		shape asked;
		if (!read_shape(line, asked)) {
			fprintf(stderr, "no shape: %s", line);
			exit(1);
		}
		measurement m(on, with, asked);
		m.find_candidates();
		m.run(random);
		m.write(out);
		right = right && m.right;
		count++;
	}
	fprintf(stderr, "%d shapes measured\n", count);
	return right;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: cost_model_measure OUT.csv SECONDS DATE DRIVER <SHAPES\n");
		return 2;
	}
	double end = now() + atof(argv[2]);
	signal(SIGINT, interrupt);
	signal(SIGTERM, interrupt);
	machine on(argv[3], argv[4]);
	FILE *out = fopen(argv[1], "a");
	if (out == NULL) {
		fprintf(stderr, "%s cannot be written\n", argv[1]);
		return 1;
	}
	if (ftell(out) == 0)
		fputs(COLUMNS, out);
	bool right = measure(stdin, out, end, on);
	return fclose(out) != 0 || !right;
}
