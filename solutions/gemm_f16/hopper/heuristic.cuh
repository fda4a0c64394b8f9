/* The heuristic: a model of the time that each configuration takes for a product, and the choice of
 * the fastest. tools/cost-model fits the seven times of configs.def to measurements. */
#ifndef HOPPER_HEURISTIC_CUH
#define HOPPER_HEURISTIC_CUH

#include "device.cuh"
#include "problem.cuh"

namespace hopper
{
struct config_times {
	float launch, k_iteration, tile, reads_c, ragged, misaligned, contended; // see configs.def
};

/* A line of configs.def as the heuristic sees it; a tile is that of a whole cluster. */
struct config_line {
	enum variant variant;
	int tile_m, tile_n, k_block;
	int consumers;
	int split_k, cluster; // blocks that share a tile along K; that are launched together
	int max_stages;       // of TMA_PING_PONG: k-blocks of B that stay
	float lines;          // of A and B that a block loads for one element of its tile
	config_times us;
};

#define CONFIG(variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n, split_k,         \
			   max_split_k, max_stages, producers, ...)                                            \
	{variant,                                                                                      \
	 tile_m * cluster_m,                                                                           \
	 tile_n * cluster_n,                                                                           \
	 k_block,                                                                                      \
	 consumers,                                                                                    \
	 split_k,                                                                                      \
	 cluster_m * cluster_n * split_k,                                                              \
	 max_stages,                                                                                   \
	 1.0f / tile_m + 1.0f / tile_n,                                                                \
	 {__VA_ARGS__}},
static constexpr config_line CONFIG_LINES[] = {
#include "configs.def"
};
#undef CONFIG
constexpr int CONFIGS = sizeof CONFIG_LINES / sizeof *CONFIG_LINES;

/* Copying misaligned operands, microseconds a megabyte, besides the blocks' barrier. */
static constexpr float COPY_MEGABYTE = 0.47f;

/* What rows cost that are misaligned to lines of 128 bytes but not to sectors of 32, of what those
 * cost that are misaligned to sectors. */
static constexpr float MISALIGNED_TO_LINE = 0.3f;

/* Microseconds of a FLOP, inside of C or outside, for a GPU that its power bounds: for what is
 * multiplied, and for what is loaded for that. (8192^3 at full clock on an H200, TFLOP/s: 256x184
 * tiles 819, 128x256 787, 128x192 775, 128x128 718.) */
static constexpr float POWER_FLOP = 1.04e-9f, POWER_LINES = 20.5e-9f;

/* Until all of A, B and C have come from memory, or have gone there: microseconds until the first
 * bytes are there, and the part of the memory's rate that is reached. */
static constexpr float MEMORY_LATENCY = 1.5f, MEMORY_RATE = 0.85f;

/* What a stage's instruction costs a block, microseconds for a value: a multiprocessor does 128 at
 * once, and tiles of more consumers, which hide each other's latency, take less. Beside the next
 * tile's products it costs what those wait for it. */
static constexpr float STAGE_INSTRUCTION = 1.15f / (128 * 1755.0f);
static constexpr float STAGE_OF_FOUR = 0.6f, STAGE_OVERLAPPED = 110.0f;

/* From this part of the time on, the bound for power hides a chain. (An H200, with a sigmoid and
 * without, 128x256: 184 and 184 us at 4096^3, 103 and 96 at half of that K.) */
static constexpr float POWER_HIDES = 0.94f;
static constexpr float POWER_LARGE_TILES = POWER_FLOP + POWER_LINES * (1.0f / 128 + 1.0f / 256);

/* Small blocks of a multiprocessor that wait for memory in turns. */
static constexpr int SMALL_BLOCKS = 3;

/* What each of TMA_SPLIT's blocks costs the others of its tile, microseconds. */
static constexpr float SPLIT_PEER = 0.25f;

/* K-iterations that each of TMA_SPLIT's blocks has at least. */
static constexpr int SPLIT_ITERATIONS = 4;

/* Sizes to which the small kernel's 32-bit indices reach, and beyond which it is not worth it. */
static constexpr int SMALL_MAX_K = 1024;

/* What TMA's loads of rows of a matrix cost besides. */
static inline float rows_misaligned(int ld)
{
	return (float)(ld % 16 != 0) + MISALIGNED_TO_LINE * (float)(ld % 64 != 0);
}

static inline float round_up(float x) // ceilf() is a call into the library on x86-64
{
	long long below = (long long)x;
	return (float)(below + ((float)below < x));
}

/* The root of the sum of two squares, not both 0, within 4e-7: the larger and the smaller give it
 * within 4%, then Heron's method. sqrtf() is a call into the library, too, for what is below 0. */
static inline float root_of_squares(float a, float b)
{
	float larger = a > b ? a : b, smaller = a > b ? b : a;
	float root = 0.96f * larger + 0.398f * smaller, squares = a * a + b * b;
	for (int i = 0; i < 2; i++)
		root = 0.5f * (root + squares / root);
	return root;
}

/* Blocks that pad and split have one tile each, as all blocks run at once; so have TMA_SPLIT's. */
static inline bool has_one_tile(const config_line &c)
{
	return c.variant == TMA_SPLIT || (variant_pads(c.variant) && c.split_k > 1);
}

static inline long long tiles_of(const config_line &c, const problem &q)
{
	return (long long)q.row_tiles(c.tile_m, variant_by_class(c.variant)) * parts(q.p.n, c.tile_n);
}

/* Blocks that share a tile along K. TMA_SPLIT's are as many as run at once. */
static inline int split_of(const device_table &device, const config_line &c, const problem &q)
{
	if (c.variant != TMA_SPLIT)
		return c.split_k;
	long long blocks = device.clusters[1] < SPLIT_BLOCKS ? device.clusters[1] : SPLIT_BLOCKS;
	long long split = blocks / tiles_of(c, q);
	int iterations = q.k_iterations(c.k_block, false) / SPLIT_ITERATIONS;
	int limit = iterations < SPLIT_MOST ? iterations : SPLIT_MOST;
	split = split < limit ? split : limit;
	return split > 1 ? (int)split : 1;
}

static inline bool small_fits(const problem &q)
{
	return small_rows(q) > 0 && (long long)(q.rows_b() + 256) * q.p.ldb < HOPPER_SMALL_INDICES;
}

/* Whether the pad copy's 32 bits can number its pieces. */
static inline bool copy_fits(const problem &q)
{
	auto pieces = [](bool copied, int rows, int columns) {
		return copied ? (long long)rows * parts(columns, PIECE_ELEMENTS) : 0;
	};
	return pieces(q.misaligned_a, q.p.m, q.p.k) +
			   pieces(q.misaligned_b, q.rows_b(), q.columns_b()) <
		   1ll << 30;
}

/* Whether a configuration can compute a product, and its times are of any use there. */
static inline bool config_fits(const device_table &device, const config_line &c, const problem &q)
{
	if (!variant_takes(c.variant, q.layout_b))
		return false;
	if (c.variant == SMALL) // row by row the same sums, so that batches may come in slices
		return small_fits(q) &&
			   (q.p.batch_invariant || (q.p.k <= SMALL_MAX_K && q.p.m <= small_rows(q)));
	if (q.k_iterations(c.k_block, false) < c.split_k)
		return false;
	bool pads = q.workspace && q.p.k >= 2 * VECTOR && q.p.n >= 2 * VECTOR && copy_fits(q) &&
				(c.split_k == 1 || tiles_of(c, q) <= device.clusters[c.cluster]);
	switch (c.variant) {
	case TMA:
	case SWAP_AB: return !q.misaligned;
	case TMA_SPLIT: return split_bytes(q) > 0 && q.workspace && split_of(device, c, q) > 1;
	case TMA_OVERLAP:
		return !q.misaligned && !q.reads_c &&
			   q.k_iterations(c.k_block, false) >= c.tile_n / OVERLAP_MANY &&
			   (q.chain.elementwise || (q.p.m % 16 == 0 && q.p.n % BOX == 0)); // whole boxes
	case TMA_PING_PONG: return !q.misaligned && q.k_iterations(c.k_block, false) <= c.max_stages;
	case RESIDUE: return q.misaligned_a && !q.misaligned_b && !q.misaligned_c;
	case PAD_COPY: return q.misaligned && pads;
	case PAD_COPY_B: return q.misaligned_a && pads;
	case REGISTER_STAGED: return q.misaligned;
	case SMALL: break;
	}
	return false;
}

/* Microseconds of a block's stages, of all of its tiles. */
static inline float chain_time(const device_table &device, const config_line &c, const problem &q)
{
	float values = (float)c.tile_m * (float)c.tile_n / (float)c.cluster;
	float part = c.variant == TMA_OVERLAP ? STAGE_OVERLAPPED / (float)c.tile_n
				 : c.consumers == 4       ? STAGE_OF_FOUR
										  : 1.0f;
	float waves = round_up((float)tiles_of(c, q) / (float)device.clusters[c.cluster]);
	return waves * values * q.chain.instructions * STAGE_INSTRUCTION * part;
}

/* The least that a configuration can take: for power, which tells tiles apart by what they multiply
 * in vain; and for memory, unless operands are copied first, whose copies are in the L2 cache. */
static inline float config_bound(const device_table &device, const config_line &c, const problem &q)
{
	if (c.variant == SMALL || c.variant == REGISTER_STAGED)
		return 0.0f; // slower than that
	float flop = 2.0f * (float)tiles_of(c, q) * (float)c.tile_m * (float)c.tile_n * (float)q.p.k;
	float power = flop * (POWER_FLOP + POWER_LINES * c.lines);
	if (variant_pads(c.variant))
		return power;
	float m = (float)q.p.m, n = (float)q.p.n, k = (float)q.p.k;
	float bytes = 2.0f * (m * k + n * k + m * n * (q.reads_c ? 2.0f : 1.0f));
	float memory = MEMORY_LATENCY + bytes / (MEMORY_RATE * device.dram_bytes);
	return power < memory ? memory : power;
}

/* Microseconds by the times of configs.def, for a product that the configuration fits. */
static inline float config_time_unbounded(const device_table &device, const config_line &c,
										  const problem &q)
{
	float tiles = (float)tiles_of(c, q);
	int split = split_of(device, c, q), together = c.variant == TMA_SPLIT ? split : 1;
	float k = (float)parts(q.k_iterations(c.k_block, variant_by_class(c.variant)), split);
	float waves = tiles * (float)together / (float)device.clusters[c.cluster],
		  whole = round_up(waves);
	float busy = waves / whole; // part of all multiprocessors, on the average
	float misaligned = 0.0f, copied = 0.0f;
	if (c.variant == SMALL) {
		waves += SMALL_BLOCKS;
		misaligned = q.misaligned;
	} else if (c.variant == REGISTER_STAGED) {
		waves = whole;
		misaligned = q.misaligned_a;
	} else if (variant_pads(c.variant)) {
		waves = whole;
		copied = (q.misaligned_a && c.variant == PAD_COPY ? (float)q.p.m * (float)q.p.k : 0.0f) +
				 (q.misaligned_b ? (float)q.p.k * (float)q.p.n : 0.0f);
	} else { // narrow rows of B: all blocks request the same few lines at once
		float a = rows_misaligned(q.p.lda), b = rows_misaligned(q.p.ldb);
		b += (float)(q.layout_b == B_N_MAJOR && q.p.n < 64);
		waves = whole;
		misaligned = 2.0f * (b + (a - b) * (float)c.tile_m / (float)(c.tile_m + c.tile_n));
	}
	float iteration = c.us.k_iteration + busy * (c.us.contended + misaligned * c.us.misaligned);
	float tile = (has_one_tile(c) ? 0.0f : c.us.tile) + (q.reads_c ? c.us.reads_c : 0.0f) +
				 (q.p.n % 4 != 0 ? c.us.ragged : 0.0f);
	float peers = SPLIT_PEER * (float)(together - 1);
	return c.us.launch + COPY_MEGABYTE * copied * 2e-6f + peers + waves * (k * iteration + tile);
}

/* The configuration's time, with its bound and with the chain. A block waits for memory, or is
 * slowed down for power, in some k-iterations and not in others, so that neither time hides the
 * other: their squares are added up. Where power bounds a product, tensor cores that pause for the
 * chain make up for it afterwards; those that do not pause pay for it. */
static inline float config_time(const device_table &device, const config_line &c, const problem &q)
{
	if (c.variant == TMA_PING_PONG && tiles_of(c, q) <= device.clusters[c.cluster])
		return INFINITY; // a block's only tile has no other beside which it could be finished
	float unbounded = config_time_unbounded(device, c, q), bound = config_bound(device, c, q);
	float time = root_of_squares(unbounded, bound);
	float power = 2.0f * (float)q.p.m * (float)q.p.n * (float)q.p.k * POWER_LARGE_TILES;
	bool hidden = c.variant != TMA_OVERLAP && power > POWER_HIDES * time;
	return time + (hidden ? 0.0f : chain_time(device, c, q));
}

/* ---- batch-invariant products ----
 *
 * A sum order says in which order the products of an element are added up, so that configurations
 * of one order give the same bits. In order: the tensor cores add 16 products after the other to
 * one accumulator, from k = 0 on, whatever tile, cluster or operand order they are at. Those that
 * split K, and the small one, have an order of their own, of which a tile's place is no part.
 * Without an order are those that are no choice for every m: whose tiles must all run at once, and
 * those where a row's sums begin up to 7 elements early, by its number modulo 8. */
constexpr int IN_ORDER = CONFIGS, NO_ORDER = -1; // or a configuration's number

static inline int sum_order(int number, const problem &q)
{
	const config_line &c = CONFIG_LINES[number];
	if (has_one_tile(c) || (variant_by_class(c.variant) && q.misaligned_a))
		return NO_ORDER;
	return c.variant == SMALL || c.split_k > 1 ? number : IN_ORDER;
}

/* An order is chosen by the product of its times at a small m and a large one, on an H200. Another
 * one than in order, which does well elsewhere too, has to be better by a tenth at each. */
static constexpr int REFERENCE_ROWS[] = {32, 2048};
static constexpr float REFERENCE_GAIN = 1.1f * 1.1f;
static constexpr device_table REFERENCE_DEVICE = {
	HOPPER_OK, 132, {0, 132, 66, 39, 30, 22, 17, 15, 15}, 4.917e6f};

/* The sum order of a product: by n, k, B's layout, and which of its matrices are misaligned. The
 * small one where none is compiled that fits. */
static inline int order_choose(const problem &q, const bool *compiled)
{
	float products[CONFIGS + 1];
	for (int order = 0; order <= CONFIGS; order++)
		products[order] = order == IN_ORDER ? 1.0f : REFERENCE_GAIN;
	for (int rows : REFERENCE_ROWS) {
		const problem reference = q.dense(rows);
		float best[CONFIGS + 1];
		for (float &time : best)
			time = INFINITY;
		for (int i = 0; i < CONFIGS; i++) {
			int order = sum_order(i, reference);
			if (order == NO_ORDER || !compiled[i] ||
				!config_fits(REFERENCE_DEVICE, CONFIG_LINES[i], reference))
				continue;
			float time = config_time(REFERENCE_DEVICE, CONFIG_LINES[i], reference);
			best[order] = time < best[order] ? time : best[order];
		}
		for (int order = 0; order <= CONFIGS; order++)
			products[order] *= best[order];
	}
	int chosen = CONFIGS - 1;
	for (int order = 0; order <= CONFIGS; order++)
		chosen = products[order] < products[chosen] ? order : chosen;
	return chosen;
}
static_assert(CONFIG_LINES[CONFIGS - 1].variant == SMALL, "the last line, which fits all shapes");

/* The sum order that the product's configuration must have; NO_ORDER: any. */
static inline int order_wanted(const problem &q, const bool *compiled)
{
	return q.p.batch_invariant ? order_choose(q, compiled) : NO_ORDER;
}

/* Whether a configuration that `compiled` has can compute the product, in the sum order wanted. */
static inline bool config_serves(const device_table &device, int number, const problem &q,
								 const bool *compiled, int order)
{
	return compiled[number] && (order == NO_ORDER || sum_order(number, q) == order) &&
		   config_fits(device, CONFIG_LINES[number], q);
}

/* The number of the fastest configuration of those that `compiled` has, or -1; batch-invariant, of
 * those that have the product's sum order. */
static inline int config_choose(const device_table &device, const problem &q, const bool *compiled)
{
	int best = -1, order = order_wanted(q, compiled);
	float best_time = INFINITY;
	for (int i = 0; i < CONFIGS; i++) {
		if (!config_serves(device, i, q, compiled, order))
			continue;
		float time = config_time(device, CONFIG_LINES[i], q);
		if (best < 0 || time < best_time) {
			best = i;
			best_time = time;
		}
	}
	return best;
}
} // namespace hopper

#endif
