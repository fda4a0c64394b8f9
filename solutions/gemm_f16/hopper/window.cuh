/* The way out of shallow.cuh: a warp's rows of C are some apart, so that they start alike, and its
 * columns begin where they have a unit of 16 bytes. So pairs of columns stay words, and matrices of
 * 8x8 go to shared memory as they are; from there whole units leave, a unit a lane, and at the ends
 * of C's rows elements. Where beta is not 0, C's values have come to the very same place. */
#ifndef GEMMJUDGE_HOPPER_WINDOW_CUH
#define GEMMJUDGE_HOPPER_WINDOW_CUH

#include "finish.cuh"

/* A warp's 16 rows of BN columns of C, `apart` rows from each other, whose columns begin at a
 * unit; the first and the last unit of C's rows may lie in it in part. */
template <class Element, int BN> struct c_window {
	static constexpr int PITCH = row_pitch(BN);
	static constexpr int PLACE_BYTES = 16 * PITCH;
	static constexpr int LANES = BN / UNIT, TOGETHER = 32 / LANES; // of a row; rows at once
	static constexpr int PASSES = 16 / TOGETHER;

	uint32_t staging;
	Element *from;
	int row, apart, column;
	int rows, begin, end; // rows and columns that lie in C
	size_t leading;       // elements between rows

	__device__ __forceinline__ bool whole(void) const
	{
		return rows >= 16 && begin == 0 && end == BN;
	}

	/* The lane's units that lie in C: calls each(pass, place, element) with where they are in
	 * shared memory and in C. */
	template <class Each> __device__ __forceinline__ void for_units(Each each) const
	{
		int first = threadIdx.x % 32 / LANES, offset = threadIdx.x % LANES * UNIT;
		uint32_t place = staging + first * PITCH + offset * 2;
		Element *unit = from + first * leading + offset;
		int below = offset >= begin && offset + UNIT <= end ? rows - first : 0;
#pragma unroll
		for (int pass = 0; pass < PASSES; pass++, unit += TOGETHER * leading)
			if (pass * TOGETHER < below)
				each(pass, place + pass * TOGETHER * PITCH, unit);
	}

	/* The lane's elements of units that lie in C in part: calls each(place, element). */
	template <class Each> __device__ __forceinline__ void for_ends(Each each) const
	{
		int whole = (begin + UNIT - 1) / UNIT * UNIT, tail = max(end / UNIT * UNIT, whole);
#pragma unroll 1
		for (int i = threadIdx.x % 32; i < 16 * 2 * UNIT; i += 32) {
			int row = i / (2 * UNIT), which = i % (2 * UNIT);
			int column = which < UNIT ? begin + which : tail + which - UNIT;
			int stop = which < UNIT ? min(whole, end) : end;
			if (row < rows && column < stop)
				each(staging + row * PITCH + column * 2, (uint16_t *)from + row * leading + column);
		}
	}

	/* C's values into the place. */
	__device__ __forceinline__ void load(void) const
	{
		if (!whole()) {
			place_clear<PLACE_BYTES>(staging);
			for_ends(
				[](uint32_t place, const uint16_t *element) { shared_store(place, *element); });
		}
		for_units([](int, uint32_t place, const Element *unit) { copy_async(place, unit); });
	}

	__device__ __forceinline__ void store(void) const
	{
		uint4 units[PASSES];
		__syncwarp();
		for_units([&](int pass, uint32_t place, Element *) { units[pass] = shared_load(place); });
		for_units([&](int pass, uint32_t, Element *unit) { global_store(unit, units[pass]); });
		if (!whole())
			for_ends([](uint32_t place, uint16_t *element) {
				*element = shared_load_element(place, true);
			});
	}
};

template <class Element, int BN>
__device__ __forceinline__ void finish(const float (&sum)[BN / 2], const epilogue<Element> &out,
									   bool reads_c, const c_window<Element, BN> &part)
{
	int lane = threadIdx.x % 32, row = part.row + lane / 4 * part.apart, below = 8 * part.apart;
	int column = part.column + lane % 4 * 2;
	uint32_t at[BN / 16];
#pragma unroll
	for (int j = 0; j < BN / 16; j++)
		at[j] = part.staging + lane % 16 * part.PITCH + (2 * j + lane / 16) * 16;
	if (reads_c) {
		copies_wait<0>();
		__syncwarp();
		finish_box<Element, true>(sum, out, at, 0, row, below, column);
	} else {
		finish_box<Element, false>(sum, out, at, 0, row, below, column);
	}
	part.store();
}

/* The warp's part of C from `row` and `column` on, with `staging` as its place. */
template <int BN, class Element>
__device__ __forceinline__ c_window<Element, BN>
c_window_make(const epilogue<Element> &out, uint32_t staging, int row, int apart, int column)
{
	return {staging,
			out.C + (long long)row * out.N + column,
			row,
			apart,
			column,
			(out.M - row + apart - 1) / apart,
			max(-column, 0),
			min(BN, out.N - column),
			(size_t)apart * out.N};
}

#endif
