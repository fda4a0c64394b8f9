/* Host side: a model of what each way to cut the work takes. */
#ifndef GEMMJUDGE_HOPPER_MODEL_CUH
#define GEMMJUDGE_HOPPER_MODEL_CUH

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

/* ceilf(), which is a call into the mathematical library on x86-64. */
static inline float rounded_up(float x)
{
	int below = (int)x;
	return (float)(below + ((float)below < x));
}

/* Parts that so many rows, columns or steps make, by a part's reciprocal instead of a division:
 * exact below a million, beyond which only the choice may suffer. */
static inline float parts(float count, float per)
{
	return (float)((int)((count - 0.5f) * per) + 1);
}

/* What rows of so many elements cost TMA besides, where they begin off sectors of 32 bytes, or at
 * sectors but off lines. */
static inline float rows_off(int columns)
{
	return (columns % 16u != 0) + OFF_LINES * (columns % 64u != 0);
}

/* The same of a step's rows of A and of B together, of which A's are `rows_share`. */
static __forceinline__ float step_off(float off_a, float off_b, float rows_share)
{
	return 2.0f * (off_b + (off_a - off_b) * rows_share);
}

/* What B's rows cost. Narrow ones cost as much again: all blocks ask for the same few lines at
 * once. */
static inline float columns_off(int columns)
{
	return rows_off(columns) + (columns < 64);
}

template <class Element> static inline float copy_time(float elements)
{
	return COPY_MEGABYTE * elements * sizeof(Element) * 1e-6f;
}

/* What a cut that TMA loads for takes at least: for power, which tells cuts apart by what they
 * multiply in vain; and, of tiles `split` along K (1 or 0), until both operands have come from
 * memory, which such blocks read more slowly than others do (16x4096x4096: 3.1 TB/s in two parts,
 * 3.7 as 64 columns by 16 rows). */
static __forceinline__ float least_time(float products, float lines, float split, float bytes)
{
	float power = 2.0f * products * (POWER_FLOP + POWER_LINES * lines);
	float memory = split * (SPLIT_LATENCY + bytes / SPLIT_BYTES);
	return power < memory ? memory : power;
}

/* Blocks that copy wait for each other, so all are there; those of a split tile have only one. */
template <class Element> static inline bool has_one_tile(const cut<Element> &c)
{
	return c.family == FAMILY_COPIED && c.splits > 1;
}

template <class Element> static inline float tile_time(const cut<Element> &c)
{
	return has_one_tile(c) ? 0.0f : c.us.tile; // in `launch` then
}

/* ---- plain cuts -------------------------------------------------------------- */

/* Most cuts are plain: rows of a tile follow each other, blocks are persistent, and TMA takes the
 * operands as they are, or as they are copied. A call weighs all of them, so what their times are
 * made of lies side by side, and the loop over them becomes vector instructions. */
template <int COUNT> struct plain_cuts {
	float per_row[COUNT], per_column[COUNT], per_depth[COUNT], per_split[COUNT];
	float least_steps[COUNT], most_tiles[COUNT]; // where it can do a problem
	float writes_only[COUNT];                    // it cannot where C is read: 1 or 0
	float room[COUNT];                           // tiles that are done at once
	float size[COUNT], lines[COUNT];             // of a tile, as cut has it
	float splits[COUNT];                         // it does K in parts: 1 or 0
	float rows_share[COUNT];
	float launch[COUNT], step[COUNT], tile[COUNT], reads_c[COUNT], ragged[COUNT], slow_step[COUNT],
		busy_step[COUNT]; // see cut_times
};

template <class Element> static inline bool is_plain(const cut<Element> &c)
{
	return !c.classes && (c.family == FAMILY_TMA || c.family == FAMILY_COPIED);
}

template <int COUNT, class Element>
static void plain_set(plain_cuts<COUNT> &to, int i, const hopper_device &device,
					  const cut<Element> &c)
{
	to.per_row[i] = 1.0f / c.rows;
	to.per_column[i] = 1.0f / c.columns;
	to.per_depth[i] = 1.0f / c.depth;
	to.per_split[i] = 1.0f / c.splits;
	to.least_steps[i] = c.least_steps;
	to.room[i] = device.clusters[c.cluster];
	to.most_tiles[i] = has_one_tile(c) ? to.room[i] : INFINITY;
	to.writes_only[i] = c.deferred;
	to.size[i] = (float)c.rows * c.columns;
	to.lines[i] = c.lines;
	to.splits[i] = c.splits > 1;
	to.rows_share[i] = c.rows_share;
	to.launch[i] = c.us.launch;
	to.step[i] = c.us.step;
	to.tile[i] = tile_time(c);
	to.reads_c[i] = c.us.reads_c;
	to.ragged[i] = c.us.ragged;
	to.slow_step[i] = c.us.slow_step;
	to.busy_step[i] = c.us.busy_step;
}

/* What these times depend on. */
struct plain_problem {
	float M, N, K, bytes;  // of both operands
	float off_a, off_b;    // rows_off() of what TMA reads
	float reads_c, ragged; // 1 or 0
	float copy;            // microseconds

	template <class Element> // copied rows begin at lines
	explicit plain_problem(const problem<Element> &p)
		: M((float)p.M), N((float)p.N), K((float)p.K), bytes((M + N) * K * sizeof(Element)),
		  off_a(p.odd ? 0.0f : rows_off(p.K)), off_b(p.odd ? 0.0f : columns_off(p.N)),
		  reads_c(p.reads_c), ragged(p.N % 4 != 0),
		  copy(copy_time<Element>((p.odd_a ? M * K : 0.0f) + (p.odd_b ? K * N : 0.0f)))
	{
	}
};

template <int COUNT>
static __forceinline__ float plain_tiles(const plain_cuts<COUNT> &cuts, int i,
										 const plain_problem &p)
{
	return parts(p.M, cuts.per_row[i]) * parts(p.N, cuts.per_column[i]);
}

template <int COUNT>
static __forceinline__ bool plain_fits(const plain_cuts<COUNT> &cuts, int i, const plain_problem &p)
{
	return (parts(p.K, cuts.per_depth[i]) >= cuts.least_steps[i]) &
		   (plain_tiles(cuts, i, p) <= cuts.most_tiles[i]) &
		   (cuts.writes_only[i] + p.reads_c < 2.0f);
}

template <int COUNT>
static __forceinline__ float plain_time(const plain_cuts<COUNT> &cuts, int i,
										const plain_problem &p)
{
	float longest = parts(parts(p.K, cuts.per_depth[i]), cuts.per_split[i]);
	float rounds = plain_tiles(cuts, i, p) / cuts.room[i], whole = rounded_up(rounds);
	float busy = rounds / whole; // of all multiprocessors, on the average
	float slow = step_off(p.off_a, p.off_b, cuts.rows_share[i]);
	float step = cuts.step[i] + busy * (cuts.busy_step[i] + slow * cuts.slow_step[i]);
	float tile = cuts.tile[i] + p.reads_c * cuts.reads_c[i] + p.ragged * cuts.ragged[i];
	return cuts.launch[i] + p.copy + whole * (longest * step + tile);
}

template <int COUNT>
static __forceinline__ float plain_least(const plain_cuts<COUNT> &cuts, int i,
										 const plain_problem &p)
{
	return least_time(plain_tiles(cuts, i, p) * cuts.size[i] * p.K, cuts.lines[i], cuts.splits[i],
					  p.bytes);
}

/* ---- all cuts ---------------------------------------------------------------- */

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

/* The family of plain cuts that can do a problem. */
template <class Element> static family plain_family(const problem<Element> &p)
{
	return p.odd ? FAMILY_COPIED : FAMILY_TMA;
}

/* Whether a cut can do this problem, and its times are of any use there. */
template <class Element>
static __forceinline__ bool cut_fits(const hopper_device &device, const cut<Element> &c,
									 const problem<Element> &p)
{
	if (c.needs_only_c && !epilogue<Element>::only_c)
		return false;
	if (is_plain(c)) {
		plain_cuts<1> one;
		plain_set(one, 0, device, c);
		return c.family == plain_family(p) && plain_fits(one, 0, plain_problem(p));
	}
	if ((c.least_steps > 1 && c.least_steps > steps_along(p.K, 1, c.depth)) ||
		(c.classes && !can_class(p)))
		return false;
	switch (c.family) {
	case FAMILY_TMA: return p.odd_a && !p.odd_b && !p.odd_c;
	case FAMILY_COPIED:
		return p.odd_a && (!has_one_tile(c) || cut_tiles(c, p) <= device.clusters[c.cluster]);
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

template <class Element>
static __forceinline__ float cut_time(const hopper_device &device, const cut<Element> &c,
									  const problem<Element> &p)
{
	if (is_plain(c)) {
		plain_cuts<1> one;
		plain_set(one, 0, device, c);
		return plain_time(one, 0, plain_problem(p));
	}
	int longest = (steps_along(p.K, c.classes ? p.apart_a : 1, c.depth) + c.splits - 1) / c.splits;
	float rounds = (float)cut_tiles(c, p) / (float)device.clusters[c.cluster];
	float whole = rounded_up(rounds), busy = rounds / whole, slow = 0.0f, copy = 0.0f;
	switch (c.family) {
	case FAMILY_TMA: // persistent: rounds are whole
	case FAMILY_COPIED: {
		bool copies = c.family == FAMILY_COPIED;
		rounds = whole;
		slow = copies ? 0.0f : step_off(rows_off(p.K), columns_off(p.N), c.rows_share);
		copy = copies && p.odd_b ? copy_time<Element>((float)p.K * p.N) : 0.0f;
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
	float tile = tile_time(c) + p.reads_c * c.us.reads_c + (p.N % 4 != 0) * c.us.ragged;
	return c.us.launch + copy + rounds * (longest * step + tile);
}

/* At least, without which cut_time() may be too little. */
template <class Element>
static float cut_least(const cut<Element> &c, const problem<Element> &p, const plain_problem &facts)
{
	if (c.family != FAMILY_TMA && c.family != FAMILY_COPIED)
		return 0.0f; // slower than that
	return least_time((float)cut_tiles(c, p) * c.rows * c.columns * facts.K, c.lines, c.splits > 1,
					  facts.bytes);
}

#endif
