/* Host side: the ways to cut the work, and what each takes. */
#ifndef GEMMJUDGE_HOPPER_CUTS_CUH
#define GEMMJUDGE_HOPPER_CUTS_CUH

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
	int least_steps;          // along K
	bool deferred;            // the way out: see deferred.cuh
	bool needs_only_c;        // of the epilogue
	int splits, cluster;      // blocks that share a tile along K; that are launched together
	int blocks;               // that share a multiprocessor
	float lines;              // of A and B that a block loads for one element of its tile
	cut_times us;
	float rows_share = (float)rows / (rows + columns); // of what a step loads
};

#ifdef HOPPER_TABLE_ONLY // for tools/cost_model.cu, which launches nothing
#define HOPPER_LAUNCH(...) nullptr
#else
#define HOPPER_LAUNCH(...) __VA_ARGS__
#endif

/* Whether its ways out are for epilogues that access nothing but C. */
template <class config>
static constexpr bool needs_only_c = config::CLASSES || config::TURNED || config::DEFERRED;

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
			max(splits, config::LEAST_STEPS),
			config::DEFERRED,
			needs_only_c<config>,
			splits,
			config::SHARERS * splits,
			blocks,
			1.0f / config::BM + 1.0f / config::BN,
			us};
}

template <class Element, class config>
static constexpr cut<Element> tma_cut(int splits, cut_times us)
{
	decltype(cut<Element>::launch) launch = nullptr; // which does not fit
	if constexpr (epilogue<Element>::only_c || !needs_only_c<config>)
		launch = HOPPER_LAUNCH(tma_launch<Element, config>);
	return tile_cut<Element, config>(launch, config::ODD ? FAMILY_COPIED : FAMILY_TMA, splits, 1,
									 us);
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
	decltype(cut<Element>::launch) launch = nullptr;
	if constexpr (epilogue<Element>::only_c)
		launch = HOPPER_LAUNCH(mixed_launch<Element, config, PRODUCERS, BLOCKS>);
	return tile_cut<Element, config>(launch, FAMILY_MIXED, splits, BLOCKS, us);
}

/* One of single blocks that have a tile each. */
template <class Element>
static constexpr cut<Element> block_cut(decltype(cut<Element>::launch) launch, family family,
										int rows, int columns, int depth, bool needs_only_c,
										int blocks, cut_times us)
{
	return {launch, family,       false, rows, columns, depth, 1,
			false,  needs_only_c, 1,     1,    blocks,  0.0f,  us};
}

template <class Element, int WARPS, int STEPS, int BN>
static constexpr cut<Element> tiny_cut(cut_times us)
{
	using config = tiny_config<WARPS, STEPS, BN, 1, 1>;
	return block_cut<Element>(HOPPER_LAUNCH(tiny_launch<Element, WARPS, STEPS, BN>), FAMILY_TINY,
							  config::ROWS, config::COLUMNS, config::DEPTH * WARPS, false, 3, us);
}

template <class Element, int WARPS, int BN> static constexpr cut<Element> shallow_cut(cut_times us)
{
	using config = shallow_config<WARPS, BN>;
	return block_cut<Element>(HOPPER_LAUNCH(shallow_launch<Element, WARPS, BN>), FAMILY_SHALLOW,
							  config::BM, config::BN, config::DEPTH, true, config::BLOCKS, us);
}

/* All cuts. tools/cost-model fits their times, and calls them by their place here. */
template <class Element> static const auto &hopper_cuts(void)
{
	using pair256 = gemm_config<neighbours<2, 1, tile_of<2, 256>>>;
	using one256 = gemm_config<tile_of<2, 256>>;
	using pair192 = gemm_config<neighbours<2, 1, tile_of<2, 192>>>;
	using wide192 = gemm_config<tile_of<2, 192>>;
	using flat128 = gemm_config<neighbours<2, 1, tile_of<1, 128>>>;
	using flat_one128 = gemm_config<tile_of<1, 128>>;
	using small64 = gemm_config<tile_of<1, 64>>;
	using four64 = gemm_config<neighbours<4, 1, stages<16, tile_of<1, 64>>>>;
	using four_side64 = gemm_config<neighbours<4, 2, stages<16, tile_of<1, 64>>>>;
	using pair_side64 = gemm_config<neighbours<2, 4, stages<16, tile_of<1, 64>>>>;
	using half64 = gemm_config<tile_of<2, 64>>;
	using one128 = gemm_config<tile_of<2, 128>>;
	using tall160 = gemm_config<halves<2, tile_of<2, 160>>>;
	using tall128 = gemm_config<halves<2, tile_of<2, 128>>>;
	using side128 = gemm_config<neighbours<1, 2, tile_of<2, 128>>>;
	using split_flat128 = gemm_config<split<4, tile_of<1, 128>>>;
	using split_half64 = gemm_config<split<4, tile_of<2, 64>>>;
	using split64 = gemm_config<split<8, tile_of<1, 64>>>;
	using odd_pair256 = gemm_config<odd<neighbours<2, 1, tile_of<2, 256>>>>;
	using odd_wide192 = gemm_config<odd<tile_of<2, 192>>>;
	using odd_pair128 = gemm_config<odd<neighbours<2, 1, tile_of<2, 128>>>>;
	using odd_pair160 = gemm_config<odd<neighbours<2, 1, tile_of<2, 160>>>>;
	using odd_pair224 = gemm_config<odd<neighbours<2, 1, tile_of<2, 224>>>>;
	using odd_flat128 = gemm_config<odd<neighbours<2, 1, tile_of<1, 128>>>>;
	using odd_small64 = gemm_config<odd<tile_of<1, 64>>>;
	using odd_one128 = gemm_config<odd<tile_of<2, 128>>>;
	using odd_flat_one128 = gemm_config<odd<tile_of<1, 128>>>;
	using odd_split64 = gemm_config<odd<split<8, tile_of<1, 64>>>>;
	using odd_split128 = gemm_config<odd<split<4, tile_of<2, 128>>>>;
	using shifted64 = gemm_config<odd<stages<4, tile_of<1, 64>>>>;
	using shifted_split64 = gemm_config<odd<split<8, stages<4, tile_of<1, 64>>>>>;
	using late_wide192 = deferred<gemm_config<tile_of<2, 192>>>;
	using class_one256 = gemm_config<by_classes<tile_of<2, 256>>>;
	using class_wide192 = gemm_config<by_classes<tile_of<2, 192>>>;
	using class_one128 = gemm_config<by_classes<tile_of<2, 128>>>;
	using class_flat128 = gemm_config<by_classes<tile_of<1, 128>>>;
	using class_small64 = gemm_config<by_classes<tile_of<1, 64>>>;
	using class_split64 = gemm_config<by_classes<split<8, tile_of<1, 64>>>>;
	using class_odd_pair256 = gemm_config<by_classes<odd<neighbours<2, 1, tile_of<2, 256>>>>>;
	using class_odd_one256 = gemm_config<by_classes<odd<tile_of<2, 256>>>>;
	using class_odd_square192 = gemm_config<by_classes<odd<neighbours<2, 2, tile_of<2, 192>>>>>;
	using class_odd_wide192 = gemm_config<by_classes<odd<tile_of<2, 192>>>>;
	using class_odd_flat128 = gemm_config<by_classes<odd<neighbours<2, 1, tile_of<1, 128>>>>>;
	using class_odd_split128 = gemm_config<by_classes<odd<split<4, tile_of<2, 128>>>>>;
	using class_odd_small64 = gemm_config<by_classes<odd<tile_of<1, 64>>>>;
	using class_odd_one128 = gemm_config<by_classes<odd<tile_of<2, 128>>>>;
	using mixed64 = gemm_config<by_classes<odd<stages<4, tile_of<1, 64>>>>>;
	using mixed_half64 = gemm_config<by_classes<odd<stages<4, tile_of<2, 64>>>>>;
	using mixed_one128 = gemm_config<by_classes<odd<stages<4, tile_of<2, 128>>>>>;
	using mixed_split64 = gemm_config<by_classes<odd<split<8, tile_of<1, 64>>>>>;
	using mixed_split_half64 = gemm_config<by_classes<odd<split<4, tile_of<2, 64>>>>>;
	using deep_split64 = gemm_config<split<8, deep<2, tile_of<1, 64>>>>;
	using deep_small64 = gemm_config<deep<2, tile_of<1, 64>>>;
	/* Turned and stacked tiles: columns and rows as they lie in C. Not for chains, as their way out
	 * is not hidden as well: with sigmoid and gelu 2 to 3% slower, with a bias 80%. */
#ifndef EPILOGUE_CHAIN
	using turned_64_80 = gemm_config<turned<tile_of<1, 80>>>;
	using turned_64_96 = gemm_config<turned<tile_of<1, 96>>>;
	using turned_128_80 = gemm_config<turned<tile_of<2, 80>>>;
	using turned_128_96 = gemm_config<turned<tile_of<2, 96>>>;
	using turned_128_112 = gemm_config<turned<tile_of<2, 112>>>;
	using turned_128_160 = gemm_config<turned<tile_of<2, 160>>>;
	using turned_128_176 = gemm_config<turned<tile_of<2, 176>>>;
	using turned_128_192 = gemm_config<turned<tile_of<2, 192>>>;
	using turned_128_240 = gemm_config<turned<tile_of<2, 240>>>;
	using turned_256_96 = gemm_config<turned<halves<2, tile_of<2, 96>>>>;
	using turned_256_176 = gemm_config<turned<halves<2, tile_of<2, 176>>>>;
	using stacked_192_144 = gemm_config<stacked<halves<3, tile_of<2, 72>>>>;
	using stacked_side_192_192 = gemm_config<neighbours<1, 2, stacked<halves<3, tile_of<2, 96>>>>>;
	using stacked_pair_192_160 = gemm_config<neighbours<2, 1, stacked<halves<3, tile_of<2, 80>>>>>;
	using stacked_pair_192_176 = gemm_config<neighbours<2, 1, stacked<halves<3, tile_of<2, 88>>>>>;
	using turned_128_104 = gemm_config<turned<tile_of<2, 104>>>;
	using turned_256_184 = gemm_config<turned<halves<2, tile_of<2, 184>>>>;
	using turned_side_128_144 = gemm_config<neighbours<1, 2, turned<tile_of<2, 144>>>>;
	using turned_pair_128_208 = gemm_config<neighbours<2, 1, turned<tile_of<2, 208>>>>;
	using turned_side_128_208 = gemm_config<neighbours<1, 2, turned<tile_of<2, 208>>>>;
	using turned_pair_256_112 = gemm_config<neighbours<2, 1, turned<halves<2, tile_of<2, 112>>>>>;
	using turned_square_128_144 = gemm_config<neighbours<2, 2, turned<tile_of<2, 144>>>>;
	using turned_square_128_160 = gemm_config<neighbours<2, 2, turned<tile_of<2, 160>>>>;
	using turned_64_16 = gemm_config<turned<stages<16, tile_of<1, 16>>>>;
	using turned_64_32 = gemm_config<turned<stages<16, tile_of<1, 32>>>>;
	using turned_64_40 = gemm_config<turned<stages<16, tile_of<1, 40>>>>;
	using turned_64_48 = gemm_config<turned<stages<16, tile_of<1, 48>>>>;
	using turned_pair_128_112 = gemm_config<neighbours<2, 1, turned<tile_of<2, 112>>>>;
	using turned_four_128_112 = gemm_config<neighbours<4, 1, turned<tile_of<2, 112>>>>;
	using class_64_40 = gemm_config<by_classes<turned<stages<16, tile_of<1, 40>>>>>;
	using class_128_80 = gemm_config<by_classes<turned<tile_of<2, 80>>>>;
	using class_stacked_192_144 = gemm_config<by_classes<stacked<halves<3, tile_of<2, 72>>>>>;
	using deeper_64_16 = gemm_config<turned<stages<16, deep<4, tile_of<1, 16>>>>>;
	using eight_side_64_72 = gemm_config<neighbours<2, 4, turned<stages<16, tile_of<1, 72>>>>>;
	using eight_side_64_96 = gemm_config<neighbours<2, 4, turned<stages<16, tile_of<1, 96>>>>>;
	using eight_64_104 = gemm_config<neighbours<4, 2, turned<stages<16, tile_of<1, 104>>>>>;
	using eight_64_120 = gemm_config<neighbours<4, 2, turned<stages<16, tile_of<1, 120>>>>>;
	using eight_side_64_120 = gemm_config<neighbours<2, 4, turned<stages<16, tile_of<1, 120>>>>>;
	using eight_128_80 = gemm_config<neighbours<4, 2, turned<stages<16, tile_of<2, 80>>>>>;
	using eight_128_96 = gemm_config<neighbours<4, 2, turned<stages<16, tile_of<2, 96>>>>>;
	using eight_side_128_96 = gemm_config<neighbours<2, 4, turned<stages<16, tile_of<2, 96>>>>>;
	using eight_128_112 = gemm_config<neighbours<4, 2, turned<stages<16, tile_of<2, 112>>>>>;
	using deep_eight_64 = gemm_config<neighbours<4, 2, deep<2, tile_of<1, 64>>>>;
	using deep_eight_side_64 = gemm_config<neighbours<2, 4, deep<2, tile_of<1, 64>>>>;
	using deep_side_four_64 = gemm_config<neighbours<1, 4, deep<2, tile_of<1, 64>>>>;
	using deep_four_64 = gemm_config<neighbours<4, 1, deep<2, tile_of<1, 64>>>>;
	using deep_side_four_64_32 = gemm_config<neighbours<1, 4, turned<deep<2, tile_of<1, 32>>>>>;
	using deep_eight_side_64_48 = gemm_config<neighbours<2, 4, turned<deep<2, tile_of<1, 48>>>>>;
	using deep_eight_64_32 = gemm_config<neighbours<8, 1, turned<deep<2, tile_of<1, 32>>>>>;
	using turned_128_200 = gemm_config<turned<tile_of<2, 200>>>;
	using turned_side_128_176 = gemm_config<neighbours<1, 2, turned<tile_of<2, 176>>>>;
	using turned_side_128_160 = gemm_config<neighbours<1, 2, turned<tile_of<2, 160>>>>;
	using turned_pair_128_160 = gemm_config<neighbours<2, 1, turned<tile_of<2, 160>>>>;
#endif
	static const cut<Element> cuts[] = {
		tma_cut<Element, pair256>(1, {1.21f, 0.563f, 2.23f, 1.25f, 0.00f, 0.039f, 0.114f}),
		tma_cut<Element, pair192>(1, {1.31f, 0.387f, 1.96f, 1.05f, 0.00f, 0.035f, 0.114f}),
		tma_cut<Element, wide192>(1, {1.44f, 0.389f, 1.62f, 1.17f, 0.00f, 0.086f, 0.095f}),
		tma_cut<Element, flat128>(1, {2.15f, 0.203f, 0.70f, 0.30f, 0.00f, 0.032f, 0.031f}),
		tma_cut<Element, small64>(1, {1.86f, 0.137f, 0.45f, 0.19f, 0.00f, 0.063f, 0.022f}),
		tma_cut<Element, one256>(1, {0.80f, 0.528f, 2.21f, 1.35f, 0.00f, 0.096f, 0.137f}),
		tma_cut<Element, flat_one128>(1, {1.73f, 0.174f, 0.79f, 0.27f, 0.00f, 0.111f, 0.021f}),
		tma_cut<Element, four64>(1, {2.04f, 0.186f, 0.43f, 0.33f, 0.00f, 0.005f, 0.007f}),
		tma_cut<Element, four_side64>(1, {2.06f, 0.152f, 0.44f, 0.32f, 0.00f, 0.000f, 0.018f}),
		tma_cut<Element, pair_side64>(1, {1.97f, 0.152f, 0.45f, 0.33f, 0.00f, 0.016f, 0.005f}),
		tma_cut<Element, half64>(1, {1.84f, 0.201f, 0.60f, 0.32f, 0.00f, 0.101f, 0.038f}),
		tma_cut<Element, one128>(1, {1.88f, 0.278f, 0.97f, 0.69f, 0.00f, 0.105f, 0.055f}),
		tma_cut<Element, tall160>(1, {0.29f, 0.658f, 4.73f, 1.01f, 0.00f, 0.097f, 0.171f}),
		tma_cut<Element, tall128>(1, {0.41f, 0.542f, 2.63f, 1.74f, 0.00f, 0.095f, 0.121f}),
		tma_cut<Element, side128>(1, {2.66f, 0.259f, 0.80f, 0.74f, 0.00f, 0.051f, 0.088f}),
		tma_cut<Element, split_half64>(4, {1.00f, 0.168f, 3.26f, 0.06f, 0.00f, 0.058f, 0.155f}),
		tma_cut<Element, split64>(2, {1.45f, 0.124f, 1.62f, 0.11f, 0.00f, 0.056f, 0.106f}),
		tma_cut<Element, split64>(3, {1.02f, 0.136f, 2.03f, 0.12f, 0.00f, 0.075f, 0.059f}),
		tma_cut<Element, split64>(4, {0.75f, 0.129f, 2.55f, 0.03f, 0.00f, 0.046f, 0.057f}),
		tma_cut<Element, split64>(5, {0.89f, 0.118f, 2.56f, 0.00f, 0.00f, 0.048f, 0.080f}),
		tma_cut<Element, split64>(6, {0.89f, 0.096f, 2.69f, 0.06f, 0.00f, 0.026f, 0.123f}),
		tma_cut<Element, split64>(8, {0.91f, 0.078f, 3.03f, 0.02f, 0.00f, 0.029f, 0.150f}),
		tma_cut<Element, split_flat128>(4, {1.27f, 0.154f, 2.60f, 0.08f, 0.00f, 0.040f, 0.207f}),
		tma_cut<Element, odd_pair256>(1, {3.53f, 0.515f, 2.71f, 2.11f, 1.22f, 0.000f, 0.151f}),
		tma_cut<Element, odd_wide192>(1, {3.57f, 0.387f, 1.99f, 1.97f, 0.83f, 0.000f, 0.128f}),
		tma_cut<Element, odd_pair128>(1, {3.69f, 0.248f, 1.36f, 1.04f, 0.84f, 0.000f, 0.117f}),
		tma_cut<Element, odd_pair160>(1, {3.92f, 0.308f, 1.57f, 1.31f, 1.00f, 0.000f, 0.152f}),
		tma_cut<Element, odd_pair224>(1, {3.78f, 0.446f, 2.12f, 1.69f, 1.31f, 0.000f, 0.171f}),
		tma_cut<Element, odd_flat128>(1, {3.52f, 0.171f, 1.01f, 0.73f, 0.36f, 0.000f, 0.055f}),
		tma_cut<Element, odd_small64>(1, {3.63f, 0.148f, 0.58f, 0.65f, 0.20f, 0.000f, 0.011f}),
		tma_cut<Element, odd_one128>(1, {3.51f, 0.261f, 1.48f, 1.08f, 0.75f, 0.000f, 0.117f}),
		tma_cut<Element, odd_flat_one128>(1, {3.50f, 0.183f, 0.97f, 0.67f, 0.34f, 0.000f, 0.060f}),
		tma_cut<Element, odd_split64>(4, {4.94f, 0.119f, 0.00f, 0.20f, 0.30f, 0.000f, 0.100f}),
		tma_cut<Element, odd_split128>(4, {6.40f, 0.255f, 0.00f, 0.40f, 0.60f, 0.000f, 0.209f}),
		shifted_cut<Element, shifted64, 1, 2, 2>(
			1, {0.82f, 1.119f, 1.34f, 0.35f, 0.57f, 0.101f, 0.000f}),
		shifted_cut<Element, shifted64, 3, 2, 1>(
			1, {1.32f, 0.491f, 1.23f, 0.29f, 0.35f, 0.068f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			2, {1.59f, 0.506f, 1.71f, 0.16f, 0.44f, 0.060f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			4, {1.32f, 0.540f, 2.18f, 0.22f, 0.38f, 0.015f, 0.000f}),
		shifted_cut<Element, shifted_split64, 3, 2, 1>(
			8, {1.25f, 0.486f, 2.86f, 0.35f, 0.31f, 0.077f, 0.000f}),
		shallow_cut<Element, 4, 128>({0.00f, 0.427f, 0.34f, 0.50f, 0.32f, 0.000f, 0.000f}),
		tiny_cut<Element, 8, 1, 2>({0.52f, 0.163f, 0.13f, 0.09f, 0.06f, 0.037f, 0.000f}),
		tiny_cut<Element, 8, 1, 4>({0.10f, 0.180f, 0.29f, 0.08f, 0.14f, 0.088f, 0.000f}),
		tma_cut<Element, late_wide192>(1, {2.15f, 0.363f, 1.20f, 0.00f, 0.00f, 0.088f, 0.140f}),
		tma_cut<Element, class_one256>(1, {1.21f, 0.475f, 2.96f, 1.05f, 0.00f, 0.178f, 0.000f}),
		tma_cut<Element, class_wide192>(1, {1.14f, 0.381f, 2.72f, 0.33f, 0.00f, 0.119f, 0.000f}),
		tma_cut<Element, class_one128>(1, {2.19f, 0.260f, 1.12f, 0.63f, 0.00f, 0.102f, 0.027f}),
		tma_cut<Element, class_flat128>(1, {2.03f, 0.157f, 0.82f, 0.34f, 0.00f, 0.100f, 0.000f}),
		tma_cut<Element, class_small64>(1, {2.14f, 0.122f, 0.53f, 0.26f, 0.00f, 0.057f, 0.000f}),
		tma_cut<Element, class_split64>(2, {1.18f, 0.116f, 2.16f, 0.05f, 0.00f, 0.014f, 0.110f}),
		tma_cut<Element, class_split64>(4, {1.32f, 0.000f, 2.45f, 0.08f, 0.00f, 0.036f, 0.175f}),
		tma_cut<Element, class_odd_pair256>(1,
											{4.30f, 0.552f, 2.56f, 1.46f, 1.03f, 0.000f, 0.096f}),
		tma_cut<Element, class_odd_one256>(1, {3.85f, 0.551f, 2.59f, 2.00f, 0.68f, 0.000f, 0.117f}),
		tma_cut<Element, class_odd_square192>(1,
											  {4.24f, 0.412f, 1.29f, 1.40f, 1.55f, 0.000f, 0.068f}),
		tma_cut<Element, class_odd_wide192>(1,
											{4.27f, 0.413f, 1.80f, 1.63f, 0.63f, 0.000f, 0.128f}),
		tma_cut<Element, class_odd_flat128>(1,
											{4.96f, 0.197f, 0.54f, 0.82f, 0.57f, 0.000f, 0.063f}),
		tma_cut<Element, class_odd_split128>(4,
											 {8.00f, 0.154f, 0.00f, 0.30f, 0.90f, 0.000f, 0.113f}),
		tma_cut<Element, class_odd_small64>(1,
											{4.65f, 0.186f, 0.48f, 0.49f, 0.20f, 0.000f, 0.020f}),
		tma_cut<Element, class_odd_one128>(1, {4.42f, 0.325f, 1.16f, 0.88f, 0.49f, 0.000f, 0.122f}),
		mixed_cut<Element, mixed64, 3, 1>(1, {1.27f, 0.346f, 1.19f, 0.15f, 0.60f, 0.000f, 0.000f}),
		mixed_cut<Element, mixed_half64, 3, 1>(
			1, {0.90f, 0.439f, 1.69f, 0.34f, 0.77f, 0.007f, 0.005f}),
		mixed_cut<Element, mixed_one128, 2, 1>(
			1, {1.53f, 0.836f, 1.63f, 0.83f, 0.69f, 0.000f, 0.000f}),
		mixed_cut<Element, mixed_split64, 3, 1>(
			2, {1.68f, 0.295f, 1.72f, 0.27f, 0.45f, 0.028f, 0.027f}),
		mixed_cut<Element, mixed_split64, 3, 1>(
			4, {1.28f, 0.316f, 2.50f, 0.12f, 0.28f, 0.002f, 0.002f}),
		mixed_cut<Element, mixed_split64, 3, 1>(
			8, {1.88f, 0.159f, 3.10f, 0.09f, 0.18f, 0.093f, 0.099f}),
		mixed_cut<Element, mixed_split_half64, 3, 1>(
			2, {1.64f, 0.367f, 2.19f, 0.28f, 0.79f, 0.060f, 0.045f}),
		mixed_cut<Element, mixed_split_half64, 3, 1>(
			4, {1.89f, 0.109f, 3.28f, 0.32f, 0.43f, 0.163f, 0.189f}),
		tma_cut<Element, deep_split64>(6, {0.81f, 0.213f, 2.63f, 0.08f, 0.00f, 0.124f, 0.092f}),
		tma_cut<Element, deep_small64>(1, {1.95f, 0.239f, 0.43f, 0.23f, 0.00f, 0.139f, 0.064f}),
#ifndef EPILOGUE_CHAIN
		tma_cut<Element, turned_64_80>(1, {1.90f, 0.155f, 0.53f, 0.24f, 0.00f, 0.057f, 0.019f}),
		tma_cut<Element, turned_64_96>(1, {1.89f, 0.159f, 0.57f, 0.29f, 0.00f, 0.075f, 0.028f}),
		tma_cut<Element, turned_128_80>(1, {1.90f, 0.212f, 0.73f, 0.42f, 0.00f, 0.104f, 0.014f}),
		tma_cut<Element, turned_128_96>(1, {2.08f, 0.216f, 0.79f, 0.66f, 0.00f, 0.102f, 0.041f}),
		tma_cut<Element, turned_128_112>(1, {1.89f, 0.234f, 1.05f, 0.62f, 0.00f, 0.106f, 0.061f}),
		tma_cut<Element, turned_128_160>(1, {1.76f, 0.285f, 1.64f, 0.66f, 0.00f, 0.093f, 0.132f}),
		tma_cut<Element, turned_128_176>(1, {1.38f, 0.368f, 2.01f, 0.77f, 0.00f, 0.086f, 0.061f}),
		tma_cut<Element, turned_128_192>(1, {1.11f, 0.386f, 2.23f, 0.74f, 0.00f, 0.096f, 0.089f}),
		tma_cut<Element, turned_128_240>(1, {0.43f, 0.509f, 2.53f, 1.58f, 0.00f, 0.077f, 0.119f}),
		tma_cut<Element, turned_256_96>(1, {1.56f, 0.424f, 2.14f, 0.94f, 0.00f, 0.115f, 0.035f}),
		tma_cut<Element, turned_256_176>(1, {1.04f, 0.732f, 3.81f, 2.16f, 0.00f, 0.093f, 0.150f}),
		tma_cut<Element, stacked_192_144>(1, {1.23f, 0.437f, 2.35f, 1.02f, 0.00f, 0.075f, 0.102f}),
		tma_cut<Element, stacked_side_192_192>(
			1, {2.53f, 0.593f, 3.06f, 2.25f, 0.00f, 0.021f, 0.128f}),
		tma_cut<Element, stacked_pair_192_160>(
			1, {2.03f, 0.499f, 2.55f, 2.50f, 0.00f, 0.031f, 0.114f}),
		tma_cut<Element, stacked_pair_192_176>(
			1, {2.47f, 0.559f, 2.47f, 2.79f, 0.00f, 0.020f, 0.106f}),
		tma_cut<Element, turned_128_104>(1, {2.03f, 0.230f, 0.82f, 0.71f, 0.00f, 0.103f, 0.045f}),
		tma_cut<Element, turned_256_184>(1, {1.43f, 0.750f, 3.71f, 2.10f, 0.00f, 0.069f, 0.172f}),
		tma_cut<Element, turned_side_128_144>(1,
											  {2.64f, 0.276f, 1.09f, 1.07f, 0.00f, 0.040f, 0.107f}),
		tma_cut<Element, turned_pair_128_208>(1,
											  {2.35f, 0.427f, 1.66f, 1.61f, 0.00f, 0.046f, 0.109f}),
		tma_cut<Element, turned_side_128_208>(1,
											  {2.46f, 0.424f, 1.49f, 1.61f, 0.00f, 0.025f, 0.102f}),
		tma_cut<Element, turned_pair_256_112>(1,
											  {1.93f, 0.463f, 2.14f, 2.02f, 0.00f, 0.030f, 0.111f}),
		tma_cut<Element, turned_square_128_144>(
			1, {3.06f, 0.280f, 0.83f, 1.21f, 0.00f, 0.011f, 0.087f}),
		tma_cut<Element, turned_square_128_160>(
			1, {2.60f, 0.309f, 1.16f, 1.06f, 0.00f, 0.014f, 0.088f}),
		tma_cut<Element, turned_64_16>(1, {1.87f, 0.103f, 0.43f, 0.26f, 0.00f, 0.039f, 0.000f}),
		tma_cut<Element, turned_64_32>(1, {1.94f, 0.112f, 0.39f, 0.22f, 0.00f, 0.058f, 0.000f}),
		tma_cut<Element, turned_64_40>(1, {1.96f, 0.119f, 0.41f, 0.21f, 0.00f, 0.064f, 0.000f}),
		tma_cut<Element, turned_64_48>(1, {1.93f, 0.129f, 0.43f, 0.23f, 0.00f, 0.063f, 0.001f}),
		tma_cut<Element, turned_pair_128_112>(1,
											  {2.45f, 0.236f, 0.84f, 0.92f, 0.00f, 0.037f, 0.072f}),
		tma_cut<Element, turned_four_128_112>(1,
											  {2.54f, 0.222f, 0.87f, 0.82f, 0.00f, 0.022f, 0.068f}),
		tma_cut<Element, class_64_40>(1, {2.15f, 0.111f, 0.49f, 0.15f, 0.00f, 0.048f, 0.000f}),
		tma_cut<Element, class_128_80>(1, {2.36f, 0.174f, 0.76f, 0.40f, 0.00f, 0.107f, 0.000f}),
		tma_cut<Element, class_stacked_192_144>(
			1, {0.87f, 0.448f, 3.26f, 0.42f, 0.00f, 0.101f, 0.000f}),
		tma_cut<Element, deeper_64_16>(1, {1.92f, 0.293f, 0.38f, 0.30f, 0.00f, 0.161f, 0.094f}),
		tma_cut<Element, eight_side_64_72>(1, {2.29f, 0.150f, 0.51f, 0.31f, 0.00f, 0.015f, 0.000f}),
		tma_cut<Element, eight_side_64_96>(1, {2.39f, 0.156f, 0.55f, 0.41f, 0.00f, 0.021f, 0.000f}),
		tma_cut<Element, eight_64_104>(1, {2.33f, 0.152f, 0.60f, 0.45f, 0.00f, 0.002f, 0.034f}),
		tma_cut<Element, eight_64_120>(1, {2.51f, 0.153f, 0.59f, 0.61f, 0.00f, 0.014f, 0.036f}),
		tma_cut<Element, eight_side_64_120>(1,
											{2.60f, 0.167f, 0.60f, 0.50f, 0.00f, 0.022f, 0.002f}),
		tma_cut<Element, eight_128_80>(1, {2.60f, 0.202f, 0.68f, 0.64f, 0.00f, 0.010f, 0.017f}),
		tma_cut<Element, eight_128_96>(1, {2.65f, 0.214f, 0.77f, 0.78f, 0.00f, 0.012f, 0.019f}),
		tma_cut<Element, eight_side_128_96>(1,
											{2.80f, 0.188f, 0.71f, 0.70f, 0.00f, 0.035f, 0.044f}),
		tma_cut<Element, eight_128_112>(1, {2.64f, 0.235f, 0.83f, 0.92f, 0.00f, 0.014f, 0.035f}),
		tma_cut<Element, deep_eight_64>(1, {2.22f, 0.236f, 0.44f, 0.26f, 0.00f, 0.028f, 0.017f}),
		tma_cut<Element, deep_eight_side_64>(1,
											 {2.16f, 0.235f, 0.45f, 0.29f, 0.00f, 0.044f, 0.000f}),
		tma_cut<Element, deep_side_four_64>(1,
											{1.93f, 0.234f, 0.48f, 0.29f, 0.00f, 0.051f, 0.041f}),
		tma_cut<Element, deep_four_64>(1, {2.19f, 0.245f, 0.42f, 0.27f, 0.00f, 0.043f, 0.062f}),
		tma_cut<Element, deep_side_four_64_32>(
			1, {1.99f, 0.170f, 0.36f, 0.29f, 0.00f, 0.041f, 0.106f}),
		tma_cut<Element, deep_eight_side_64_48>(
			1, {2.14f, 0.197f, 0.45f, 0.28f, 0.00f, 0.040f, 0.003f}),
		tma_cut<Element, deep_split64>(4, {0.75f, 0.215f, 2.53f, 0.02f, 0.00f, 0.070f, 0.162f}),
		tma_cut<Element, deep_eight_64_32>(1, {2.71f, 0.227f, 0.16f, 0.20f, 0.00f, 0.003f, 0.000f}),
		tma_cut<Element, turned_128_200>(1, {2.17f, 0.342f, 1.69f, 0.50f, 0.00f, 0.085f, 0.159f}),
		tma_cut<Element, turned_side_128_176>(1,
											  {2.42f, 0.279f, 1.46f, 0.50f, 0.00f, 0.037f, 0.181f}),
		tma_cut<Element, turned_side_128_160>(1,
											  {2.53f, 0.277f, 1.26f, 1.10f, 0.00f, 0.043f, 0.134f}),
		tma_cut<Element, turned_pair_128_160>(1,
											  {2.59f, 0.335f, 1.06f, 1.10f, 0.00f, 0.048f, 0.094f}),
#endif
	};
	return cuts;
}

#endif
