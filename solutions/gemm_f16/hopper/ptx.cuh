/* Instructions of Hopper GPUs that CUDA C++ has no function for: one function each, named after the
 * instruction. Sections are those of the PTX ISA. wgmma.cuh has the tensor cores'. */
#ifndef HOPPER_PTX_CUH
#define HOPPER_PTX_CUH

#include <cuda.h>
#include <stdint.h>

namespace hopper
{
__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
	return (uint32_t)__cvta_generic_to_shared(pointer);
}

/* The address that has this place in the shared memory of another block of the cluster. */
__device__ __forceinline__ uint32_t cluster_address(uint32_t address, uint32_t block)
{
	uint32_t there;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
	return there;
}

/* ---- mbarrier (9.7.13.15) ---- */

__device__ __forceinline__ void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

/* Makes this thread's mbarrier_init() visible to the cluster and to bulk copies. */
__device__ __forceinline__ void mbarriers_ready(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;\n\t"
				 "fence.proxy.async.shared::cta;" ::
					 : "memory");
}

__device__ __forceinline__ void mbarrier_expect(uint32_t barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
				 : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint32_t barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives at the barrier at the same address in another block of the cluster. Of block scope: no
 * ordinary write is handed over, and a release of cluster scope would cost a memory barrier, 0.4 us
 * on an H200. */
__device__ __forceinline__ void mbarrier_arrive_cluster(uint32_t barrier, uint32_t block)
{
	asm volatile(
		"mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(barrier, block))
		: "memory");
}

/* Whether the phase of that parity has completed: 1 or 0. */
__device__ __forceinline__ uint32_t mbarrier_done(uint32_t barrier, uint32_t parity)
{
	uint32_t done;
	asm volatile("{\n\t"
				 ".reg .pred done;\n\t"
				 "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
				 "selp.b32 %0, 1, 0, done;\n\t"
				 "}"
				 : "=r"(done)
				 : "r"(barrier), "r"(parity)
				 : "memory");
	return done;
}

/* Waits, unless the phase is known to be `done`. */
__device__ __forceinline__ void mbarrier_wait_unless(uint32_t done, uint32_t barrier,
													 uint32_t parity)
{
	asm volatile("{\n\t"
				 ".reg .pred done;\n\t"
				 "setp.ne.b32 done, %0, 0;\n\t"
				 "@done bra over;\n\t"
				 "again:\n\t"
				 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
				 "@!done bra again;\n\t"
				 "over:\n\t"
				 "}" ::"r"(done),
				 "r"(barrier), "r"(parity)
				 : "memory");
}

__device__ __forceinline__ void mbarrier_wait(uint32_t barrier, uint32_t parity)
{
	mbarrier_wait_unless(0, barrier, parity);
}

/* ---- cp.async (9.7.9.25.3) ---- */

/* 16 bytes into shared memory; both addresses are multiples of 16. */
__device__ __forceinline__ void copy_async(uint32_t to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void copies_commit(void)
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits for all groups. */
__device__ __forceinline__ void copies_wait(void)
{
	asm volatile("cp.async.wait_group 0;" ::: "memory");
}

/* This thread arrives at the barrier when all copies that it has begun are there. */
__device__ __forceinline__ void copies_arrive(uint32_t barrier)
{
	asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* ---- TMA and other bulk copies (9.7.9.25.5, 9.7.9.27) ---- */

__device__ __forceinline__ void tma_prefetch_map(const CUtensorMap *map)
{
	asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* A box of a 2D tensor, `x` the contiguous coordinate, into shared memory; completes on the
 * barrier. */
__device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, uint32_t barrier,
										 int x, int y)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y)
				 : "memory");
}

__device__ __forceinline__ void tma_load_3d(uint32_t to, const CUtensorMap *map, uint32_t barrier,
											int x, int y, int z)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
				 : "memory");
}

/* A box into every block of the cluster that `blocks` has a bit for, at the same address,
 * completing on each one's own barrier. */
__device__ __forceinline__ void tma_load_multicast(uint32_t to, const CUtensorMap *map,
												   uint32_t barrier, int x, int y, uint16_t blocks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
				 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(blocks)
				 : "memory");
}

__device__ __forceinline__ void tma_load_3d_multicast(uint32_t to, const CUtensorMap *map,
													  uint32_t barrier, int x, int y, int z,
													  uint16_t blocks)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
				 ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
				 : "memory");
}

/* A box in shared memory to a 2D tensor; what lies outside of the tensor is not written. */
__device__ __forceinline__ void tma_store(const CUtensorMap *map, uint32_t from, int x, int y)
{
	asm volatile(
		"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
		"r"(from), "r"(x), "r"(y)
		: "memory");
}

/* Waits until this thread's stores have read shared memory. */
__device__ __forceinline__ void tma_stores_read(void)
{
	asm volatile("cp.async.bulk.commit_group;\n\t"
				 "cp.async.bulk.wait_group.read 0;" ::
					 : "memory");
}

/* Bytes of this block's shared memory into that of another block of the cluster; completes on a
 * barrier there. All addresses and sizes are multiples of 16. */
__device__ __forceinline__ void bulk_push(uint32_t to, uint32_t from, uint32_t bytes,
										  uint32_t barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
				 "[%0], [%1], %2, [%3];" ::"r"(to),
				 "r"(from), "r"(bytes), "r"(barrier)
				 : "memory");
}

/* This thread's ordinary accesses to shared memory, or to all memory, come before what TMA or wgmma
 * do there afterwards (8.7: proxies). */
__device__ __forceinline__ void fence_async_shared(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void fence_async(void)
{
	asm volatile("fence.proxy.async;" ::: "memory");
}

/* ---- loads and stores ---- */

/* An instruction if operand WANTED is not 0. There is no branch, so that many are in flight at
 * once. */
#define HOPPER_IF_WANTED(WANTED, INSTRUCTION)                                                      \
	"{\n\t"                                                                                        \
	".reg .pred wanted;\n\t"                                                                       \
	"setp.ne.b32 wanted, %" WANTED ", 0;\n\t"                                                      \
	"@wanted " INSTRUCTION ";\n\t"                                                                 \
	"}"

__device__ __forceinline__ uint4 shared_load(uint32_t from)
{
	uint4 x;
	asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
				 : "r"(from)
				 : "memory");
	return x;
}

__device__ __forceinline__ uint4 shared_load(uint32_t from, bool wanted)
{
	uint4 x = make_uint4(0, 0, 0, 0);
	asm volatile(HOPPER_IF_WANTED("5", "ld.shared.v4.b32 {%0, %1, %2, %3}, [%4]")
				 : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)
				 : "r"(from), "r"((int)wanted)
				 : "memory");
	return x;
}

__device__ __forceinline__ uint32_t shared_load_word(uint32_t from)
{
	uint32_t x;
	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
	return x;
}

__device__ __forceinline__ uint16_t shared_load_element(uint32_t from, bool wanted)
{
	uint16_t x = 0;
	asm volatile(HOPPER_IF_WANTED("2", "ld.shared.b16 %0, [%1]")
				 : "+h"(x)
				 : "r"(from), "r"((int)wanted)
				 : "memory");
	return x;
}

__device__ __forceinline__ void shared_store(uint32_t to, uint4 x)
{
	asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x.x), "r"(x.y), "r"(x.z),
				 "r"(x.w)
				 : "memory");
}
__device__ __forceinline__ void shared_store(uint32_t to, uint32_t x)
{
	asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(x) : "memory");
}
__device__ __forceinline__ void shared_store(uint32_t to, uint16_t x)
{
	asm volatile("st.shared.b16 [%0], %1;" ::"r"(to), "h"(x) : "memory");
}

/* An element of a matrix that the kernel may write (so not by way of .nc). */
__device__ __forceinline__ uint16_t element_load(const uint16_t *from, bool wanted)
{
	uint16_t x = 0;
	asm volatile(HOPPER_IF_WANTED("2", "ld.global.b16 %0, [%1]")
				 : "+h"(x)
				 : "l"(from), "r"((int)wanted)
				 : "memory");
	return x;
}

/* 16 aligned bytes of an operand. */
__device__ __forceinline__ uint4 vector_load(const void *from, bool wanted)
{
	uint4 x = make_uint4(0, 0, 0, 0);
	asm volatile(HOPPER_IF_WANTED("5", "ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4]")
				 : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)
				 : "l"(from), "r"((int)wanted));
	return x;
}

/* V elements of an operand, aligned to their size. A single one comes in the word's lower half. */
template <int V>
__device__ __forceinline__ void elements_load(const uint16_t *from, bool wanted, uint32_t *x)
{
	x[0] = 0;
	if constexpr (V == 4) {
		x[1] = 0;
		asm volatile(HOPPER_IF_WANTED("3", "ld.global.nc.v2.b32 {%0, %1}, [%2]")
					 : "+r"(x[0]), "+r"(x[1])
					 : "l"(from), "r"((int)wanted));
	} else if constexpr (V == 2) {
		asm volatile(HOPPER_IF_WANTED("2", "ld.global.nc.b32 %0, [%1]")
					 : "+r"(x[0])
					 : "l"(from), "r"((int)wanted));
	} else {
		asm volatile(HOPPER_IF_WANTED("2", "ld.global.nc.u16 %0, [%1]")
					 : "+r"(x[0])
					 : "l"(from), "r"((int)wanted));
	}
}

/* 16 bytes at once, which a plain assignment need not be. */
__device__ __forceinline__ void global_store(void *to, uint4 x)
{
	asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.x), "r"(x.y), "r"(x.z),
				 "r"(x.w)
				 : "memory");
}

/* ---- ldmatrix, stmatrix: four 8x8 matrices of 16-bit elements (9.7.14.5.15, 9.7.14.5.16) ---- */

/* Lane l gives the address of row l%8 of matrix l/8; register i has, of matrix i, elements 2*(l%4)
 * and the next of row l/4. */
__device__ __forceinline__ void load_matrices(uint32_t (&x)[4], uint32_t from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
				 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
				 : "r"(from)
				 : "memory");
}
__device__ __forceinline__ void store_matrices(uint32_t to, const uint32_t (&x)[4])
{
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
				 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
				 : "memory");
}

/* Each matrix transposed on its way: COUNT of them, 2 or 4. */
template <int COUNT>
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&x)[4], uint32_t from)
{
	if constexpr (COUNT == 4)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
					 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
					 : "r"(from)
					 : "memory");
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
					 : "=r"(x[0]), "=r"(x[1])
					 : "r"(from)
					 : "memory");
}
template <int COUNT>
__device__ __forceinline__ void store_matrices_transposed(uint32_t to, const uint32_t (&x)[4])
{
	if constexpr (COUNT == 4)
		asm volatile(
			"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
			"r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
			: "memory");
	else
		asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to),
					 "r"(x[0]), "r"(x[1])
					 : "memory");
}

/* ---- warps, blocks, clusters ---- */

template <int REGISTERS> __device__ __forceinline__ void registers_give(void)
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS> __device__ __forceinline__ void registers_take(void)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* bar.sync: barrier 0 is __syncthreads()'s. */
__device__ __forceinline__ void named_barrier(int id, int threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* True for one lane of a warp that is all here (9.7.13.10, elect.sync). Asked right where that lane
 * issues TMA: else the compiler does not know that it is one lane, and loops over the lanes around
 * each TMA instruction. */
__device__ __forceinline__ bool elected(void)
{
	uint32_t chosen;
	asm volatile("{\n\t"
				 ".reg .pred p;\n\t"
				 "elect.sync _|p, 0xFFFFFFFF;\n\t"
				 "selp.b32 %0, 1, 0, p;\n\t"
				 "}"
				 : "=r"(chosen));
	return chosen;
}

/* The block's rank in its cluster; the cluster's number along x; how many clusters there are. A
 * block launched without clusters is a cluster of its own. */
__device__ __forceinline__ uint32_t cluster_rank(void)
{
	uint32_t rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}
__device__ __forceinline__ int cluster_number(void)
{
	int number;
	asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
	return number;
}
__device__ __forceinline__ int cluster_count(void)
{
	int count;
	asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
	return count;
}

/* The barrier of a cluster's blocks. Relaxed: mbarriers have a fence of their own, and no other
 * write is handed over. Not the .aligned form, as a producer's warps may come in parts. A thread
 * that has arrived should wait for nothing else before it waits here: a kernel whose producer did
 * never ended on an H200. */
__device__ __forceinline__ void cluster_arrive(void)
{
	asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait(void)
{
	asm volatile("barrier.cluster.wait;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync(void)
{
	cluster_arrive();
	cluster_wait();
}
} // namespace hopper

#endif
