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
	float slow_step; // more for a step, for each operand whose rows do not start at sectors
	float busy_step; // more for a step while all others work too
};

/* Of a cut that tools/cost-model has not measured yet; nobody chooses it. */
static constexpr cut_times UNMEASURED = {INFINITY};

/* Copying odd operands before TMA reads them, besides the blocks' meeting. */
static constexpr float COPY_MEGABYTE = 0.52f;

/* Which problems a cut can do, and how its time goes: aligned ones, by TMA; odd ones that
 * are copied first; odd ones that are shifted on the way; those of small blocks. */
enum family { FAMILY_TMA, FAMILY_COPIED, FAMILY_SHIFTED, FAMILY_SMALL };

template <class Element> struct cut {
	void (*launch)(hopper_device &device, const problem<Element> &p, int splits);
	enum family family;
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

template <class Element, class config>
static constexpr cut<Element> tma_cut(int splits, cut_times us)
{
	return {HOPPER_LAUNCH(tma_launch<Element, config>),
			config::ODD ? FAMILY_COPIED : FAMILY_TMA,
			config::BM * config::UP,
			config::BN * config::ACROSS,
			BK,
			splits,
			config::SHARERS * splits,
			1,
			us};
}

template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
static constexpr cut<Element> shifted_cut(int splits, cut_times us)
{
	return {HOPPER_LAUNCH(shifted_launch<Element, config, PRODUCERS, DEEP, BLOCKS>),
			FAMILY_SHIFTED,
			config::BM,
			config::BN,
			BK,
			splits,
			splits,
			BLOCKS,
			us};
}

template <class Element, int WARPS, int STEPS, int BN>
static constexpr cut<Element> tiny_cut(cut_times us)
{
	using config = tiny_config<WARPS, STEPS, BN, 1, 1>;
	return {HOPPER_LAUNCH(tiny_launch<Element, WARPS, STEPS, BN>),
			FAMILY_SMALL,
			config::ROWS,
			config::COLUMNS,
			config::DEPTH * WARPS,
			1,
			1,
			3,
			us};
}

template <class Element, int BN> static constexpr cut<Element> shallow_cut(cut_times us)
{
	using config = shallow_config<BN, 1, 1>;
	return {HOPPER_LAUNCH(shallow_launch<Element, BN>),
			FAMILY_SMALL,
			config::BM,
			config::BN,
			config::DEPTH,
			1,
			1,
			4,
			us};
}

template <class Element>
static long long cut_tiles(const cut<Element> &c, const problem<Element> &p)
{
	return (long long)((p.M + c.rows - 1) / c.rows) * ((p.N + c.columns - 1) / c.columns);
}

/* Whether a cut can do this problem, and its times are of any use there. */
template <class Element>
static bool cut_fits(const hopper_device &device, const cut<Element> &c, const problem<Element> &p)
{
	if (c.splits > (p.K + BK - 1) / BK)
		return false;
	switch (c.family) {
	case FAMILY_TMA: return !p.odd();
	case FAMILY_COPIED: // blocks wait for each other, and those of a split have one tile
		return p.odd() && (c.splits == 1 || cut_tiles(c, p) <= device.clusters[c.cluster]);
	case FAMILY_SHIFTED: // its words are aligned
		return (uintptr_t)p.A % 16 == 0 && (uintptr_t)p.B % 16 == 0;
	case FAMILY_SMALL: // its indices have 32 bits
		return p.K <= 1024 && p.M < 1 << 20 && p.N < 1 << 20;
	}
	return false;
}

template <class Element>
static float cut_time(const hopper_device &device, const cut<Element> &c, const problem<Element> &p)
{
	int steps = (p.K + c.depth - 1) / c.depth, longest = (steps + c.splits - 1) / c.splits;
	float rounds = (float)cut_tiles(c, p) / (float)device.clusters[c.cluster], copy = 0.0f;
	float busy = rounds / ceilf(rounds); // of all multiprocessors, on the average
	int slow = 0;
	switch (c.family) {
	case FAMILY_TMA: // persistent: rounds are whole
		rounds = ceilf(rounds);
		slow = (p.K % 16 != 0) + (p.N % 16 != 0);
		break;
	case FAMILY_COPIED: {
		rounds = ceilf(rounds);
		long long copied =
			(p.odd_a() ? (long long)p.M * p.K : 0) + (p.odd_b() ? (long long)p.K * p.N : 0);
		copy = COPY_MEGABYTE * copied * sizeof(Element) * 1e-6f;
		break;
	}
	case FAMILY_SHIFTED:
		rounds = ceilf(rounds / (float)c.blocks);
		slow = p.odd();
		break;
	case FAMILY_SMALL: // waits for memory, as often as a block's steps; others are done meanwhile
		rounds += (float)c.blocks;
		slow = p.odd();
	}
	float step = c.us.step + busy * (c.us.busy_step + slow * c.us.slow_step);
	float tile = (p.reads_c ? c.us.reads_c : 0.0f) + (p.N % 4 != 0 ? c.us.ragged : 0.0f);
	if (c.family != FAMILY_COPIED || c.splits == 1) // those have one tile: it is in `launch`
		tile += c.us.tile;
	return c.us.launch + copy + rounds * (longest * step + tile);
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
	using pair128 = gemm_config<2, 128, 2, 1, 1, false>;
	using one128 = gemm_config<2, 128, 1, 1, 1, false>;
	using half64 = gemm_config<2, 64, 1, 1, 1, false>;
	using flat128 = gemm_config<1, 128, 2, 1, 1, false>;
	using flat_one128 = gemm_config<1, 128, 1, 1, 1, false>;
	using small64 = gemm_config<1, 64, 1, 1, 1, false>;
	using flat192 = gemm_config<1, 192, 1, 1, 1, false>;
	using flat256 = gemm_config<1, 256, 1, 1, 1, false>;
	using pair160 = gemm_config<2, 160, 2, 1, 1, false>;
	using pair224 = gemm_config<2, 224, 2, 1, 1, false>;
	using side128 = gemm_config<2, 128, 1, 2, 1, false>;
	using square192 = gemm_config<2, 192, 2, 2, 1, false>;
	using tall160 = gemm_config<2, 160, 1, 1, 1, false, 8, 2>;
	using tall_pair160 = gemm_config<2, 160, 2, 1, 1, false, 8, 2>;
	using tall128 = gemm_config<2, 128, 1, 1, 1, false, 8, 2>;
	using tall_side128 = gemm_config<2, 128, 1, 2, 1, false, 8, 2>;
	using split192 = gemm_config<2, 192, 1, 1, 2, false>;
	using split128 = gemm_config<2, 128, 1, 1, 4, false>;
	using split_flat128 = gemm_config<1, 128, 1, 1, 4, false>;
	using split_half64 = gemm_config<2, 64, 1, 1, 4, false>;
	using split64 = gemm_config<1, 64, 1, 1, 8, false>;
	using odd_pair256 = gemm_config<2, 256, 2, 1, 1, ODD>;
	using odd_one256 = gemm_config<2, 256, 1, 1, 1, ODD>;
	using odd_square192 = gemm_config<2, 192, 2, 2, 1, ODD>;
	using odd_wide192 = gemm_config<2, 192, 1, 1, 1, ODD>;
	using odd_pair128 = gemm_config<2, 128, 2, 1, 1, ODD>;
	using odd_half64 = gemm_config<2, 64, 1, 1, 1, ODD>;
	using odd_flat128 = gemm_config<1, 128, 2, 1, 1, ODD>;
	using odd_small64 = gemm_config<1, 64, 1, 1, 1, ODD>;
	using odd_split128 = gemm_config<2, 128, 1, 1, 4, ODD>;
	using odd_split64 = gemm_config<1, 64, 1, 1, 4, ODD>;
	using shifted64 = gemm_config<1, 64, 1, 1, 1, ODD, 4>;
	using shifted_split64 = gemm_config<1, 64, 1, 1, 8, ODD, 4>;
#ifdef HOPPER_CUT
	using flat96 = gemm_config<1, 96, 1, 1, 1, false, 8, 1, 32>;
	using flat160 = gemm_config<1, 160, 1, 1, 1, false, 8, 1, 32>;
	using flat224 = gemm_config<1, 224, 1, 1, 1, false, 8, 1, 32>;
	using flat_pair160 = gemm_config<1, 160, 2, 1, 1, false, 8, 1, 32>;
	using one96 = gemm_config<2, 96, 1, 1, 1, false, 8, 1, 32>;
	using pair96 = gemm_config<2, 96, 2, 1, 1, false, 8, 1, 32>;
	using tall96 = gemm_config<2, 96, 1, 1, 1, false, 8, 2, 32>;
	using exact_pair160 = gemm_config<2, 160, 2, 1, 1, false, 8, 1, 32>;
	using exact_pair224 = gemm_config<2, 224, 2, 1, 1, false, 8, 1, 32>;
	using exact_tall160 = gemm_config<2, 160, 1, 1, 1, false, 8, 2, 32>;
	using exact_tall_pair160 = gemm_config<2, 160, 2, 1, 1, false, 8, 2, 32>;
	using exact_tall_side160 = gemm_config<2, 160, 1, 2, 1, false, 8, 2, 32>;
	using exact_square160 = gemm_config<2, 160, 2, 2, 1, false, 8, 1, 32>;
	using exact_square224 = gemm_config<2, 224, 2, 2, 1, false, 8, 1, 32>;
#endif
	static const cut<Element> cuts[] = {
		tma_cut<Element, pair256>(1, {0.00f, 0.555f, 2.83f, 1.40f, 0.00f, 0.037f, 0.104f}),
		tma_cut<Element, pair192>(1, {0.79f, 0.417f, 1.93f, 1.21f, 0.00f, 0.031f, 0.080f}),
		tma_cut<Element, wide192>(1, {0.49f, 0.437f, 1.81f, 1.07f, 0.00f, 0.093f, 0.052f}),
		tma_cut<Element, pair128>(1, {1.45f, 0.283f, 1.16f, 0.96f, 0.00f, 0.061f, 0.065f}),
		tma_cut<Element, half64>(1, {1.41f, 0.218f, 0.62f, 0.62f, 0.00f, 0.096f, 0.051f}),
		tma_cut<Element, flat128>(1, {1.71f, 0.203f, 0.77f, 0.67f, 0.00f, 0.027f, 0.028f}),
		tma_cut<Element, small64>(1, {1.51f, 0.176f, 0.48f, 0.43f, 0.00f, 0.042f, 0.000f}),
		tma_cut<Element, one256>(1, {0.00f, 0.552f, 2.49f, 1.31f, 0.00f, 0.106f, 0.111f}),
		tma_cut<Element, one128>(1, {0.84f, 0.310f, 1.21f, 0.94f, 0.00f, 0.120f, 0.028f}),
		tma_cut<Element, flat_one128>(1, {1.20f, 0.222f, 0.79f, 0.64f, 0.00f, 0.082f, 0.000f}),
		tma_cut<Element, flat192>(1, {1.04f, 0.273f, 1.18f, 0.74f, 0.00f, 0.135f, 0.018f}),
		tma_cut<Element, flat256>(1, {0.76f, 0.335f, 1.55f, 0.93f, 0.00f, 0.151f, 0.024f}),
		tma_cut<Element, pair160>(1, {1.09f, 0.350f, 1.71f, 1.09f, 0.00f, 0.049f, 0.098f}),
		tma_cut<Element, pair224>(1, {0.30f, 0.513f, 2.59f, 1.43f, 0.00f, 0.047f, 0.099f}),
		tma_cut<Element, side128>(1, {1.27f, 0.293f, 1.09f, 1.06f, 0.00f, 0.063f, 0.056f}),
		tma_cut<Element, square192>(1, {0.86f, 0.427f, 1.84f, 1.12f, 0.00f, 0.012f, 0.047f}),
		tma_cut<Element, tall160>(1, {0.00f, 0.695f, 3.60f, 1.17f, 0.00f, 0.108f, 0.193f}),
		tma_cut<Element, tall_pair160>(1, {0.00f, 0.675f, 3.81f, 1.48f, 0.00f, 0.044f, 0.227f}),
		tma_cut<Element, tall128>(1, {0.00f, 0.544f, 2.48f, 1.37f, 0.00f, 0.087f, 0.159f}),
		tma_cut<Element, tall_side128>(1, {0.00f, 0.548f, 2.55f, 1.60f, 0.00f, 0.032f, 0.145f}),
		tma_cut<Element, split192>(2, {0.36f, 0.525f, 4.71f, 0.24f, 0.00f, 0.087f, 0.054f}),
		tma_cut<Element, split128>(2, {0.62f, 0.318f, 3.61f, 0.27f, 0.00f, 0.082f, 0.096f}),
		tma_cut<Element, split128>(3, {0.80f, 0.318f, 3.77f, 0.16f, 0.00f, 0.128f, 0.125f}),
		tma_cut<Element, split128>(4, {0.67f, 0.326f, 4.08f, 0.14f, 0.00f, 0.071f, 0.122f}),
		tma_cut<Element, split_half64>(3, {1.12f, 0.227f, 2.52f, 0.09f, 0.00f, 0.106f, 0.134f}),
		tma_cut<Element, split_half64>(4, {0.89f, 0.237f, 3.11f, 0.03f, 0.00f, 0.067f, 0.100f}),
		tma_cut<Element, split64>(2, {1.23f, 0.160f, 1.73f, 0.10f, 0.00f, 0.025f, 0.075f}),
		tma_cut<Element, split64>(3, {0.95f, 0.154f, 2.06f, 0.07f, 0.00f, 0.031f, 0.066f}),
		tma_cut<Element, split64>(4, {0.83f, 0.154f, 2.40f, 0.00f, 0.00f, 0.028f, 0.068f}),
		tma_cut<Element, split64>(5, {1.42f, 0.123f, 2.07f, 0.00f, 0.00f, 0.065f, 0.129f}),
		tma_cut<Element, split64>(6, {1.02f, 0.116f, 2.70f, 0.00f, 0.00f, 0.015f, 0.127f}),
		tma_cut<Element, split64>(8, {1.00f, 0.113f, 3.02f, 0.02f, 0.00f, 0.045f, 0.132f}),
		tma_cut<Element, split_flat128>(3, {0.71f, 0.206f, 2.82f, 0.20f, 0.00f, 0.063f, 0.088f}),
		tma_cut<Element, split_flat128>(4, {0.84f, 0.204f, 2.75f, 0.15f, 0.00f, 0.044f, 0.121f}),
		tma_cut<Element, odd_pair256>(1, {3.88f, 0.512f, 3.78f, 2.66f, 1.20f, 0.000f, 0.130f}),
		tma_cut<Element, odd_one256>(1, {4.49f, 0.518f, 3.76f, 2.97f, 1.14f, 0.000f, 0.127f}),
		tma_cut<Element, odd_square192>(1, {4.53f, 0.379f, 2.54f, 2.14f, 1.09f, 0.000f, 0.089f}),
		tma_cut<Element, odd_wide192>(1, {5.54f, 0.380f, 2.55f, 2.51f, 0.65f, 0.000f, 0.121f}),
		tma_cut<Element, odd_pair128>(1, {5.65f, 0.258f, 1.44f, 1.63f, 0.83f, 0.000f, 0.106f}),
		tma_cut<Element, odd_half64>(1, {6.12f, 0.236f, 0.64f, 0.92f, 0.84f, 0.000f, 0.057f}),
		tma_cut<Element, odd_flat128>(1, {5.66f, 0.193f, 1.19f, 0.99f, 0.21f, 0.000f, 0.030f}),
		tma_cut<Element, odd_small64>(1, {6.27f, 0.165f, 0.66f, 0.56f, 0.27f, 0.000f, 0.000f}),
		tma_cut<Element, odd_split64>(2, {7.39f, 0.149f, 0.00f, 0.00f, 0.52f, 0.000f, 0.084f}),
		tma_cut<Element, odd_split64>(4, {6.01f, 0.271f, 0.00f, 0.00f, 1.27f, 0.000f, 0.000f}),
		tma_cut<Element, odd_split128>(4, {9.29f, 0.222f, 0.00f, 0.13f, 0.00f, 0.000f, 0.285f}),
		shifted_cut<Element, shifted64, 1, 2, 2>(
			1, {0.72f, 1.131f, 0.89f, 0.73f, 0.92f, 0.081f, 0.000f}),
		shifted_cut<Element, shifted64, 3, 2, 1>(
			1, {1.23f, 0.480f, 1.08f, 0.58f, 0.53f, 0.060f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			2, {1.88f, 0.502f, 1.07f, 0.99f, 1.10f, 0.047f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			4, {1.60f, 0.512f, 1.79f, 0.79f, 0.94f, 0.036f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			8, {0.97f, 0.525f, 2.52f, 0.89f, 1.09f, 0.008f, 0.000f}),
		shallow_cut<Element, 64>({0.14f, 0.150f, 0.35f, 0.18f, 0.26f, 0.034f, 0.000f}),
		shallow_cut<Element, 128>({0.00f, 0.180f, 0.33f, 0.32f, 0.65f, 0.055f, 0.044f}),
		tiny_cut<Element, 8, 1, 2>({0.55f, 0.180f, 0.09f, 0.10f, 0.09f, 0.017f, 0.000f}),
		tiny_cut<Element, 8, 1, 4>({0.18f, 0.180f, 0.26f, 0.09f, 0.19f, 0.053f, 0.000f}),
#ifdef HOPPER_CUT // not measured yet
		tma_cut<Element, flat96>(1, UNMEASURED),
		tma_cut<Element, flat160>(1, UNMEASURED),
		tma_cut<Element, flat224>(1, UNMEASURED),
		tma_cut<Element, flat_pair160>(1, UNMEASURED),
		tma_cut<Element, one96>(1, UNMEASURED),
		tma_cut<Element, pair96>(1, UNMEASURED),
		tma_cut<Element, tall96>(1, UNMEASURED),
		tma_cut<Element, exact_pair160>(1, UNMEASURED),
		tma_cut<Element, exact_pair224>(1, UNMEASURED),
		tma_cut<Element, exact_tall160>(1, UNMEASURED),
		tma_cut<Element, exact_tall_pair160>(1, UNMEASURED),
		tma_cut<Element, exact_tall_side160>(1, UNMEASURED),
		tma_cut<Element, exact_square160>(1, UNMEASURED),
		tma_cut<Element, exact_square224>(1, UNMEASURED),
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
	problem<Element> p = {A, B, M, N, K, beta != 0.0f, epilogue_make(C, M, N, alpha, beta)};

#ifndef EPILOGUE_CHAIN // of a chain, nobody knows what it does with zeros
	if (alpha == 0.0f)
		return scale_launch(device, p, beta);
#endif
	const cut<Element> &chosen = cut_choose(device, p);
	chosen.launch(device, p, chosen.splits);
}

#endif
