/* Host side: the choice of a way to cut the work, by a model of what each costs. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include "cuts.cuh"

/* What rows cost that begin at sectors of 32 bytes but off lines of 128, of what those cost that
 * begin off sectors. */
static constexpr float OFF_LINES = 0.3f;

/* Microseconds for a FLOP of a GPU at full work, in C or outside of it: it is bound by its power
 * then, which what is multiplied takes, and what is loaded for that.
 * (8192^3 at full clock, TFLOP/s: 256x184 tiles 819, 128x256 787, 128x192 775, 128x128 718.) */
static constexpr float POWER_FLOP = 1.04e-9f, POWER_LINES = 20.5e-9f;

/* Until a split tile's operands have come from memory: microseconds, and bytes in one. */
static constexpr float SPLIT_LATENCY = 2.2f, SPLIT_BYTES = 3.2e6f;

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
static __forceinline__ bool cut_fits(const hopper_device &device, const cut<Element> &c,
									 const problem<Element> &p)
{
	if ((c.least_steps > 1 && c.least_steps > steps_along(p.K, 1, c.depth)) ||
		(c.classes && !can_class(p)) || (c.deferred && p.reads_c) ||
		(c.needs_only_c && !epilogue<Element>::only_c))
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
			   (p.M + 2048LL) * p.K < 1 << 30 && (p.K + 64LL) * p.N < 1 << 30;
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
	return 2.0f * (b + (a - b) * c.rows_share);
}

/* ceilf(), which is a call into the mathematical library on x86-64. */
static float rounded_up(float x)
{
	long long below = (long long)x;
	return (float)(below + ((float)below < x));
}

/* Parts that so many rows, columns or steps make, by a part's reciprocal instead of a division:
 * exact below a million, beyond which only the choice may suffer. */
static int parts(int count, float per)
{
	return (int)(((float)count - 0.5f) * per) + 1;
}

template <class Element>
static __forceinline__ float cut_time(const hopper_device &device, const cut<Element> &c,
									  const problem<Element> &p)
{
	bool plain = !c.classes && c.family != FAMILY_SHALLOW; // rows of a tile follow each other
	int steps =
		plain ? parts(p.K, c.per_depth) : steps_along(p.K, c.classes ? p.apart_a : 1, c.depth);
	int longest = c.splits > 1 ? (steps + c.splits - 1) / c.splits : steps;
	float tiles = plain ? (float)parts(p.M, c.per_row) * (float)parts(p.N, c.per_column)
						: (float)cut_tiles(c, p);
	float rounds = tiles / (float)device.clusters[c.cluster], copy = 0.0f;
	float busy = rounds / rounded_up(rounds); // of all multiprocessors, on the average
	float slow = 0.0f;
	switch (c.family) {
	case FAMILY_TMA: // persistent: rounds are whole
		rounds = rounded_up(rounds);
		slow = step_off(c, p);
		break;
	case FAMILY_COPIED: {
		rounds = rounded_up(rounds);
		bool copies_a = p.odd_a && !c.classes;
		long long copied =
			(copies_a ? (long long)p.M * p.K : 0) + (p.odd_b ? (long long)p.K * p.N : 0);
		copy = COPY_MEGABYTE * copied * sizeof(Element) * 1e-6f;
		break;
	}
	case FAMILY_SHIFTED:
	case FAMILY_MIXED:
		rounds = rounded_up(rounds / (float)c.blocks);
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
	float power = flop * (POWER_FLOP + POWER_LINES * c.lines);
	float bytes = ((float)p.M + (float)p.N) * (float)p.K * sizeof(Element);
	float memory = c.splits > 1 ? SPLIT_LATENCY + bytes / SPLIT_BYTES : 0.0f;
	return power < memory ? memory : power;
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
