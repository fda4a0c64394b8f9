/* Host side: the choice of a way to cut the work, by a model of what each costs. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include <math.h>

#include "launch.cuh"

/* Microseconds on an H200, fitted by tools/cost-model to medians of shapes that the judge
 * drew. NOTES.md has how well they do. */
struct cut_times {
	float launch;    // once
	float step;      // of `depth` along K, in each round of tiles
	float tile;      // besides, in each round
	float reads_c;   // besides, when the epilogue reads C
	float ragged;    // besides, when N is no multiple of 4
	float slow_step; // more for a step, for operands whose rows begin off sectors: see step_off()
	float busy_step; // more for a step while all others work too
};

/* Of a cut that tools/cost-model has not measured yet; nobody chooses it. */
static constexpr cut_times UNMEASURED = {INFINITY};

/* What rows cost that begin at sectors of 32 bytes but off lines of 128, of what those cost that
 * begin off sectors. */
static constexpr float OFF_LINES = 0.3f;

/* What a GPU at full work does in a microsecond, in FLOP, inside of C or outside: it is bound by
 * its power then (4096^3 by the best cuts: 765 to 800 TFLOP/s). */
static constexpr float POWER_RATE = 770e6f;

/* Until a split tile's operands have come from memory: microseconds, and bytes in one. */
static constexpr float SPLIT_LATENCY = 2.2f, SPLIT_BYTES = 3.2e6f;

/* Copying odd operands before TMA reads them, besides the blocks' meeting. */
static constexpr float COPY_MEGABYTE = 0.47f;

/* Which problems a cut can do, and how its time goes: aligned ones, by TMA; odd ones that are
 * copied first; odd ones that are shifted on the way; of which only B is; those short along K; tiny
 * ones. */
enum family {
	FAMILY_TMA,
	FAMILY_COPIED,
	FAMILY_SHIFTED,
	FAMILY_MIXED,
	FAMILY_SHALLOW,
	FAMILY_TINY
};

template <class Element> struct cut {
	void (*launch)(hopper_device &device, const problem<Element> &p, int splits);
	enum family family;
	bool classes;             // A's rows may be odd: those of a tile are of one class
	int rows, columns, depth; // of a tile, or of the neighbouring ones that a cluster does
	int splits, cluster;      // blocks that share a tile along K; that are launched together
	int blocks;               // that share a multiprocessor
	cut_times us;
};

#ifdef HOPPER_TABLE_ONLY // for tools/cost_model.cu, which launches nothing
#define HOPPER_LAUNCH(...) nullptr
#else
#define HOPPER_LAUNCH(...) __VA_ARGS__
#endif

/* One with a gemm_config. */
template <class Element, class config>
static constexpr cut<Element> tile_cut(decltype(cut<Element>::launch) launch, family family,
									   int splits, int blocks, cut_times us)
{
	return {launch,
			family,
			config::CLASSES,
			config::BM * config::UP,
			config::BN * config::ACROSS,
			config::DEPTH,
			splits,
			config::SHARERS * splits,
			blocks,
			us};
}

template <class Element, class config>
static constexpr cut<Element> tma_cut(int splits, cut_times us)
{
	return tile_cut<Element, config>(HOPPER_LAUNCH(tma_launch<Element, config>),
									 config::ODD ? FAMILY_COPIED : FAMILY_TMA, splits, 1, us);
}

template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
static constexpr cut<Element> shifted_cut(int splits, cut_times us)
{
	return tile_cut<Element, config>(
		HOPPER_LAUNCH(shifted_launch<Element, config, PRODUCERS, DEEP, BLOCKS>), FAMILY_SHIFTED,
		splits, BLOCKS, us);
}

template <class Element, class config, int PRODUCERS, int BLOCKS>
static constexpr cut<Element> mixed_cut(int splits, cut_times us)
{
	return tile_cut<Element, config>(
		HOPPER_LAUNCH(mixed_launch<Element, config, PRODUCERS, BLOCKS>), FAMILY_MIXED, splits,
		BLOCKS, us);
}

template <class Element, int WARPS, int STEPS, int BN>
static constexpr cut<Element> tiny_cut(cut_times us)
{
	using config = tiny_config<WARPS, STEPS, BN, 1, 1>;
	return {HOPPER_LAUNCH(tiny_launch<Element, WARPS, STEPS, BN>),
			FAMILY_TINY,
			false,
			config::ROWS,
			config::COLUMNS,
			config::DEPTH * WARPS,
			1,
			1,
			3,
			us};
}

template <class Element, int WARPS, int BN> static constexpr cut<Element> shallow_cut(cut_times us)
{
	using config = shallow_config<WARPS, BN>;
	return {HOPPER_LAUNCH(shallow_launch<Element, WARPS, BN>),
			FAMILY_SHALLOW,
			false,
			config::BM,
			config::BN,
			config::DEPTH,
			1,
			1,
			config::BLOCKS,
			us};
}

template <class Element>
static long long cut_tiles(const cut<Element> &c, const problem<Element> &p)
{
	int apart = c.family == FAMILY_SHALLOW ? rows_apart(p) : c.classes ? p.apart_a : 1;
	return (long long)row_tiles(p.M, apart, c.rows) * ((p.N + c.columns - 1) / c.columns);
}

/* Whether TMA can address A by classes of its rows: each has some, and they begin within A. */
template <class Element> static bool can_class(const problem<Element> &p)
{
	return (uintptr_t)p.A % 16 == 0 && p.M >= UNIT;
}

/* Whether a cut can do this problem, and its times are of any use there. */
template <class Element>
static bool cut_fits(const hopper_device &device, const cut<Element> &c, const problem<Element> &p)
{
	if (c.splits > steps_along(p.K, 1, c.depth) || (c.classes && !can_class(p)))
		return false;
	switch (c.family) {
	case FAMILY_TMA: return c.classes == p.odd_a && !p.odd_b && !p.odd_c;
	case FAMILY_COPIED: // blocks wait for each other, and those of a split have one tile
		return (c.classes ? p.odd_a : p.odd) &&
			   (c.splits == 1 || cut_tiles(c, p) <= device.clusters[c.cluster]);
	case FAMILY_SHIFTED: // its words are aligned
		return (uintptr_t)p.A % 16 == 0 && (uintptr_t)p.B % 16 == 0;
	case FAMILY_MIXED: return p.odd && (uintptr_t)p.B % 16 == 0;
	case FAMILY_SHALLOW: // its units are aligned, its offsets have 32 bits, it finishes whole boxes
		return (uintptr_t)p.A % 16 == 0 && (uintptr_t)p.B % 16 == 0 && p.K <= 1024 &&
			   (p.M + 2048LL) * p.K < 1 << 30 && (p.K + 64LL) * p.N < 1 << 30 &&
			   epilogue<Element>::only_c;
	case FAMILY_TINY: // its indices have 32 bits
		return p.K <= 1024 && p.M < 1 << 20 && p.N < 1 << 20;
	}
	return false;
}

/* What rows of so many elements cost TMA besides, where they begin off sectors of 32 bytes, or at
 * sectors but off lines. */
static float rows_off(int columns)
{
	return (columns % 16u != 0) + OFF_LINES * (columns % 64u != 0);
}

/* The same of a step's rows of A and of B together. Narrow rows of B cost as much again: all blocks
 * ask for the same few lines at once. */
template <class Element> static float step_off(const cut<Element> &c, const problem<Element> &p)
{
	float a = rows_off(p.K), b = rows_off(p.N) + (p.N < 64);
	return 2.0f * (a * (float)c.rows + b * (float)c.columns) / (float)(c.rows + c.columns);
}

template <class Element>
static float cut_time(const hopper_device &device, const cut<Element> &c, const problem<Element> &p)
{
	int steps = steps_along(p.K, c.classes ? p.apart_a : 1, c.depth);
	int longest = (steps + c.splits - 1) / c.splits;
	float rounds = (float)cut_tiles(c, p) / (float)device.clusters[c.cluster], copy = 0.0f;
	float busy = rounds / ceilf(rounds); // of all multiprocessors, on the average
	float slow = 0.0f;
	switch (c.family) {
	case FAMILY_TMA: // persistent: rounds are whole
		rounds = ceilf(rounds);
		slow = step_off(c, p);
		break;
	case FAMILY_COPIED: {
		rounds = ceilf(rounds);
		bool copies_a = p.odd_a && !c.classes;
		long long copied =
			(copies_a ? (long long)p.M * p.K : 0) + (p.odd_b ? (long long)p.K * p.N : 0);
		copy = COPY_MEGABYTE * copied * sizeof(Element) * 1e-6f;
		break;
	}
	case FAMILY_SHIFTED:
	case FAMILY_MIXED:
		rounds = ceilf(rounds / (float)c.blocks);
		slow = c.family == FAMILY_MIXED ? p.odd_a : p.odd; // B always is
		break;
	case FAMILY_SHALLOW:
	case FAMILY_TINY: // waits for memory, as often as a block's steps; others are done meanwhile
		rounds += (float)c.blocks;
		slow = p.odd;
	}
	float step = c.us.step + busy * (c.us.busy_step + slow * c.us.slow_step);
	float tile = (p.reads_c ? c.us.reads_c : 0.0f) + (p.N % 4 != 0 ? c.us.ragged : 0.0f);
	if (c.family != FAMILY_COPIED || c.splits == 1) // those have one tile: it is in `launch`
		tile += c.us.tile;
	return c.us.launch + copy + rounds * (longest * step + tile);
}

/* What a cut takes at least: for power, which tells cuts apart by what they multiply in vain; and,
 * of a tile split along K, until both operands have come from memory, which such blocks read more
 * slowly than others do (16x4096x4096: 3.1 TB/s in two parts, 3.7 as 64 columns by 16 rows). */
template <class Element> static float least_time(const cut<Element> &c, const problem<Element> &p)
{
	if (c.family != FAMILY_TMA && c.family != FAMILY_COPIED)
		return 0.0f; // slower than that
	float flop = 2.0f * (float)cut_tiles(c, p) * (float)c.rows * (float)c.columns * (float)p.K;
	float bytes = ((float)p.M + (float)p.N) * (float)p.K * sizeof(Element);
	float memory = c.splits > 1 ? SPLIT_LATENCY + bytes / SPLIT_BYTES : 0.0f;
	return flop / POWER_RATE < memory ? memory : flop / POWER_RATE;
}

/* All cuts. tools/cost-model fits their times, and calls them by their place here. */
template <class Element> static const auto &hopper_cuts(void)
{
	constexpr bool ODD = true;
	/* consumers, columns, blocks above each other and side by side, or at most on one tile */
	using pair256 = gemm_config<2, 256, 2, 1, 1, false>;
	using one256 = gemm_config<2, 256, 1, 1, 1, false>;
	using pair192 = gemm_config<2, 192, 2, 1, 1, false>;
	using wide192 = gemm_config<2, 192, 1, 1, 1, false>;
	using flat128 = gemm_config<1, 128, 2, 1, 1, false>;
	using flat_one128 = gemm_config<1, 128, 1, 1, 1, false>;
	using small64 = gemm_config<1, 64, 1, 1, 1, false>;
	using four64 = gemm_config<1, 64, 4, 1, 1, false, 16>;
	using four_side64 = gemm_config<1, 64, 4, 2, 1, false, 16>;
	using pair_side64 = gemm_config<1, 64, 2, 4, 1, false, 16>;
	using half64 = gemm_config<2, 64, 1, 1, 1, false>;
	using one128 = gemm_config<2, 128, 1, 1, 1, false>;
	using tall160 = gemm_config<2, 160, 1, 1, 1, false, 8, 2>;
	using tall128 = gemm_config<2, 128, 1, 1, 1, false, 8, 2>;
	using side128 = gemm_config<2, 128, 1, 2, 1, false>;
	using split128 = gemm_config<2, 128, 1, 1, 4, false>;
	using split_flat128 = gemm_config<1, 128, 1, 1, 4, false>;
	using split_half64 = gemm_config<2, 64, 1, 1, 4, false>;
	using split64 = gemm_config<1, 64, 1, 1, 8, false>;
	using odd_pair256 = gemm_config<2, 256, 2, 1, 1, ODD>;
	using odd_one256 = gemm_config<2, 256, 1, 1, 1, ODD>;
	using odd_square192 = gemm_config<2, 192, 2, 2, 1, ODD>;
	using odd_wide192 = gemm_config<2, 192, 1, 1, 1, ODD>;
	using odd_pair128 = gemm_config<2, 128, 2, 1, 1, ODD>;
	using odd_pair160 = gemm_config<2, 160, 2, 1, 1, ODD>;
	using odd_pair224 = gemm_config<2, 224, 2, 1, 1, ODD>;
	using odd_one224 = gemm_config<2, 224, 1, 1, 1, ODD>;
	using odd_half64 = gemm_config<2, 64, 1, 1, 1, ODD>;
	using odd_flat128 = gemm_config<1, 128, 2, 1, 1, ODD>;
	using odd_small64 = gemm_config<1, 64, 1, 1, 1, ODD>;
	using odd_split128 = gemm_config<2, 128, 1, 1, 4, ODD>;
	using odd_split64 = gemm_config<1, 64, 1, 1, 4, ODD>;
	using shifted64 = gemm_config<1, 64, 1, 1, 1, ODD, 4>;
	using shifted_split64 = gemm_config<1, 64, 1, 1, 8, ODD, 4>;
	/* Turned and stacked tiles: columns and rows as they lie in C. Not for chains, as their way out
	 * is not hidden as well: with sigmoid and gelu 2 to 3% slower, with a bias 80%. */
#ifndef EPILOGUE_CHAIN
	using turned_64_80 = gemm_config<1, 80, 1, 1, 1, false, 8, 1, true>;
	using turned_64_96 = gemm_config<1, 96, 1, 1, 1, false, 8, 1, true>;
	using turned_64_112 = gemm_config<1, 112, 1, 1, 1, false, 8, 1, true>;
	using turned_128_80 = gemm_config<2, 80, 1, 1, 1, false, 8, 1, true>;
	using turned_128_96 = gemm_config<2, 96, 1, 1, 1, false, 8, 1, true>;
	using turned_128_112 = gemm_config<2, 112, 1, 1, 1, false, 8, 1, true>;
	using turned_128_160 = gemm_config<2, 160, 1, 1, 1, false, 8, 1, true>;
	using turned_128_176 = gemm_config<2, 176, 1, 1, 1, false, 8, 1, true>;
	using turned_128_192 = gemm_config<2, 192, 1, 1, 1, false, 8, 1, true>;
	using turned_128_240 = gemm_config<2, 240, 1, 1, 1, false, 8, 1, true>;
	using turned_256_96 = gemm_config<2, 96, 1, 1, 1, false, 8, 2, true>;
	using turned_256_176 = gemm_config<2, 176, 1, 1, 1, false, 8, 2, true>;
	using stacked_192_144 = gemm_config<2, 72, 1, 1, 1, false, 8, 3, true, true>;
	using stacked_side_192_160 = gemm_config<2, 80, 1, 2, 1, false, 8, 3, true, true>;
	using stacked_side_192_192 = gemm_config<2, 96, 1, 2, 1, false, 8, 3, true, true>;
	using stacked_pair_192_160 = gemm_config<2, 80, 2, 1, 1, false, 8, 3, true, true>;
	using stacked_pair_192_176 = gemm_config<2, 88, 2, 1, 1, false, 8, 3, true, true>;
	using turned_128_104 = gemm_config<2, 104, 1, 1, 1, false, 8, 1, true>;
	using turned_pair_128_80 = gemm_config<2, 80, 2, 1, 1, false, 8, 1, true>;
	using turned_256_184 = gemm_config<2, 184, 1, 1, 1, false, 8, 2, true>;
	using turned_side_128_144 = gemm_config<2, 144, 1, 2, 1, false, 8, 1, true>;
	using turned_pair_128_208 = gemm_config<2, 208, 2, 1, 1, false, 8, 1, true>;
	using turned_side_128_208 = gemm_config<2, 208, 1, 2, 1, false, 8, 1, true>;
	using turned_pair_256_112 = gemm_config<2, 112, 2, 1, 1, false, 8, 2, true>;
	using turned_square_128_144 = gemm_config<2, 144, 2, 2, 1, false, 8, 1, true>;
	using turned_square_128_160 = gemm_config<2, 160, 2, 2, 1, false, 8, 1, true>;
	using turned_64_16 = gemm_config<1, 16, 1, 1, 1, false, 16, 1, true>;
	using turned_64_32 = gemm_config<1, 32, 1, 1, 1, false, 16, 1, true>;
	using turned_64_40 = gemm_config<1, 40, 1, 1, 1, false, 16, 1, true>;
	using turned_64_48 = gemm_config<1, 48, 1, 1, 1, false, 16, 1, true>;
	using turned_64_56 = gemm_config<1, 56, 1, 1, 1, false, 16, 1, true>;
	using turned_four_64_96 = gemm_config<1, 96, 4, 1, 1, false, 16, 1, true>;
	using turned_side_64_136 = gemm_config<1, 136, 1, 2, 1, false, 8, 1, true>;
	using turned_side_four_128_96 = gemm_config<2, 96, 1, 4, 1, false, 8, 1, true>;
	using turned_pair_128_112 = gemm_config<2, 112, 2, 1, 1, false, 8, 1, true>;
	using turned_side_128_112 = gemm_config<2, 112, 1, 2, 1, false, 8, 1, true>;
	using turned_four_128_112 = gemm_config<2, 112, 4, 1, 1, false, 8, 1, true>;
#ifdef HOPPER_CUT
	constexpr bool CLASSES = true;
	using class_one256 = gemm_config<2, 256, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_pair256 = gemm_config<2, 256, 2, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_wide192 = gemm_config<2, 192, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_one128 = gemm_config<2, 128, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_flat128 = gemm_config<1, 128, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_half64 = gemm_config<2, 64, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_small64 = gemm_config<1, 64, 1, 1, 1, false, 8, 1, false, false, CLASSES>;
	using class_split128 = gemm_config<2, 128, 1, 1, 4, false, 8, 1, false, false, CLASSES>;
	using class_split64 = gemm_config<1, 64, 1, 1, 8, false, 8, 1, false, false, CLASSES>;
	using class_64_16 = gemm_config<1, 16, 1, 1, 1, false, 16, 1, true, false, CLASSES>;
	using class_64_40 = gemm_config<1, 40, 1, 1, 1, false, 16, 1, true, false, CLASSES>;
	using class_64_80 = gemm_config<1, 80, 1, 1, 1, false, 8, 1, true, false, CLASSES>;
	using class_128_80 = gemm_config<2, 80, 1, 1, 1, false, 8, 1, true, false, CLASSES>;
	using class_128_112 = gemm_config<2, 112, 1, 1, 1, false, 8, 1, true, false, CLASSES>;
	using class_128_160 = gemm_config<2, 160, 1, 1, 1, false, 8, 1, true, false, CLASSES>;
	using class_128_176 = gemm_config<2, 176, 1, 1, 1, false, 8, 1, true, false, CLASSES>;
	using class_side_128_208 = gemm_config<2, 208, 1, 2, 1, false, 8, 1, true, false, CLASSES>;
	using class_stacked_192_144 = gemm_config<2, 72, 1, 1, 1, false, 8, 3, true, true, CLASSES>;
	using class_odd_pair256 = gemm_config<2, 256, 2, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_one256 = gemm_config<2, 256, 1, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_square192 = gemm_config<2, 192, 2, 2, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_wide192 = gemm_config<2, 192, 1, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_pair160 = gemm_config<2, 160, 2, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_pair128 = gemm_config<2, 128, 2, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_one224 = gemm_config<2, 224, 1, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_half64 = gemm_config<2, 64, 1, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_flat128 = gemm_config<1, 128, 2, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_small64 = gemm_config<1, 64, 1, 1, 1, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_split128 = gemm_config<2, 128, 1, 1, 4, ODD, 8, 1, false, false, CLASSES>;
	using class_odd_split64 = gemm_config<1, 64, 1, 1, 4, ODD, 8, 1, false, false, CLASSES>;
	using mixed64 = gemm_config<1, 64, 1, 1, 1, ODD, 4, 1, false, false, CLASSES>;
	using mixed_half64 = gemm_config<2, 64, 1, 1, 1, ODD, 4, 1, false, false, CLASSES>;
	using mixed_tall64 = gemm_config<2, 64, 1, 1, 1, ODD, 4, 2, false, false, CLASSES>;
	using mixed_one128 = gemm_config<2, 128, 1, 1, 1, ODD, 4, 1, false, false, CLASSES>;
	using mixed_flat128 = gemm_config<1, 128, 1, 1, 1, ODD, 4, 1, false, false, CLASSES>;
	using mixed_split128 = gemm_config<2, 128, 1, 1, 4, ODD, 4, 1, false, false, CLASSES>;
	using mixed_split64 = gemm_config<1, 64, 1, 1, 8, ODD, 8, 1, false, false, CLASSES>;
	using mixed_split_half64 = gemm_config<2, 64, 1, 1, 4, ODD, 8, 1, false, false, CLASSES>;
	using shifted_split_half64 = gemm_config<2, 64, 1, 1, 8, ODD, 4>;
	using deep_64_16 = gemm_config<1, 16, 1, 1, 1, false, 16, 1, true, false, false, 2>;
	using deep_64_32 = gemm_config<1, 32, 1, 1, 1, false, 16, 1, true, false, false, 2>;
	using deep_64_40 = gemm_config<1, 40, 1, 1, 1, false, 16, 1, true, false, false, 2>;
	using deep_64_48 = gemm_config<1, 48, 1, 1, 1, false, 16, 1, true, false, false, 2>;
	using deep_64_80 = gemm_config<1, 80, 1, 1, 1, false, 8, 1, true, false, false, 2>;
	using deep_64_96 = gemm_config<1, 96, 1, 1, 1, false, 8, 1, true, false, false, 2>;
	using deep_64_112 = gemm_config<1, 112, 1, 1, 1, false, 8, 1, true, false, false, 2>;
	using deep_128_80 = gemm_config<2, 80, 1, 1, 1, false, 8, 1, true, false, false, 2>;
	using deep_128_112 = gemm_config<2, 112, 1, 1, 1, false, 8, 1, true, false, false, 2>;
	using deep_small64 = gemm_config<1, 64, 1, 1, 1, false, 8, 1, false, false, false, 2>;
	using deep_half64 = gemm_config<2, 64, 1, 1, 1, false, 8, 1, false, false, false, 2>;
	using deep_flat128 = gemm_config<1, 128, 1, 1, 1, false, 8, 1, false, false, false, 2>;
	using deep_one128 = gemm_config<2, 128, 1, 1, 1, false, 8, 1, false, false, false, 2>;
	using deep_four64 = gemm_config<1, 64, 4, 1, 1, false, 16, 1, false, false, false, 2>;
	using deep_split64 = gemm_config<1, 64, 1, 1, 8, false, 8, 1, false, false, false, 2>;
	using deeper_64_16 = gemm_config<1, 16, 1, 1, 1, false, 16, 1, true, false, false, 4>;
	using deeper_split64 = gemm_config<1, 64, 1, 1, 8, false, 8, 1, false, false, false, 4>;
	using deep_split_half64 = gemm_config<2, 64, 1, 1, 4, false, 8, 1, false, false, false, 2>;
	using deep_split_flat128 = gemm_config<1, 128, 1, 1, 4, false, 8, 1, false, false, false, 2>;
#endif
#endif
	static const cut<Element> cuts[] = {
		tma_cut<Element, pair256>(1, {0.46f, 0.555f, 2.87f, 1.04f, 0.00f, 0.033f, 0.106f}),
		tma_cut<Element, pair192>(1, {1.04f, 0.416f, 1.94f, 1.09f, 0.00f, 0.022f, 0.081f}),
		tma_cut<Element, wide192>(1, {0.82f, 0.428f, 1.87f, 0.87f, 0.00f, 0.086f, 0.052f}),
		tma_cut<Element, flat128>(1, {2.23f, 0.224f, 0.50f, 0.32f, 0.00f, 0.022f, 0.021f}),
		tma_cut<Element, small64>(1, {2.02f, 0.144f, 0.48f, 0.22f, 0.00f, 0.052f, 0.019f}),
		tma_cut<Element, one256>(1, {0.00f, 0.565f, 2.76f, 1.06f, 0.00f, 0.096f, 0.083f}),
		tma_cut<Element, flat_one128>(1, {1.56f, 0.186f, 0.94f, 0.41f, 0.00f, 0.089f, 0.013f}),
		tma_cut<Element, four64>(1, {1.96f, 0.202f, 0.49f, 0.27f, 0.00f, 0.002f, 0.000f}),
		tma_cut<Element, four_side64>(1, {1.98f, 0.159f, 0.50f, 0.28f, 0.00f, 0.002f, 0.011f}),
		tma_cut<Element, pair_side64>(1, {1.98f, 0.155f, 0.53f, 0.29f, 0.00f, 0.002f, 0.007f}),
		tma_cut<Element, half64>(1, {1.68f, 0.192f, 0.90f, 0.29f, 0.00f, 0.085f, 0.041f}),
		tma_cut<Element, one128>(1, {1.25f, 0.298f, 1.48f, 0.63f, 0.00f, 0.093f, 0.029f}),
		tma_cut<Element, tall160>(1, {0.00f, 0.719f, 3.67f, 1.60f, 0.00f, 0.102f, 0.133f}),
		tma_cut<Element, tall128>(1, {0.00f, 0.567f, 2.77f, 1.52f, 0.00f, 0.082f, 0.102f}),
		tma_cut<Element, side128>(1, {2.11f, 0.282f, 1.01f, 0.59f, 0.00f, 0.048f, 0.072f}),
		tma_cut<Element, split128>(4, {1.29f, 0.280f, 3.68f, 0.00f, 0.00f, 0.057f, 0.226f}),
		tma_cut<Element, split_half64>(4, {0.97f, 0.165f, 3.12f, 0.06f, 0.00f, 0.036f, 0.190f}),
		tma_cut<Element, split64>(2, {1.44f, 0.129f, 1.70f, 0.00f, 0.00f, 0.050f, 0.093f}),
		tma_cut<Element, split64>(3, {0.96f, 0.135f, 2.19f, 0.07f, 0.00f, 0.035f, 0.080f}),
		tma_cut<Element, split64>(4, {0.82f, 0.143f, 2.47f, 0.02f, 0.00f, 0.025f, 0.073f}),
		tma_cut<Element, split64>(5, {0.94f, 0.124f, 2.57f, 0.00f, 0.00f, 0.023f, 0.098f}),
		tma_cut<Element, split64>(6, {0.85f, 0.101f, 2.84f, 0.00f, 0.00f, 0.014f, 0.129f}),
		tma_cut<Element, split64>(8, {1.01f, 0.077f, 3.08f, 0.01f, 0.00f, 0.023f, 0.144f}),
		tma_cut<Element, split_flat128>(3, {1.35f, 0.164f, 2.53f, 0.11f, 0.00f, 0.052f, 0.177f}),
		tma_cut<Element, split_flat128>(4, {1.21f, 0.169f, 2.59f, 0.11f, 0.00f, 0.038f, 0.198f}),
		tma_cut<Element, odd_pair256>(1, {4.29f, 0.527f, 3.30f, 2.52f, 1.41f, 0.000f, 0.133f}),
		tma_cut<Element, odd_one256>(1, {4.79f, 0.532f, 3.33f, 2.90f, 1.40f, 0.000f, 0.131f}),
		tma_cut<Element, odd_square192>(1, {4.84f, 0.389f, 2.15f, 2.05f, 1.33f, 0.000f, 0.096f}),
		tma_cut<Element, odd_wide192>(1, {5.70f, 0.397f, 2.24f, 2.44f, 0.93f, 0.000f, 0.117f}),
		tma_cut<Element, odd_pair128>(1, {5.63f, 0.255f, 1.49f, 1.09f, 0.93f, 0.000f, 0.109f}),
		tma_cut<Element, odd_pair160>(1, {5.29f, 0.321f, 0.72f, 2.51f, 1.28f, 0.000f, 0.151f}),
		tma_cut<Element, odd_pair224>(1, {4.84f, 0.406f, 0.58f, 3.72f, 1.79f, 0.000f, 0.243f}),
		tma_cut<Element, odd_one224>(1, {7.02f, 0.432f, 0.85f, 3.40f, 1.84f, 0.000f, 0.206f}),
		tma_cut<Element, odd_half64>(1, {6.44f, 0.190f, 0.76f, 0.96f, 0.72f, 0.000f, 0.092f}),
		tma_cut<Element, odd_flat128>(1, {5.82f, 0.177f, 1.11f, 0.81f, 0.38f, 0.000f, 0.047f}),
		tma_cut<Element, odd_small64>(1, {6.04f, 0.149f, 0.66f, 0.84f, 0.17f, 0.000f, 0.000f}),
		tma_cut<Element, odd_split64>(2, {7.29f, 0.169f, 0.00f, 0.78f, 0.00f, 0.000f, 0.036f}),
		tma_cut<Element, odd_split64>(4, {7.30f, 0.235f, 0.00f, 0.30f, 0.00f, 0.000f, 0.000f}),
		tma_cut<Element, odd_split128>(4, {7.73f, 0.268f, 0.00f, 0.56f, 1.09f, 0.000f, 0.241f}),
		shifted_cut<Element, shifted64, 1, 2, 2>(
			1, {0.80f, 1.143f, 1.19f, 0.45f, 0.56f, 0.117f, 0.000f}),
		shifted_cut<Element, shifted64, 3, 2, 1>(
			1, {1.30f, 0.506f, 1.12f, 0.43f, 0.37f, 0.090f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			2, {1.64f, 0.519f, 1.79f, 0.36f, 0.39f, 0.070f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			4, {1.30f, 0.555f, 2.17f, 0.38f, 0.39f, 0.020f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			8, {1.20f, 0.530f, 2.72f, 0.47f, 0.35f, 0.078f, 0.000f}),
		shallow_cut<Element, 4, 64>({1.52f, 0.282f, 0.28f, 0.30f, 0.12f, 0.000f, 0.000f}),
		shallow_cut<Element, 4, 128>({0.00f, 0.415f, 0.46f, 0.47f, 0.26f, 0.000f, 0.000f}),
		shallow_cut<Element, 8, 128>({0.00f, 0.797f, 0.99f, 0.98f, 0.41f, 0.000f, 0.000f}),
		tiny_cut<Element, 8, 1, 2>({0.51f, 0.177f, 0.11f, 0.10f, 0.07f, 0.025f, 0.000f}),
		tiny_cut<Element, 8, 1, 4>({0.10f, 0.183f, 0.28f, 0.09f, 0.15f, 0.086f, 0.000f}),
#ifndef EPILOGUE_CHAIN
		tma_cut<Element, turned_64_80>(1, {1.93f, 0.150f, 0.54f, 0.27f, 0.00f, 0.067f, 0.021f}),
		tma_cut<Element, turned_64_96>(1, {1.89f, 0.149f, 0.62f, 0.34f, 0.00f, 0.077f, 0.043f}),
		tma_cut<Element, turned_64_112>(1, {1.76f, 0.155f, 0.76f, 0.38f, 0.00f, 0.085f, 0.056f}),
		tma_cut<Element, turned_128_80>(1, {1.81f, 0.205f, 0.88f, 0.48f, 0.00f, 0.086f, 0.023f}),
		tma_cut<Element, turned_128_96>(1, {1.64f, 0.229f, 1.12f, 0.59f, 0.00f, 0.089f, 0.023f}),
		tma_cut<Element, turned_128_112>(1, {1.47f, 0.260f, 1.33f, 0.66f, 0.00f, 0.093f, 0.023f}),
		tma_cut<Element, turned_128_160>(1, {1.49f, 0.344f, 1.68f, 0.78f, 0.00f, 0.094f, 0.058f}),
		tma_cut<Element, turned_128_176>(1, {1.46f, 0.371f, 1.78f, 0.91f, 0.00f, 0.088f, 0.074f}),
		tma_cut<Element, turned_128_192>(1, {1.16f, 0.408f, 2.18f, 0.94f, 0.00f, 0.090f, 0.072f}),
		tma_cut<Element, turned_128_240>(1, {0.48f, 0.515f, 2.44f, 1.72f, 0.00f, 0.081f, 0.115f}),
		tma_cut<Element, turned_256_96>(1, {1.68f, 0.405f, 2.01f, 1.02f, 0.00f, 0.115f, 0.074f}),
		tma_cut<Element, turned_256_176>(1, {0.50f, 0.743f, 3.55f, 2.61f, 0.00f, 0.072f, 0.145f}),
		tma_cut<Element, stacked_192_144>(1, {1.36f, 0.455f, 2.23f, 1.12f, 0.00f, 0.076f, 0.088f}),
		tma_cut<Element, stacked_side_192_160>(
			1, {2.16f, 0.482f, 2.61f, 2.29f, 0.00f, 0.025f, 0.134f}),
		tma_cut<Element, stacked_side_192_192>(
			1, {2.26f, 0.584f, 2.67f, 2.57f, 0.00f, 0.020f, 0.154f}),
		tma_cut<Element, stacked_pair_192_160>(
			1, {2.01f, 0.487f, 2.53f, 2.55f, 0.00f, 0.028f, 0.128f}),
		tma_cut<Element, stacked_pair_192_176>(
			1, {2.35f, 0.523f, 2.57f, 2.72f, 0.00f, 0.022f, 0.149f}),
		tma_cut<Element, turned_128_104>(1, {1.61f, 0.240f, 1.16f, 0.63f, 0.00f, 0.092f, 0.031f}),
		tma_cut<Element, turned_pair_128_80>(1,
											 {2.19f, 0.234f, 0.82f, 0.53f, 0.00f, 0.024f, 0.026f}),
		tma_cut<Element, turned_256_184>(1, {0.98f, 0.771f, 3.33f, 2.47f, 0.00f, 0.056f, 0.170f}),
		tma_cut<Element, turned_side_128_144>(1,
											  {2.34f, 0.289f, 1.09f, 1.17f, 0.00f, 0.038f, 0.085f}),
		tma_cut<Element, turned_pair_128_208>(1,
											  {2.35f, 0.421f, 1.51f, 1.81f, 0.00f, 0.041f, 0.119f}),
		tma_cut<Element, turned_side_128_208>(1,
											  {2.36f, 0.422f, 1.41f, 1.84f, 0.00f, 0.020f, 0.113f}),
		tma_cut<Element, turned_pair_256_112>(1,
											  {2.01f, 0.455f, 1.94f, 2.15f, 0.00f, 0.026f, 0.124f}),
		tma_cut<Element, turned_square_128_144>(
			1, {2.85f, 0.296f, 0.75f, 1.20f, 0.00f, 0.008f, 0.068f}),
		tma_cut<Element, turned_square_128_160>(
			1, {2.61f, 0.335f, 0.98f, 0.94f, 0.00f, 0.009f, 0.073f}),
		tma_cut<Element, turned_64_16>(1, {2.14f, 0.131f, 0.34f, 0.12f, 0.00f, 0.021f, 0.000f}),
		tma_cut<Element, turned_64_32>(1, {2.10f, 0.135f, 0.33f, 0.17f, 0.00f, 0.035f, 0.000f}),
		tma_cut<Element, turned_64_40>(1, {2.08f, 0.138f, 0.35f, 0.20f, 0.00f, 0.039f, 0.000f}),
		tma_cut<Element, turned_64_48>(1, {2.06f, 0.142f, 0.44f, 0.21f, 0.00f, 0.042f, 0.002f}),
		tma_cut<Element, turned_64_56>(1, {2.03f, 0.139f, 0.49f, 0.22f, 0.00f, 0.050f, 0.011f}),
		tma_cut<Element, turned_four_64_96>(1,
											{1.96f, 0.200f, 0.64f, 0.38f, 0.00f, 0.016f, 0.010f}),
		tma_cut<Element, turned_side_64_136>(1,
											 {2.31f, 0.177f, 0.64f, 0.69f, 0.00f, 0.034f, 0.057f}),
		tma_cut<Element, turned_side_four_128_96>(
			1, {2.26f, 0.207f, 0.76f, 0.71f, 0.00f, 0.037f, 0.061f}),
		tma_cut<Element, turned_pair_128_112>(1,
											  {2.07f, 0.247f, 1.06f, 0.77f, 0.00f, 0.039f, 0.056f}),
		tma_cut<Element, turned_side_128_112>(1,
											  {2.04f, 0.250f, 1.00f, 0.82f, 0.00f, 0.055f, 0.058f}),
		tma_cut<Element, turned_four_128_112>(1,
											  {2.17f, 0.241f, 0.99f, 0.77f, 0.00f, 0.017f, 0.051f}),
#ifdef HOPPER_CUT // not measured yet
		tma_cut<Element, class_one256>(1, UNMEASURED),
		tma_cut<Element, class_pair256>(1, UNMEASURED),
		tma_cut<Element, class_wide192>(1, UNMEASURED),
		tma_cut<Element, class_one128>(1, UNMEASURED),
		tma_cut<Element, class_flat128>(1, UNMEASURED),
		tma_cut<Element, class_half64>(1, UNMEASURED),
		tma_cut<Element, class_small64>(1, UNMEASURED),
		tma_cut<Element, class_split128>(2, UNMEASURED),
		tma_cut<Element, class_split128>(4, UNMEASURED),
		tma_cut<Element, class_split64>(2, UNMEASURED),
		tma_cut<Element, class_split64>(3, UNMEASURED),
		tma_cut<Element, class_split64>(4, UNMEASURED),
		tma_cut<Element, class_split64>(6, UNMEASURED),
		tma_cut<Element, class_split64>(8, UNMEASURED),
		tma_cut<Element, class_64_16>(1, UNMEASURED),
		tma_cut<Element, class_64_40>(1, UNMEASURED),
		tma_cut<Element, class_64_80>(1, UNMEASURED),
		tma_cut<Element, class_128_80>(1, UNMEASURED),
		tma_cut<Element, class_128_112>(1, UNMEASURED),
		tma_cut<Element, class_128_160>(1, UNMEASURED),
		tma_cut<Element, class_128_176>(1, UNMEASURED),
		tma_cut<Element, class_side_128_208>(1, UNMEASURED),
		tma_cut<Element, class_stacked_192_144>(1, UNMEASURED),
		tma_cut<Element, class_odd_pair256>(1, UNMEASURED),
		tma_cut<Element, class_odd_one256>(1, UNMEASURED),
		tma_cut<Element, class_odd_square192>(1, UNMEASURED),
		tma_cut<Element, class_odd_wide192>(1, UNMEASURED),
		tma_cut<Element, class_odd_pair160>(1, UNMEASURED),
		tma_cut<Element, class_odd_pair128>(1, UNMEASURED),
		tma_cut<Element, class_odd_one224>(1, UNMEASURED),
		tma_cut<Element, class_odd_half64>(1, UNMEASURED),
		tma_cut<Element, class_odd_flat128>(1, UNMEASURED),
		tma_cut<Element, class_odd_small64>(1, UNMEASURED),
		tma_cut<Element, class_odd_split64>(2, UNMEASURED),
		tma_cut<Element, class_odd_split64>(4, UNMEASURED),
		tma_cut<Element, class_odd_split128>(4, UNMEASURED),
		mixed_cut<Element, mixed64, 1, 2>(1, UNMEASURED),
		mixed_cut<Element, mixed64, 3, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_half64, 1, 2>(1, UNMEASURED),
		mixed_cut<Element, mixed_half64, 2, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_half64, 3, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_tall64, 2, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_one128, 2, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_flat128, 3, 1>(1, UNMEASURED),
		mixed_cut<Element, mixed_split128, 2, 1>(2, UNMEASURED),
		mixed_cut<Element, mixed_split128, 2, 1>(4, UNMEASURED),
		mixed_cut<Element, mixed_split64, 3, 1>(2, UNMEASURED),
		mixed_cut<Element, mixed_split64, 3, 1>(4, UNMEASURED),
		mixed_cut<Element, mixed_split64, 3, 1>(8, UNMEASURED),
		mixed_cut<Element, mixed_split_half64, 3, 1>(2, UNMEASURED),
		mixed_cut<Element, mixed_split_half64, 3, 1>(3, UNMEASURED),
		mixed_cut<Element, mixed_split_half64, 3, 1>(4, UNMEASURED),
		shifted_cut<Element, shifted_split_half64, 3, 1, 1>(4, UNMEASURED),
		shifted_cut<Element, shifted_split_half64, 3, 1, 1>(8, UNMEASURED),
		tma_cut<Element, deep_64_16>(1, UNMEASURED),
		tma_cut<Element, deep_64_32>(1, UNMEASURED),
		tma_cut<Element, deep_64_40>(1, UNMEASURED),
		tma_cut<Element, deep_64_48>(1, UNMEASURED),
		tma_cut<Element, deep_64_80>(1, UNMEASURED),
		tma_cut<Element, deep_64_96>(1, UNMEASURED),
		tma_cut<Element, deep_64_112>(1, UNMEASURED),
		tma_cut<Element, deep_128_80>(1, UNMEASURED),
		tma_cut<Element, deep_128_112>(1, UNMEASURED),
		tma_cut<Element, deep_small64>(1, UNMEASURED),
		tma_cut<Element, deep_half64>(1, UNMEASURED),
		tma_cut<Element, deep_flat128>(1, UNMEASURED),
		tma_cut<Element, deep_one128>(1, UNMEASURED),
		tma_cut<Element, deep_four64>(1, UNMEASURED),
		tma_cut<Element, deep_split64>(2, UNMEASURED),
		tma_cut<Element, deep_split64>(3, UNMEASURED),
		tma_cut<Element, deep_split64>(4, UNMEASURED),
		tma_cut<Element, deep_split64>(6, UNMEASURED),
		tma_cut<Element, deep_split64>(8, UNMEASURED),
		tma_cut<Element, deep_split_half64>(3, UNMEASURED),
		tma_cut<Element, deep_split_half64>(4, UNMEASURED),
		tma_cut<Element, deeper_64_16>(1, UNMEASURED),
		tma_cut<Element, deeper_split64>(2, UNMEASURED),
		tma_cut<Element, deeper_split64>(4, UNMEASURED),
		tma_cut<Element, deep_split_flat128>(3, UNMEASURED),
		tma_cut<Element, deep_split_flat128>(4, UNMEASURED),
#endif
#endif
	};
	return cuts;
}

template <class Element>
static const cut<Element> &cut_choose(const hopper_device &device, const problem<Element> &p)
{
	const auto &cuts = hopper_cuts<Element>();
#ifdef HOPPER_CUT // this one wherever it fits, to measure and judge it alone
	static_assert(HOPPER_CUT < sizeof cuts / sizeof *cuts, "HOPPER_CUT: no such cut");
	if (cut_fits(device, cuts[HOPPER_CUT], p))
		return cuts[HOPPER_CUT];
#endif
	const cut<Element> *best = NULL;
	float best_time = 0.0f;
	for (const cut<Element> &c : cuts) {
		if (!cut_fits(device, c, p))
			continue;
		float time = cut_time(device, c, p);
		if (best && time >= best_time)
			continue;
		float least = least_time(c, p);
		time = time < least ? least : time;
		if (!best || time < best_time) {
			best_time = time;
			best = &c;
		}
	}
	return *best;
}

template <class Element>
static void hopper_solve(const Element *A, const Element *B, Element *C, int M, int N, int K,
						 float alpha, float beta)
{
	hopper_device &device = hopper_get();
	problem<Element> p(A, B, M, N, K, beta != 0.0f, epilogue_make(C, M, N, alpha, beta));

#ifndef EPILOGUE_CHAIN // of a chain, nobody knows what it does with zeros
	if (alpha == 0.0f)
		return scale_launch(device, p, beta);
#endif
	const cut<Element> &chosen = cut_choose(device, p);
	chosen.launch(device, p, chosen.splits);
}

#endif
