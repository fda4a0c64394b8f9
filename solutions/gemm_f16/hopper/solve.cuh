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
};

/* Of a cut that tools/cost-model has not measured yet; nobody chooses it. */
static constexpr cut_times UNMEASURED = {INFINITY};

/* Copying odd operands before TMA reads them, besides the blocks' meeting. */
static constexpr float COPY_MEGABYTE = 0.56f;

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
	float step = c.us.step + slow * c.us.slow_step;
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
	using flat192 = gemm_config<1, 192, 1, 1, 1, false>;
	using flat224 = gemm_config<1, 224, 1, 1, 1, false, 8, 1, 32>;
	using flat256 = gemm_config<1, 256, 1, 1, 1, false>;
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
		tma_cut<Element, pair256>(1, {0.00f, 0.629f, 2.83f, 1.32f, 0.00f, 0.026f}),
		tma_cut<Element, pair192>(1, {0.50f, 0.470f, 2.07f, 1.22f, 0.00f, 0.026f}),
		tma_cut<Element, wide192>(1, {0.24f, 0.471f, 1.93f, 1.08f, 0.00f, 0.061f}),
		tma_cut<Element, pair128>(1, {1.14f, 0.327f, 1.29f, 1.00f, 0.00f, 0.033f}),
		tma_cut<Element, half64>(1, {1.19f, 0.239f, 0.72f, 0.70f, 0.00f, 0.052f}),
		tma_cut<Element, flat128>(1, {1.56f, 0.221f, 0.83f, 0.71f, 0.00f, 0.012f}),
		tma_cut<Element, small64>(1, {1.45f, 0.172f, 0.51f, 0.45f, 0.00f, 0.026f}),
		tma_cut<Element, one256>(1, {0.00f, 0.629f, 2.49f, 1.25f, 0.00f, 0.064f}),
		tma_cut<Element, one128>(1, {0.62f, 0.326f, 1.30f, 0.99f, 0.00f, 0.071f}),
		tma_cut<Element, flat_one128>(1, {1.09f, 0.219f, 0.83f, 0.68f, 0.00f, 0.048f}),
		tma_cut<Element, pair160>(1, {0.69f, 0.414f, 1.88f, 1.15f, 0.00f, 0.028f}),
		tma_cut<Element, pair224>(1, {0.00f, 0.584f, 2.74f, 1.43f, 0.00f, 0.033f}),
		tma_cut<Element, side128>(1, {0.99f, 0.330f, 1.21f, 1.10f, 0.00f, 0.037f}),
		tma_cut<Element, square192>(1, {0.69f, 0.461f, 1.91f, 1.14f, 0.00f, 0.011f}),
		tma_cut<Element, tall160>(1, {0.00f, 0.820f, 3.67f, 0.94f, 0.00f, 0.094f}),
		tma_cut<Element, tall_pair160>(1, {0.00f, 0.818f, 3.94f, 1.21f, 0.00f, 0.061f}),
		tma_cut<Element, tall128>(1, {0.00f, 0.654f, 2.48f, 1.24f, 0.00f, 0.068f}),
		tma_cut<Element, tall_side128>(1, {0.00f, 0.652f, 2.54f, 1.49f, 0.00f, 0.030f}),
		tma_cut<Element, split192>(2, {0.00f, 0.555f, 4.95f, 0.24f, 0.00f, 0.055f}),
		tma_cut<Element, split128>(2, {0.02f, 0.375f, 3.98f, 0.34f, 0.00f, 0.034f}),
		tma_cut<Element, split128>(3, {0.00f, 0.395f, 4.20f, 0.26f, 0.00f, 0.041f}),
		tma_cut<Element, split128>(4, {0.00f, 0.377f, 4.58f, 0.18f, 0.00f, 0.033f}),
		tma_cut<Element, split_half64>(3, {0.31f, 0.289f, 3.15f, 0.05f, 0.00f, 0.045f}),
		tma_cut<Element, split_half64>(4, {0.02f, 0.262f, 3.80f, 0.05f, 0.00f, 0.040f}),
		tma_cut<Element, split64>(2, {0.74f, 0.194f, 2.12f, 0.14f, 0.00f, 0.004f}),
		tma_cut<Element, split64>(3, {0.47f, 0.171f, 2.51f, 0.04f, 0.00f, 0.029f}),
		tma_cut<Element, split64>(4, {0.32f, 0.166f, 2.88f, 0.00f, 0.00f, 0.027f}),
		tma_cut<Element, split64>(5, {0.54f, 0.150f, 2.88f, 0.00f, 0.00f, 0.056f}),
		tma_cut<Element, split64>(6, {0.29f, 0.129f, 3.49f, 0.00f, 0.00f, 0.030f}),
		tma_cut<Element, split64>(8, {0.34f, 0.117f, 3.70f, 0.16f, 0.00f, 0.042f}),
		tma_cut<Element, split_flat128>(3, {0.06f, 0.240f, 3.26f, 0.31f, 0.00f, 0.021f}),
		tma_cut<Element, split_flat128>(4, {0.00f, 0.235f, 3.45f, 0.21f, 0.00f, 0.030f}),
		tma_cut<Element, odd_pair256>(1, {2.96f, 0.585f, 4.36f, 2.62f, 1.25f, 0.000f}),
		tma_cut<Element, odd_one256>(1, {3.55f, 0.588f, 4.39f, 2.86f, 1.21f, 0.000f}),
		tma_cut<Element, odd_square192>(1, {3.93f, 0.435f, 2.99f, 1.99f, 1.08f, 0.000f}),
		tma_cut<Element, odd_wide192>(1, {4.62f, 0.452f, 3.20f, 2.37f, 0.63f, 0.000f}),
		tma_cut<Element, odd_pair128>(1, {4.92f, 0.328f, 1.89f, 1.49f, 0.81f, 0.000f}),
		tma_cut<Element, odd_half64>(1, {5.64f, 0.274f, 0.90f, 0.80f, 0.85f, 0.000f}),
		tma_cut<Element, odd_flat128>(1, {5.35f, 0.212f, 1.33f, 0.94f, 0.22f, 0.000f}),
		tma_cut<Element, odd_small64>(1, {6.21f, 0.162f, 0.68f, 0.56f, 0.26f, 0.000f}),
		tma_cut<Element, odd_split64>(2, {6.89f, 0.187f, 0.00f, 0.00f, 1.13f, 0.000f}),
		tma_cut<Element, odd_split64>(4, {6.04f, 0.268f, 0.00f, 0.00f, 1.22f, 0.000f}),
		tma_cut<Element, odd_split128>(2, {8.51f, 0.304f, 0.00f, 1.15f, 0.79f, 0.000f}),
		tma_cut<Element, odd_split128>(4, {8.57f, 0.343f, 0.00f, 0.55f, 0.37f, 0.000f}),
		shifted_cut<Element, shifted64, 1, 2, 2>(1, {0.70f, 1.097f, 0.88f, 0.78f, 0.86f, 0.119f}),
		shifted_cut<Element, shifted64, 3, 2, 1>(1, {1.20f, 0.451f, 1.17f, 0.56f, 0.38f, 0.097f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			2, {1.82f, 0.481f, 1.20f, 0.97f, 0.93f, 0.072f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			4, {1.52f, 0.478f, 1.92f, 0.81f, 0.74f, 0.077f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			8, {0.96f, 0.505f, 2.56f, 0.90f, 0.99f, 0.040f}),
		shallow_cut<Element, 64>({0.03f, 0.146f, 0.35f, 0.20f, 0.24f, 0.033f}),
		shallow_cut<Element, 128>({0.00f, 0.210f, 0.16f, 0.47f, 0.66f, 0.050f}),
		tiny_cut<Element, 8, 1, 2>({0.53f, 0.181f, 0.09f, 0.10f, 0.09f, 0.011f}),
		tiny_cut<Element, 8, 1, 4>({0.13f, 0.181f, 0.27f, 0.09f, 0.19f, 0.036f}),
#ifdef HOPPER_CUT // not measured yet
		tma_cut<Element, flat96>(1, UNMEASURED),
		tma_cut<Element, flat160>(1, UNMEASURED),
		tma_cut<Element, flat192>(1, UNMEASURED),
		tma_cut<Element, flat224>(1, UNMEASURED),
		tma_cut<Element, flat256>(1, UNMEASURED),
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
