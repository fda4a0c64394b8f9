#include "schedules/model.h"

#include <math.h>
#include <string.h>

#define WARP 32
#define LINE 128.0
/* Of a loop over k-blocks, besides products and loads of fragments: addresses, conditions,
 * barriers. */
#define STEP_INSTRUCTIONS 12
#define VECTOR_BYTES                                                                               \
	16.0 /* of a thread's load of a tile, and of a fragment where it divides it                    \
		  */
/* A read of fragments by 16 bytes a lane takes 2 to 3 passes where lanes share rows and columns, as
 * counted for sgemm's 06 to 12: the more of them the less square the warp's tile is. */
#define FRAGMENT_PASSES 2.2
#define L2_SHARE 0.7      /* of L2 that operands can keep */
#define ATOMIC_TRAFFIC 2. /* an atomic addition takes L2 as long as two stores */

/* Kernels of FMAs by thread tiles. These were fitted to 327 times of sgemm/cosma.cu on an H200, of
 * 1.5 us to 23 ms (rms 16%), the barrier to 1870 on an H100 (19%): solutions/sgemm/NOTES.md. */
#define SLOTS 1.05            /* of an instruction that is counted: operands of one register bank */
#define START_SECONDS 0.1e-6  /* of a block, with its first loads and its last stores */
#define STEP_CLOCKS 1320      /* of a tile's way from memory to shared memory, as long as */
#define FRAGMENT_CLOCKS 27    /* ... each k's from shared memory, or */
#define FMA_CLOCKS 3.4        /* ... its products, of one warp, do not take longer */
#define BARRIER_CLOCKS 200    /* of a step besides, which other blocks of a multiprocessor fill */
#define BLOCK_SECONDS 0.05e-6 /* until the next block of a multiprocessor has begun */
#define ATOMIC_CLOCKS 1.1     /* of a multiprocessor, for an atomic addition */
#define SAME_SECONDS 3.3e-9   /* ... of L2, for each more to the same place */
#define SUMS_SECONDS 0.98e-6  /* of a thread that reads SUMS of a tile's values back */
#define SUMS 16
#define SECOND_SECONDS 2.5e-6 /* from the end of one kernel to a second that needs its results */

/* The case under the roles: sizes, and what stands for roles that are not declared. */
struct tiling {
	double m, n, k, batch;                        /* k: of one split */
	double left_bytes, right_bytes, result_bytes; /* of an element */
	double block_m, block_n, block_k, splits;
	double warp_m, warp_n, thread_m, thread_n; /* 0: not declared */
	double blocks, threads, steps;             /* of a launch; a block; along K */
	double tiles_m, tiles_n;
	int stages;
	enum tune_unit unit;
	bool atomics;
};

static double element_bytes(const struct problem *problem, enum part part)
{
	const struct operand *operand = problem_part(problem, part);
	return operand != NULL ? type_of(operand->type)->format.bits / 8.0 : 4;
}

static double role(const struct roles *roles, enum tune_role which, double otherwise)
{
	return roles_have(roles, which) ? (double)roles->value[which] : otherwise;
}

bool model_applies(const struct roles *roles)
{
	return (roles_have(roles, TUNE_BLOCK_M) && roles_have(roles, TUNE_BLOCK_N)) ||
		   (roles_have(roles, TUNE_BLOCKS) && roles_have(roles, TUNE_THREADS));
}

static double threads_of(const struct tiling *t)
{
	if (t->warp_m > 0 && t->warp_n > 0)
		return ceil(t->block_m / t->warp_m) * ceil(t->block_n / t->warp_n) * WARP;
	if (t->thread_m > 0 && t->thread_n > 0)
		return ceil(t->block_m / t->thread_m) * ceil(t->block_n / t->thread_n);
	return 256;
}

static struct tiling tiling_of(const struct problem *problem, const struct test_case *test,
							   const struct roles *roles)
{
	const int32_t *size = test->shape.size;
	const bool tiles = roles_have(roles, TUNE_BLOCK_M) && roles_have(roles, TUNE_BLOCK_N);
	struct tiling t = {.m = size[SIZE_M], .n = size[SIZE_N], .batch = size[SIZE_BATCH]};
	double splits = role(roles, TUNE_SPLIT_K, 1);
	t.k = ceil(size[SIZE_K] / splits);
	t.splits = ceil(size[SIZE_K] / t.k);
	t.left_bytes = element_bytes(problem, PART_LEFT);
	t.right_bytes = element_bytes(problem, PART_RIGHT);
	t.result_bytes = element_bytes(problem, PART_RESULT);
	t.block_m = role(roles, TUNE_BLOCK_M, t.m);
	t.block_n = role(roles, TUNE_BLOCK_N, t.n);
	t.block_k = role(roles, TUNE_BLOCK_K, tiles ? 8 : t.k);
	t.warp_m = role(roles, TUNE_WARP_M, 0);
	t.warp_n = role(roles, TUNE_WARP_N, 0);
	t.thread_m = role(roles, TUNE_THREAD_M, 0);
	t.thread_n = role(roles, TUNE_THREAD_N, 0);
	t.threads = role(roles, TUNE_THREADS, threads_of(&t));
	t.tiles_m = ceil(t.m / t.block_m);
	t.tiles_n = ceil(t.n / t.block_n);
	t.blocks = role(roles, TUNE_BLOCKS, t.tiles_m * t.tiles_n * splits * t.batch);
	t.steps = ceil(t.k / t.block_k);
	t.stages = (int)role(roles, TUNE_STAGES, 1);
	t.unit = (enum tune_unit)role(roles, TUNE_UNIT, UNIT_FMA);
	t.atomics = roles_have(roles, TUNE_SPLIT_ATOMIC) && roles->value[TUNE_SPLIT_ATOMIC] != 0;
	return t;
}

/* ---- traffic ----------------------------------------------------------------------------- */

/* Tiles that are computed: blocks take more than one each where there are fewer of them. */
static double tiles_computed(const struct tiling *t)
{
	return t->tiles_m * t->tiles_n * t->splits * t->batch;
}

/* Bytes that leave memory, where `resident` tiles run at once. They cover a rectangle of `rows` by
 * as many columns of tiles as follow (the thesis' SWIZZLE: so many rows are worked on together).
 * A panel of A serves while its rows are worked on; all of B is read again for each such band of
 * rows, unless L2 has kept it. */
static double memory_bytes(const struct tune_gpu *gpu, const struct tiling *t, double resident,
						   double swizzle)
{
	const double a = t->m * t->k * t->left_bytes, b = t->k * t->n * t->right_bytes;
	const double each = t->splits * t->batch, keeps = L2_SHARE * (double)gpu->l2_bytes;
	double rows = fmin(fmin(swizzle, t->tiles_m), resident);
	const double columns = fmin(t->tiles_n, fmax(1, resident / rows));
	rows = fmin(t->tiles_m, fmax(rows, resident / columns));
	const double band = rows * t->block_m * t->k * t->left_bytes;
	if (a + b <= keeps || b + band <= keeps)
		return (a + b) * each;
	return (a + b * ceil(t->tiles_m / rows)) * each;
}

/* What is written, and read where beta is not 0; sums of splits apart. */
static double result_bytes(const struct tiling *t, const struct test_case *test)
{
	const bool reads = test->scalar[SCALAR_BETA] != 0;
	return t->m * t->n * t->batch * t->result_bytes * (reads ? 2 : 1);
}

static double sums_bytes(const struct tiling *t)
{
	return t->splits > 1 ? t->m * t->n * t->batch * t->splits * 4 : 0;
}

static void add_traffic(const struct tune_gpu *gpu, const struct tiling *t,
						const struct test_case *test, const struct roles *roles, double resident,
						struct demand *out)
{
	const double panels =
		(t->block_m * t->left_bytes + t->block_n * t->right_bytes) * t->k * tiles_computed(t);
	const double sums = sums_bytes(t), result = result_bytes(t, test);
	out->l2_bytes = panels + result + sums * (t->atomics ? ATOMIC_TRAFFIC : 1);
	out->dram_bytes = memory_bytes(gpu, t, resident, role(roles, TUNE_SWIZZLE, 1)) + result;
	if (sums > L2_SHARE * (double)gpu->l2_bytes)
		out->dram_bytes += sums;
	out->dram_bytes = fmin(out->dram_bytes, out->l2_bytes);
	out->lookups = out->l2_bytes / LINE;
}

/* ---- instructions ------------------------------------------------------------------------ */

/* Loads of fragments that a thread needs for so many floats. */
static double vector_loads(double floats)
{
	return floats > 0 ? ceil(floats * 4 / VECTOR_BYTES) : 0;
}

/* FMAs by thread tiles, fragments from shared memory. */
static void add_fma(const struct tiling *t, struct demand *out)
{
	const double products = t->block_m * t->block_n * t->k * tiles_computed(t);
	const double tile_m = t->thread_m > 0 ? t->thread_m : 1,
				 tile_n = t->thread_n > 0 ? t->thread_n : 1;
	const double loads = (vector_loads(tile_m) + vector_loads(tile_n)) / (tile_m * tile_n);
	const double width = fmin(1, (tile_m + tile_n) / 8); /* narrow fragments take fewer passes */
	const double oblong = t->warp_m > 0 && t->warp_n > 0
							  ? (t->warp_m + t->warp_n) / (2 * sqrt(t->warp_m * t->warp_n))
							  : 1;
	out->full_lanes = products;
	out->instructions = SLOTS * products * (1 + loads) / WARP;
	out->shared_passes = products / WARP * loads * fmax(1, FRAGMENT_PASSES * oblong * width);
}

/* Products of warps (mma.sync) read both fragments of theirs; those of a warpgroup (wgmma) read 64
 * rows of A and all columns of B. */
static void add_tensor(const struct tune_gpu *gpu, const struct tiling *t, struct demand *out)
{
	const double products = t->block_m * t->block_n * t->k * tiles_computed(t);
	out->warp_products = gpu->compute < 90 || (t->warp_m > 0 && t->warp_n > 0);
	out->multiply_adds[t->unit] = products;
	const double m = out->warp_products && t->warp_m > 0 ? t->warp_m : 64;
	const double n = out->warp_products && t->warp_n > 0 ? t->warp_n : t->block_n;
	const double bytes = products / (m * n) * (m * t->left_bytes + n * t->right_bytes);
	out->shared_passes = bytes / LINE;
	out->instructions = products / (out->warp_products ? 16 * 8 * 16 : 64 * n * 16) +
						(out->warp_products ? bytes / 512 : 0);
}

/* Along K every block brings its tiles to shared memory, and goes round a loop. */
static void add_loop(const struct tiling *t, struct demand *out)
{
	const double warps = ceil(t->threads / WARP), tiles = tiles_computed(t);
	const double bytes = (t->block_m * t->left_bytes + t->block_n * t->right_bytes) * t->k * tiles;
	out->shared_passes += bytes / LINE;
	out->instructions +=
		bytes / VECTOR_BYTES / WARP * 2 + tiles * t->steps * warps * STEP_INSTRUCTIONS;
	out->half_lanes += tiles * t->steps * warps * WARP * STEP_INSTRUCTIONS / 2;
}

/* With one stage a block waits for each of its loads; with more it is ahead of them. */
static void add_waits(const struct tiling *t, struct demand *out)
{
	const double tiles = tiles_computed(t) / t->blocks, ahead = t->stages - 1;
	out->waits = tiles * 2 + (ahead < 1 ? tiles * t->steps : 0);
	out->trips = ahead < 1 ? 0 : tiles * t->steps / ahead;
}

/* What a block of FMAs takes by itself, and what sums by atomics take all of them. A multiprocessor
 * has room for `fit` blocks. */
static void add_alone(const struct tune_gpu *gpu, const struct tiling *t, int fit,
					  struct demand *out)
{
	const double clock = gpu->clock_mhz * 1e6, most = ceil(t->blocks / gpu->multiprocessors);
	const double fmas = fmax(t->thread_m, 1) * fmax(t->thread_n, 1) * FMA_CLOCKS;
	const double products = t->block_k * fmax(FRAGMENT_CLOCKS, fmas);
	const double step = t->stages > 1 ? fmax(products, STEP_CLOCKS) : products + STEP_CLOCKS;
	const double tiles = tiles_computed(t) / t->blocks;
	out->single_block = tiles * (START_SECONDS + t->steps * step / clock);
	const double resident = fmax(1, fmin(most, fit)), rounds = ceil(most / resident);
	out->serial =
		BLOCK_SECONDS * resident + rounds * tiles * t->steps * BARRIER_CLOCKS / clock / resident;
	if (t->splits <= 1 || !t->atomics)
		return;
	const double values = fmin(t->block_m, t->m) * fmin(t->block_n, t->n);
	out->single_block += SUMS_SECONDS * ceil(t->block_m * t->block_n / t->threads / SUMS);
	out->serial += most * values * ATOMIC_CLOCKS / clock + SAME_SECONDS * t->splits;
}

/* No tiles are declared, a matrix and a vector say: each operand once. */
static void add_plain(const struct problem *problem, const struct test_case *test,
					  struct demand *out)
{
	const double terms = shape_terms(&test->shape);
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		out->dram_bytes += (double)operand_bytes(operand, &test->shape);
	out->l2_bytes = out->dram_bytes;
	out->lookups = out->l2_bytes / LINE;
	out->full_lanes = terms;
	out->instructions = 1.5 * terms / WARP;
	out->waits = 2;
	out->trips = out->l2_bytes / (out->blocks * out->threads) / (8 * VECTOR_BYTES);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Registers and shared memory, of the compiled kernel, of roles, or guessed. */
static void add_resources(const struct tune_gpu *gpu, const struct tiling *t,
						  const struct roles *roles, const struct kernel_resources *kernel,
						  struct demand *out, struct model_parts *parts)
{
	const double tile = t->thread_m > 0 && t->thread_n > 0
							? t->thread_m * t->thread_n + 2 * (t->thread_m + t->thread_n)
							: t->block_m * t->block_n / t->threads;
	const double guess = fmin(tile + 40, gpu->registers_per_thread);
	const double stages =
		t->stages * t->block_k * (t->block_m * t->left_bytes + t->block_n * t->right_bytes);
	const bool tiles = roles_have(roles, TUNE_BLOCK_M);
	out->threads = (int)t->threads;
	out->registers = kernel != NULL && kernel->registers > 0
						 ? kernel->registers
						 : (int)role(roles, TUNE_REGISTERS, tiles ? guess : 40);
	out->shared_bytes = (int64_t)role(roles, TUNE_SHARED_BYTES, tiles ? stages : 0);
	if (kernel != NULL && kernel->static_shared > 0 && !roles_have(roles, TUNE_SHARED_BYTES))
		out->shared_bytes = kernel->static_shared;
	parts->uncertainty = kernel != NULL || roles_have(roles, TUNE_REGISTERS)
							 ? MODEL_UNCERTAINTY
							 : MODEL_UNCERTAINTY_GUESSED;
}

/* Sums of splits that a second kernel adds up. */
static struct demand reduction_of(const struct tune_gpu *gpu, const struct tiling *t)
{
	const double results = t->m * t->n * t->batch, read = sums_bytes(t);
	struct demand demand = {.launches = 1,
							.threads = 256,
							.registers = 32,
							.single_block = START_SECONDS,
							.serial = SECOND_SECONDS};
	demand.blocks = ceil(results / demand.threads);
	demand.instructions = results * (t->splits * 2 + 10) / WARP;
	demand.full_lanes = results * t->splits;
	demand.l2_bytes = read + results * t->result_bytes;
	demand.lookups = demand.l2_bytes / LINE;
	demand.dram_bytes = results * t->result_bytes;
	if (read > L2_SHARE * (double)gpu->l2_bytes)
		demand.dram_bytes += read;
	demand.trips = ceil(t->splits / 8);
	return demand;
}

double model_time(const struct tune_gpu *gpu, const struct problem *problem,
				  const struct test_case *test, const struct roles *roles,
				  const struct kernel_resources *kernel, struct model_parts *parts)
{
	const struct tiling t = tiling_of(problem, test, roles);
	const bool tiles = roles_have(roles, TUNE_BLOCK_M) && roles_have(roles, TUNE_BLOCK_N);
	struct demand demand = {.launches = 1, .blocks = t.blocks};
	struct demand_time reduction;
	*parts = (struct model_parts){0};
	add_resources(gpu, &t, roles, kernel, &demand, parts);
	const struct occupancy fits =
		occupancy_of(gpu, demand.threads, demand.registers, demand.shared_bytes);
	if (tiles) {
		add_traffic(gpu, &t, test, roles,
					fmin(tiles_computed(&t), fmax(1, fits.blocks) * gpu->multiprocessors), &demand);
		if (t.unit == UNIT_FMA) {
			add_fma(&t, &demand);
			add_alone(gpu, &t, fits.blocks, &demand);
		} else {
			add_tensor(gpu, &t, &demand);
			add_waits(&t, &demand);
		}
		add_loop(&t, &demand);
	} else {
		add_plain(problem, test, &demand);
	}
	if (!demand_time(gpu, &demand, &parts->time))
		return INFINITY;
	parts->l2_bytes = demand.l2_bytes;
	parts->dram_bytes = demand.dram_bytes;
	if (tiles && t.splits > 1 && !t.atomics) {
		const struct demand sums = reduction_of(gpu, &t);
		demand_time(gpu, &sums, &reduction);
		demand_add(&parts->time, &reduction);
		parts->reduction = reduction.seconds;
		parts->l2_bytes += sums.l2_bytes;
		parts->dram_bytes += sums.dram_bytes;
	}
	return parts->time.seconds;
}

struct asked {
	const struct tune_gpu *gpu;
	const struct problem *problem;
	const struct test_case *test;
};

static double seconds_of(const void *context, const struct schedule *schedule)
{
	const struct asked *asked = context;
	struct model_parts parts;
	return model_time(asked->gpu, asked->problem, asked->test, &schedule->roles, NULL, &parts);
}

bool model_rank(struct ranked *ranked, const struct tune_gpu *gpu, const struct problem *problem,
				const struct test_case *test)
{
	const struct asked asked = {gpu, problem, test};
	if (ranked->list.count == 0 || !model_applies(&ranked->list.items[0].roles))
		return true;
	return ranked_add_model(ranked, seconds_of, &asked);
}
