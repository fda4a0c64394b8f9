/* The tile kernel for operands that TMA cannot address, in one launch: rows may
 * start at any element. (TMA needs row lengths and box starts that are multiples
 * of 16 bytes; on an H200 a box that starts elsewhere is an illegal instruction.)
 *
 * Producer warpgroups take the place of TMA. A thread reads the two aligned
 * 16-byte words around its 8 elements, shifts them together and stores them
 * where TMA would have put them, swizzle included; the consumers are the same.
 * Producers take turns at the stages, so that several stages are on their way
 * from memory at once without a thread having to look ahead.
 *
 * It starts faster than the TMA kernel, because there is no tensor map to be
 * fetched, and so it serves the smallest aligned shapes too. What bounds it on
 * large shapes is the first-level cache: an operand passes it twice on the way in.
 *
 * Outside of the matrices nothing is read. Along K both operands are filled up
 * with zeros; what lies beyond M and N is never stored. */
#ifndef GEMMJUDGE_HOPPER_SHIFTED_CUH
#define GEMMJUDGE_HOPPER_SHIFTED_CUH

#include "consume.cuh"
#include "groups.cuh"

/* The block, or the cluster that shares a tile, knows its barriers. */
template <class config, int PRODUCERS> __device__ __forceinline__ void shifted_meet(void)
{
	if (config::SPLIT)
		cluster_meet();
	else
		block_meet(WARPGROUP * (config::CONSUMERS + PRODUCERS));
}

/* Producer number `producer` fills every PRODUCERS-th stage, DEEP groups at a time.
 * The block meets once the first loads are on their way: until then nobody needs
 * the barriers. */
template <class config, int PRODUCERS, int DEEP>
__device__ __forceinline__ void produce_shifted(const odd_matrix &A, const odd_matrix &B,
												const gemm_work &work, uint32_t base, uint32_t full,
												uint32_t empty, int producer)
{
	constexpr int A_GROUPS = config::BM / 64, GROUPS = A_GROUPS + config::BN / BOX;
	int begin, end;
	block_steps<config>(work, begin, end);
	tile_origin at = block_tile<config>(work, doer_number<config>());
	int row = at.row, column = at.column;
	using part = group<BOX>;
	word_stream a = stream_make<part>(A, row, 0), b = stream_make<part>(B, 0, column);
	bool whole_m = row + config::BM <= A.rows, whole_n = column + config::BN + 8 <= B.columns;

	bool met = false;
	for (int k = begin + producer, turn = producer; k < end; k += PRODUCERS, turn += PRODUCERS) {
		int stage = turn % config::STAGES, k0 = k * BK;
		uint32_t to = base + stage * config::stage_bytes;
#pragma unroll
		for (int done = 0; done < GROUPS; done += DEEP) {
			part groups[DEEP];
#pragma unroll
			for (int i = 0; i < DEEP && done + i < GROUPS; i++) {
				int which = done + i, box = which - A_GROUPS;
				if (which < A_GROUPS) {
					const char *word = a.word + (size_t)k0 * 2 + which * part::UNITS * a.step;
					if (whole_m && k0 + BK + 8 <= A.columns)
						group_load_inside(groups[i], a, word);
					else
						group_load_edge(groups[i], a, word, row + which * 64 + part::row(), A.rows,
										A.columns - k0 - part::column());
				} else {
					const char *word = b.word + (size_t)k * part::UNITS * b.step + box * BOX * 2;
					if (whole_n && k0 + BK <= B.rows)
						group_load_inside(groups[i], b, word);
					else
						group_load_edge(groups[i], b, word, k0 + part::row(), B.rows,
										B.columns - column - box * BOX - part::column());
				}
			}
			if (!met)
				shifted_meet<config, PRODUCERS>();
			met = true;
			if (done == 0) // the first round finds every stage empty
				mbarrier_wait(empty + 8 * stage, turn / config::STAGES % 2 ^ 1);
#pragma unroll
			for (int i = 0; i < DEEP && done + i < GROUPS; i++)
				group_store(groups[i], done + i < A_GROUPS ? a : b, to + (done + i) * 64 * BK * 2);
		}
		fence_async_shared(); // wgmma reads it
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			mbarrier_arrive(full + 8 * stage);
	}
	if (!met)
		shifted_meet<config, PRODUCERS>();
}

/* A block whose last PRODUCERS warpgroups fill the stages: each calls produce(base, full, empty,
 * number). A stage is full after so many arrivals. */
template <class Element, class config, int PRODUCERS, class Produce>
__device__ __forceinline__ void shifted_block(const gemm_work &work, const epilogue<Element> &out,
											  int arrivals, Produce produce)
{
	extern __shared__ char shared_raw[];
	uint32_t base = (shared_address(shared_raw) + 1023) & ~1023u;
	char *shared = shared_raw + (base - shared_address(shared_raw));
	uint32_t full = base + config::barrier_offset, empty = full + 8 * config::STAGES;

	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	if (warpgroup >= config::CONSUMERS) {
		produce(base, full, empty, warpgroup - config::CONSUMERS);
	} else {
		if (threadIdx.x == 0)
			barriers_init<config, 0, config::barriers>(full, arrivals, config::CONSUMERS);
		shifted_meet<config, PRODUCERS>();
		consume<Element, config>(work, out, NULL, shared, base, full, empty, warpgroup,
								 doer_number<config>(), doers<config>());
	}
	if (config::SPLIT) // before a block ends whose sums are read
		cluster_meet();
}

template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
__global__ void __launch_bounds__(WARPGROUP *(config::CONSUMERS + PRODUCERS), BLOCKS)
	gemm_shifted(const odd_matrix A, const odd_matrix B, const gemm_work work,
				 const epilogue<Element> out)
{
	shifted_block<Element, config, PRODUCERS>(
		work, out, WARPGROUP / 32, [&](uint32_t base, uint32_t full, uint32_t empty, int producer) {
			produce_shifted<config, PRODUCERS, DEEP>(A, B, work, base, full, empty, producer);
		});
}

#endif
