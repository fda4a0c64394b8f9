/* Host side: the choice of a way to cut the work, by a model of what each costs. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include <math.h>

#include "launch.cuh"

/* Microseconds on an H200, fitted by tools/cost-model to medians of shapes that the judge
 * drew: aligned cuts to 52 shapes, the others to 117 earlier ones. NOTES.md has how well
 * they do, and what has changed since. */
struct cut_times {
	float launch;    // once
	float step;      // of `depth` along K, in each round of tiles
	float tile;      // besides, in each round
	float reads_c;   // besides, when the epilogue reads C
	float ragged;    // besides, when N is no multiple of 4
	float slow_step; // more for a step, for each operand whose rows do not start at sectors
};

static constexpr cut_times UNMEASURED = {INFINITY};

/* Copying odd operands before TMA reads them, besides the blocks' meeting. */
static constexpr float COPY_MEGABYTE = 0.53f;

/* Which problems a cut can do, and how its time goes: aligned ones, by TMA; odd ones that
 * are copied first; odd ones that are shifted on the way; small ones. */
enum family { FAMILY_TMA, FAMILY_COPIED, FAMILY_SHIFTED, FAMILY_TINY };

template <class Element> struct cut {
	void (*launch)(hopper_device &device, const problem<Element> &p, int splits);
	enum family family;
	int rows, columns, depth; // of a tile, or of a pair of tiles with multicast
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
			config::BM * config::SHARERS,
			config::BN,
			BK,
			splits,
			config::SHARERS * splits,
			config::BLOCKS,
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
			FAMILY_TINY,
			config::ROWS,
			config::COLUMNS,
			config::DEPTH * WARPS,
			1,
			1,
			3,
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
	case FAMILY_TINY: // its indices have 32 bits
		return p.K <= 1024 && p.M < 1 << 20 && p.N < 1 << 20;
	}
	return false;
}

template <class Element>
static float cut_time(const hopper_device &device, const cut<Element> &c, const problem<Element> &p)
{
	int steps = (p.K + c.depth - 1) / c.depth, longest = (steps + c.splits - 1) / c.splits;
	float room = (float)(device.clusters[c.cluster] * c.blocks);
	float rounds = cut_tiles(c, p) / room, copy = 0.0f;
	int slow = 0;
	switch (c.family) {
	case FAMILY_TMA:
		rounds = ceilf(rounds); // persistent: rounds are whole
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
	case FAMILY_TINY: slow = p.odd();
	}
	float step = c.us.step + slow * c.us.slow_step;
	float tile = (p.reads_c ? c.us.reads_c : 0.0f) + (p.N % 4 != 0 ? c.us.ragged : 0.0f);
	if (c.family != FAMILY_COPIED || c.splits == 1) // those have one tile: it is in `launch`
		tile += c.us.tile;
	return c.us.launch + copy + fmaxf(rounds, 1.0f) * (longest * step + tile);
}

/* All cuts. tools/cost-model fits their times, and calls them by their place here. */
template <class Element> static const auto &hopper_cuts(void)
{
	constexpr bool ODD = true;
	/* consumers, columns, blocks that share B, or at most share a tile */
	using pair256 = gemm_config<2, 256, 2, 1, false>;
	using one256 = gemm_config<2, 256, 1, 1, false>;
	using tall192 = gemm_config<3, 192, 2, 1, false>;
	using pair192 = gemm_config<2, 192, 2, 1, false>;
	using wide192 = gemm_config<2, 192, 1, 1, false>;
	using tall128 = gemm_config<3, 128, 2, 1, false>;
	using pair128 = gemm_config<2, 128, 2, 1, false>;
	using one128 = gemm_config<2, 128, 1, 1, false>;
	using half64 = gemm_config<2, 64, 1, 1, false>;
	using flat128 = gemm_config<1, 128, 2, 1, false>;
	using flat_one128 = gemm_config<1, 128, 1, 1, false>;
	using small64 = gemm_config<1, 64, 1, 1, false>;
	using split256 = gemm_config<2, 256, 1, 4, false>;
	using split192 = gemm_config<2, 192, 1, 4, false>;
	using split128 = gemm_config<2, 128, 1, 6, false>;
	using split_flat128 = gemm_config<1, 128, 1, 4, false>;
	using split_half64 = gemm_config<2, 64, 1, 8, false>;
	using split64 = gemm_config<1, 64, 1, 8, false>;
	using odd_pair256 = gemm_config<2, 256, 2, 1, ODD>;
	using odd_wide192 = gemm_config<2, 192, 1, 1, ODD>;
	using odd_pair128 = gemm_config<2, 128, 2, 1, ODD>;
	using odd_half64 = gemm_config<2, 64, 1, 1, ODD>;
	using odd_flat128 = gemm_config<1, 128, 2, 1, ODD>;
	using odd_small64 = gemm_config<1, 64, 1, 1, ODD>;
	using odd_split128 = gemm_config<2, 128, 1, 4, ODD>;
	using odd_split64 = gemm_config<1, 64, 1, 4, ODD>;
	using deep256 = gemm_config<2, 256, 2, 1, false, 8, 1, 2>;
	using deep192 = gemm_config<3, 192, 2, 1, false, 8, 1, 1>;
	using two128 = gemm_config<2, 128, 1, 1, false, 8, 2, 1>;
	using two_pair128 = gemm_config<2, 128, 2, 1, false, 8, 2, 1>;
	using two_half64 = gemm_config<2, 64, 1, 1, false, 8, 2, 1>;
	using two_flat128 = gemm_config<1, 128, 1, 1, false, 8, 2, 1>;
	using two_small64 = gemm_config<1, 64, 1, 1, false, 8, 2, 1>;
	using shifted64 = gemm_config<1, 64, 1, 1, ODD, 4>;
	using shifted_split64 = gemm_config<1, 64, 1, 8, ODD, 4>;
	static const cut<Element> cuts[] = {
		tma_cut<Element, pair256>(1, {0.00f, 0.594f, 3.19f, 1.79f, 0.00f, 0.025f}),
		tma_cut<Element, tall192>(1, {0.00f, 0.670f, 3.17f, 1.84f, 0.00f, 0.049f}),
		tma_cut<Element, pair192>(1, {0.00f, 0.449f, 3.05f, 1.12f, 0.00f, 0.018f}),
		tma_cut<Element, wide192>(1, {0.00f, 0.451f, 2.68f, 0.95f, 0.00f, 0.048f}),
		tma_cut<Element, tall128>(1, {0.07f, 0.458f, 2.98f, 0.97f, 0.00f, 0.033f}),
		tma_cut<Element, pair128>(1, {0.61f, 0.308f, 2.29f, 0.78f, 0.00f, 0.038f}),
		tma_cut<Element, half64>(1, {0.49f, 0.228f, 1.61f, 0.32f, 0.00f, 0.073f}),
		tma_cut<Element, flat128>(1, {1.35f, 0.201f, 1.13f, 0.91f, 0.00f, 0.029f}),
		tma_cut<Element, small64>(1, {1.17f, 0.160f, 0.91f, 0.48f, 0.00f, 0.045f}),
		tma_cut<Element, split256>(2, {0.00f, 0.637f, 6.44f, 0.61f, 0.00f, 0.071f}),
		tma_cut<Element, split192>(2, {0.00f, 0.498f, 5.51f, 0.50f, 0.00f, 0.066f}),
		tma_cut<Element, split128>(2, {0.27f, 0.374f, 4.31f, 0.41f, 0.00f, 0.070f}),
		tma_cut<Element, split128>(4, {0.51f, 0.398f, 5.20f, 0.38f, 0.00f, 0.090f}),
		tma_cut<Element, split_half64>(2, {0.59f, 0.289f, 3.18f, 0.25f, 0.00f, 0.064f}),
		tma_cut<Element, split_half64>(4, {0.70f, 0.325f, 3.93f, 0.20f, 0.00f, 0.060f}),
		tma_cut<Element, split64>(2, {0.89f, 0.198f, 2.52f, 0.31f, 0.00f, 0.038f}),
		tma_cut<Element, split64>(4, {0.79f, 0.195f, 3.28f, 0.27f, 0.00f, 0.037f}),
		tma_cut<Element, split64>(8, {0.89f, 0.200f, 4.17f, 0.16f, 0.00f, 0.035f}),
		tma_cut<Element, odd_pair256>(1, {5.12f, 0.581f, 3.65f, 2.70f, 1.82f, 0.000f}),
		tma_cut<Element, odd_wide192>(1, {5.52f, 0.435f, 2.60f, 2.68f, 1.82f, 0.000f}),
		tma_cut<Element, odd_pair128>(1, {6.06f, 0.311f, 1.77f, 1.50f, 0.74f, 0.000f}),
		tma_cut<Element, odd_half64>(1, {6.39f, 0.244f, 0.83f, 1.34f, 0.92f, 0.000f}),
		tma_cut<Element, odd_flat128>(1, {6.62f, 0.197f, 1.01f, 1.24f, 0.97f, 0.000f}),
		tma_cut<Element, odd_small64>(1, {6.69f, 0.153f, 0.47f, 1.14f, 0.89f, 0.000f}),
		tma_cut<Element, odd_split64>(2, {8.21f, 0.204f, 0.00f, 0.54f, 0.00f, 0.000f}),
		tma_cut<Element, odd_split64>(4, {9.10f, 0.170f, 0.00f, 0.39f, 0.15f, 0.000f}),
		shifted_cut<Element, shifted64, 1, 2, 2>(1, {0.82f, 1.203f, 1.56f, 1.20f, 0.53f, 0.072f}),
		shifted_cut<Element, shifted64, 3, 2, 1>(1, {1.42f, 0.485f, 1.86f, 1.03f, 0.52f, 0.102f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			8, {0.00f, 0.632f, 6.13f, 0.85f, 0.00f, 0.000f}),
		tiny_cut<Element, 8, 1, 2>({1.20f, 0.608f, 0.46f, 0.16f, 0.00f, 0.087f}),
		tiny_cut<Element, 8, 1, 4>({1.02f, 0.638f, 1.08f, 0.24f, 0.08f, 0.156f}),
#ifdef HOPPER_CUT // not measured yet, and so chosen by nobody
		tma_cut<Element, one256>(1, UNMEASURED),
		tma_cut<Element, one128>(1, UNMEASURED),
		tma_cut<Element, flat_one128>(1, UNMEASURED),
		tma_cut<Element, split256>(3, UNMEASURED),
		tma_cut<Element, split256>(4, UNMEASURED),
		tma_cut<Element, split192>(3, UNMEASURED),
		tma_cut<Element, split192>(4, UNMEASURED),
		tma_cut<Element, split128>(3, UNMEASURED),
		tma_cut<Element, split128>(6, UNMEASURED),
		tma_cut<Element, split_flat128>(2, UNMEASURED),
		tma_cut<Element, split_flat128>(4, UNMEASURED),
		tma_cut<Element, split_half64>(6, UNMEASURED),
		tma_cut<Element, split_half64>(8, UNMEASURED),
		tma_cut<Element, split64>(6, UNMEASURED),
		tma_cut<Element, odd_split128>(2, UNMEASURED),
		tma_cut<Element, odd_split128>(4, UNMEASURED),
		tma_cut<Element, two128>(1, UNMEASURED),
		tma_cut<Element, two_pair128>(1, UNMEASURED),
		tma_cut<Element, two_half64>(1, UNMEASURED),
		tma_cut<Element, two_flat128>(1, UNMEASURED),
		tma_cut<Element, two_small64>(1, UNMEASURED),
		tma_cut<Element, deep256>(1, UNMEASURED),
		tma_cut<Element, deep192>(1, UNMEASURED),
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
