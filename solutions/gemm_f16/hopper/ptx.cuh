/* Thin wrappers around the Hopper instructions that the kernels use; one
 * function an instruction, named after it. Sections are those of the PTX ISA. */
#ifndef GEMMJUDGE_HOPPER_PTX_CUH
#define GEMMJUDGE_HOPPER_PTX_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
	return (uint32_t)__cvta_generic_to_shared(pointer);
}

/* The same place in the shared memory of another block of the cluster. */
__device__ __forceinline__ uint32_t cluster_address(uint32_t address, uint32_t block)
{
	uint32_t there;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
	return there;
}

/* ---- mbarrier (9.7.13.15) ---------------------------------------------- */

__device__ __forceinline__ void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

/* What this thread has initialised is so for the cluster, and for this thread's bulk
 * copies. */
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

/* Arrives at the barrier at the same place in another block of the cluster. Of
 * block scope: no ordinary write is handed over, and a release of cluster scope
 * would cost a memory barrier, 0.4 us on an H200. */
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

/* Waits, unless it is known to be `done`. */
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

/* ---- copies without a register (9.7.9.25.3) ----------------------------- */

/* 16 bytes into shared memory, both places multiples of 16. */
__device__ __forceinline__ void copy_async(uint32_t to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* The same of the first `bytes` bytes only; zeros for the others. */
__device__ __forceinline__ void copy_async(uint32_t to, const void *from, uint32_t bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
				 : "memory");
}

/* Those that this thread asked for since the last time are a group. */
__device__ __forceinline__ void copies_commit(void)
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits for all groups but the last PENDING ones. */
template <int PENDING> __device__ __forceinline__ void copies_wait(void)
{
	asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* ---- bulk tensor copies (9.7.9.27) ------------------------------------- */

__device__ __forceinline__ void tma_prefetch_map(const CUtensorMap *map)
{
	asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* A box of a 2D tensor, `x` the contiguous coordinate, into shared memory;
 * completes on the barrier. */
__device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, uint32_t barrier,
										 int x, int y)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y)
				 : "memory");
}

/* A box of a 3D tensor. */
__device__ __forceinline__ void tma_load_3d(uint32_t to, const CUtensorMap *map, uint32_t barrier,
											int x, int y, int z)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
				 : "memory");
}

/* A 2D box into every block of the cluster that `blocks` has a bit for, at
 * the same place, completing on each one's own barrier. */
__device__ __forceinline__ void tma_load_multicast(uint32_t to, const CUtensorMap *map,
												   uint32_t barrier, int x, int y, uint16_t blocks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
				 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(blocks)
				 : "memory");
}

/* The same of a 3D tensor. */
__device__ __forceinline__ void tma_load_3d_multicast(uint32_t to, const CUtensorMap *map,
													  uint32_t barrier, int x, int y, int z,
													  uint16_t blocks)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
				 ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
				 : "memory");
}

/* Bytes of this block's shared memory into that of another block of the cluster; completes
 * on a barrier there. All addresses and sizes are multiples of 16. */
__device__ __forceinline__ void bulk_push(uint32_t to, uint32_t from, uint32_t bytes,
										  uint32_t barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
				 "[%0], [%1], %2, [%3];" ::"r"(to),
				 "r"(from), "r"(bytes), "r"(barrier)
				 : "memory");
}

__device__ __forceinline__ uint4 shared_load(uint32_t from)
{
	uint4 x;
	asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
				 : "r"(from)
				 : "memory");
	return x;
}

__device__ __forceinline__ uint32_t shared_load_word(uint32_t from)
{
	uint32_t x;
	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
	return x;
}

/* An element if `wanted`, else 0; without a branch, so that many are under way at once. Not by
 * way of .nc, as elements_load() of words.cuh: the kernel writes C. */
__device__ __forceinline__ uint16_t element_load(const uint16_t *from, bool wanted)
{
	uint16_t x = 0;
	asm volatile("{\n\t"
				 ".reg .pred wanted;\n\t"
				 "setp.ne.b32 wanted, %2, 0;\n\t"
				 "@wanted ld.global.b16 %0, [%1];\n\t"
				 "}"
				 : "+h"(x)
				 : "l"(from), "r"((int)wanted)
				 : "memory");
	return x;
}

/* 16 bytes at once, which a plain assignment need not be. */
__device__ __forceinline__ void global_store(void *to, uint4 x)
{
	asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.x), "r"(x.y), "r"(x.z),
				 "r"(x.w)
				 : "memory");
}

/* As element_load() of shared memory; and 16 bytes. */
__device__ __forceinline__ uint16_t shared_load_element(uint32_t from, bool wanted)
{
	uint16_t x = 0;
	asm volatile("{\n\t"
				 ".reg .pred wanted;\n\t"
				 "setp.ne.b32 wanted, %2, 0;\n\t"
				 "@wanted ld.shared.b16 %0, [%1];\n\t"
				 "}"
				 : "+h"(x)
				 : "r"(from), "r"((int)wanted)
				 : "memory");
	return x;
}

__device__ __forceinline__ uint4 shared_load(uint32_t from, bool wanted)
{
	uint4 x = make_uint4(0, 0, 0, 0);
	asm volatile("{\n\t"
				 ".reg .pred wanted;\n\t"
				 "setp.ne.b32 wanted, %5, 0;\n\t"
				 "@wanted ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];\n\t"
				 "}"
				 : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)
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

/* A box in shared memory to a 2D tensor, of the thread's current bulk group; what lies
 * outside of the tensor is not written. */
__device__ __forceinline__ void tma_store(const CUtensorMap *map, uint32_t from, int x, int y)
{
	asm volatile(
		"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
		"r"(from), "r"(x), "r"(y)
		: "memory");
}

/* Waits until the thread's stores have read shared memory. */
__device__ __forceinline__ void tma_stores_read(void)
{
	asm volatile("cp.async.bulk.commit_group;\n\t"
				 "cp.async.bulk.wait_group.read 0;" ::
					 : "memory");
}

/* This thread's ordinary accesses to shared memory come before what TMA or wgmma do
 * there afterwards (8.7: proxies). */
__device__ __forceinline__ void fence_async_shared(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* The same for all memory. */
__device__ __forceinline__ void fence_async(void)
{
	asm volatile("fence.proxy.async;" ::: "memory");
}

/* ---- four 8x8 matrices of 16-bit elements (9.7.14.5.15, 9.7.14.5.16) ------- */

/* Lane l gives the address of row l%8 of matrix l/8; register i gets or has, of matrix
 * i, elements 2*(l%4) and the next of row l/4. */
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

/* The same, each matrix transposed on its way. */
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&x)[4], uint32_t from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
				 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
				 : "r"(from)
				 : "memory");
}

/* The first two matrices only: x[0] and x[1]. */
__device__ __forceinline__ void load_two_matrices_transposed(uint32_t (&x)[4], uint32_t from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
				 : "=r"(x[0]), "=r"(x[1])
				 : "r"(from)
				 : "memory");
}

__device__ __forceinline__ void store_two_matrices_transposed(uint32_t to, const uint32_t (&x)[4])
{
	asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to),
				 "r"(x[0]), "r"(x[1])
				 : "memory");
}

__device__ __forceinline__ void store_matrices_transposed(uint32_t to, const uint32_t (&x)[4])
{
	asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
				 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
				 : "memory");
}

/* d (16 x 8, four sums of a lane, f32) += a * b, m16n8k16 (9.7.14.5.8). */
template <class Element>
__device__ __forceinline__ void mma_sync(float *d, uint32_t a0, uint32_t a1, uint32_t a2,
										 uint32_t a3, uint32_t b0, uint32_t b1)
{
	if constexpr (std::is_same_v<Element, half>)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
					 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
					 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
	else
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
					 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/* ---- wgmma (9.7.15) ----------------------------------------------------- */

__device__ __forceinline__ void wgmma_fence(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void wgmma_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Matrix descriptor (9.7.15.5.1.2.2) of an operand with the 128-byte swizzle and a stride dimension
 * byte offset of 1024, in two steps. Its lower half has the start address and the leading dimension
 * byte offset: between two wgmma only an addition is left to be done, as the warp that issues
 * them would otherwise take longer than the tensor cores. */
__device__ __forceinline__ uint32_t wgmma_operand(uint32_t address, uint32_t leading)
{
	return (address & 0x3FFFF) >> 4 | leading >> 4 << 16; // above: the block's rank in its cluster
}

/* Of the operand that begins so many bytes further on. */
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t operand, uint32_t bytes)
{
	constexpr uint32_t STRIDE = 1024 >> 4, SWIZZLE_128 = 1u << 30;
	return (uint64_t)(STRIDE | SWIZZLE_128) << 32 | (operand + (bytes >> 4));
}

/* d (64 x N, f32, the warpgroup's registers) = a * b, plus d when `accumulate`.
 * A is K-major in shared memory, B is N-major (its rows along N, as a row-major
 * K x N matrix has them); TURNED: A is M-major, B is K-major. */
template <class Element, int N> struct wgmma;

/* Register lists of 64 x N sums: their names in PTX, %0 to %(N/2 - 1), and their C++. */
#define HOPPER_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define HOPPER_NAMES_24 HOPPER_NAMES_16 ", %8, %9, %10, %11"
#define HOPPER_NAMES_32 HOPPER_NAMES_24 ", %12, %13, %14, %15"
#define HOPPER_NAMES_40 HOPPER_NAMES_32 ", %16, %17, %18, %19"
#define HOPPER_NAMES_48 HOPPER_NAMES_40 ", %20, %21, %22, %23"
#define HOPPER_NAMES_56 HOPPER_NAMES_48 ", %24, %25, %26, %27"
#define HOPPER_NAMES_64 HOPPER_NAMES_56 ", %28, %29, %30, %31"
#define HOPPER_NAMES_72 HOPPER_NAMES_64 ", %32, %33, %34, %35"
#define HOPPER_NAMES_80 HOPPER_NAMES_72 ", %36, %37, %38, %39"
#define HOPPER_NAMES_88 HOPPER_NAMES_80 ", %40, %41, %42, %43"
#define HOPPER_NAMES_96 HOPPER_NAMES_88 ", %44, %45, %46, %47"
#define HOPPER_NAMES_104 HOPPER_NAMES_96 ", %48, %49, %50, %51"
#define HOPPER_NAMES_112 HOPPER_NAMES_104 ", %52, %53, %54, %55"
#define HOPPER_NAMES_120 HOPPER_NAMES_112 ", %56, %57, %58, %59"
#define HOPPER_NAMES_128 HOPPER_NAMES_120 ", %60, %61, %62, %63"
#define HOPPER_NAMES_136 HOPPER_NAMES_128 ", %64, %65, %66, %67"
#define HOPPER_NAMES_144 HOPPER_NAMES_136 ", %68, %69, %70, %71"
#define HOPPER_NAMES_152 HOPPER_NAMES_144 ", %72, %73, %74, %75"
#define HOPPER_NAMES_160 HOPPER_NAMES_152 ", %76, %77, %78, %79"
#define HOPPER_NAMES_168 HOPPER_NAMES_160 ", %80, %81, %82, %83"
#define HOPPER_NAMES_176 HOPPER_NAMES_168 ", %84, %85, %86, %87"
#define HOPPER_NAMES_184 HOPPER_NAMES_176 ", %88, %89, %90, %91"
#define HOPPER_NAMES_192 HOPPER_NAMES_184 ", %92, %93, %94, %95"
#define HOPPER_NAMES_200 HOPPER_NAMES_192 ", %96, %97, %98, %99"
#define HOPPER_NAMES_208 HOPPER_NAMES_200 ", %100, %101, %102, %103"
#define HOPPER_NAMES_216 HOPPER_NAMES_208 ", %104, %105, %106, %107"
#define HOPPER_NAMES_224 HOPPER_NAMES_216 ", %108, %109, %110, %111"
#define HOPPER_NAMES_232 HOPPER_NAMES_224 ", %112, %113, %114, %115"
#define HOPPER_NAMES_240 HOPPER_NAMES_232 ", %116, %117, %118, %119"
#define HOPPER_NAMES_248 HOPPER_NAMES_240 ", %120, %121, %122, %123"
#define HOPPER_NAMES_256 HOPPER_NAMES_248 ", %124, %125, %126, %127"
#define HOPPER_FLOATS_4(i) "+f"(d[(i) + 0]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define HOPPER_FLOATS_16 HOPPER_FLOATS_4(0), HOPPER_FLOATS_4(4)
#define HOPPER_FLOATS_24 HOPPER_FLOATS_16, HOPPER_FLOATS_4(8)
#define HOPPER_FLOATS_32 HOPPER_FLOATS_24, HOPPER_FLOATS_4(12)
#define HOPPER_FLOATS_40 HOPPER_FLOATS_32, HOPPER_FLOATS_4(16)
#define HOPPER_FLOATS_48 HOPPER_FLOATS_40, HOPPER_FLOATS_4(20)
#define HOPPER_FLOATS_56 HOPPER_FLOATS_48, HOPPER_FLOATS_4(24)
#define HOPPER_FLOATS_64 HOPPER_FLOATS_56, HOPPER_FLOATS_4(28)
#define HOPPER_FLOATS_72 HOPPER_FLOATS_64, HOPPER_FLOATS_4(32)
#define HOPPER_FLOATS_80 HOPPER_FLOATS_72, HOPPER_FLOATS_4(36)
#define HOPPER_FLOATS_88 HOPPER_FLOATS_80, HOPPER_FLOATS_4(40)
#define HOPPER_FLOATS_96 HOPPER_FLOATS_88, HOPPER_FLOATS_4(44)
#define HOPPER_FLOATS_104 HOPPER_FLOATS_96, HOPPER_FLOATS_4(48)
#define HOPPER_FLOATS_112 HOPPER_FLOATS_104, HOPPER_FLOATS_4(52)
#define HOPPER_FLOATS_120 HOPPER_FLOATS_112, HOPPER_FLOATS_4(56)
#define HOPPER_FLOATS_128 HOPPER_FLOATS_120, HOPPER_FLOATS_4(60)
#define HOPPER_FLOATS_136 HOPPER_FLOATS_128, HOPPER_FLOATS_4(64)
#define HOPPER_FLOATS_144 HOPPER_FLOATS_136, HOPPER_FLOATS_4(68)
#define HOPPER_FLOATS_152 HOPPER_FLOATS_144, HOPPER_FLOATS_4(72)
#define HOPPER_FLOATS_160 HOPPER_FLOATS_152, HOPPER_FLOATS_4(76)
#define HOPPER_FLOATS_168 HOPPER_FLOATS_160, HOPPER_FLOATS_4(80)
#define HOPPER_FLOATS_176 HOPPER_FLOATS_168, HOPPER_FLOATS_4(84)
#define HOPPER_FLOATS_184 HOPPER_FLOATS_176, HOPPER_FLOATS_4(88)
#define HOPPER_FLOATS_192 HOPPER_FLOATS_184, HOPPER_FLOATS_4(92)
#define HOPPER_FLOATS_200 HOPPER_FLOATS_192, HOPPER_FLOATS_4(96)
#define HOPPER_FLOATS_208 HOPPER_FLOATS_200, HOPPER_FLOATS_4(100)
#define HOPPER_FLOATS_216 HOPPER_FLOATS_208, HOPPER_FLOATS_4(104)
#define HOPPER_FLOATS_224 HOPPER_FLOATS_216, HOPPER_FLOATS_4(108)
#define HOPPER_FLOATS_232 HOPPER_FLOATS_224, HOPPER_FLOATS_4(112)
#define HOPPER_FLOATS_240 HOPPER_FLOATS_232, HOPPER_FLOATS_4(116)
#define HOPPER_FLOATS_248 HOPPER_FLOATS_240, HOPPER_FLOATS_4(120)
#define HOPPER_FLOATS_256 HOPPER_FLOATS_248, HOPPER_FLOATS_4(124)

/* A, B, ACCUMULATE, TURN_A, TURN_B: names of the operands behind the sums. */
#define HOPPER_WGMMA_OF(ELEMENT, TYPE, N, A, B, ACCUMULATE, TURN_A, TURN_B)                        \
	template <> struct wgmma<ELEMENT, N> {                                                         \
		template <bool TURNED>                                                                     \
		static __device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, \
														int accumulate)                            \
		{                                                                                          \
			asm volatile("{\n\t"                                                                   \
						 ".reg .pred p;\n\t"                                                       \
						 "setp.ne.b32 p, %" ACCUMULATE ", 0;\n\t"                                  \
						 "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE           \
						 " {" HOPPER_NAMES_##N "}, %" A ", %" B ", p, 1, 1, %" TURN_A ", %" TURN_B \
											   ";\n\t"                                             \
											   "}"                                                 \
						 : HOPPER_FLOATS_##N                                                       \
						 : "l"(a), "l"(b), "r"(accumulate), "n"((int)TURNED), "n"((int)!TURNED));  \
		}                                                                                          \
	}
#define HOPPER_WGMMA(N, A, B, ACCUMULATE, TURN_A, TURN_B)                                          \
	HOPPER_WGMMA_OF(half, "f16", N, A, B, ACCUMULATE, TURN_A, TURN_B);                             \
	HOPPER_WGMMA_OF(__nv_bfloat16, "bf16", N, A, B, ACCUMULATE, TURN_A, TURN_B)

HOPPER_WGMMA(16, "8", "9", "10", "11", "12");
HOPPER_WGMMA(24, "12", "13", "14", "15", "16");
HOPPER_WGMMA(32, "16", "17", "18", "19", "20");
HOPPER_WGMMA(40, "20", "21", "22", "23", "24");
HOPPER_WGMMA(48, "24", "25", "26", "27", "28");
HOPPER_WGMMA(56, "28", "29", "30", "31", "32");
HOPPER_WGMMA(64, "32", "33", "34", "35", "36");
HOPPER_WGMMA(72, "36", "37", "38", "39", "40");
HOPPER_WGMMA(80, "40", "41", "42", "43", "44");
HOPPER_WGMMA(88, "44", "45", "46", "47", "48");
HOPPER_WGMMA(96, "48", "49", "50", "51", "52");
HOPPER_WGMMA(104, "52", "53", "54", "55", "56");
HOPPER_WGMMA(112, "56", "57", "58", "59", "60");
HOPPER_WGMMA(120, "60", "61", "62", "63", "64");
HOPPER_WGMMA(128, "64", "65", "66", "67", "68");
HOPPER_WGMMA(136, "68", "69", "70", "71", "72");
HOPPER_WGMMA(144, "72", "73", "74", "75", "76");
HOPPER_WGMMA(152, "76", "77", "78", "79", "80");
HOPPER_WGMMA(160, "80", "81", "82", "83", "84");
HOPPER_WGMMA(168, "84", "85", "86", "87", "88");
HOPPER_WGMMA(176, "88", "89", "90", "91", "92");
HOPPER_WGMMA(184, "92", "93", "94", "95", "96");
HOPPER_WGMMA(192, "96", "97", "98", "99", "100");
HOPPER_WGMMA(200, "100", "101", "102", "103", "104");
HOPPER_WGMMA(208, "104", "105", "106", "107", "108");
HOPPER_WGMMA(216, "108", "109", "110", "111", "112");
HOPPER_WGMMA(224, "112", "113", "114", "115", "116");
HOPPER_WGMMA(232, "116", "117", "118", "119", "120");
HOPPER_WGMMA(240, "120", "121", "122", "123", "124");
HOPPER_WGMMA(248, "124", "125", "126", "127", "128");
HOPPER_WGMMA(256, "128", "129", "130", "131", "132");

#undef HOPPER_WGMMA
#undef HOPPER_WGMMA_OF
#undef HOPPER_FLOATS_4

/* ---- the rest ------------------------------------------------------------ */

template <int REGISTERS> __device__ __forceinline__ void registers_give(void)
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS> __device__ __forceinline__ void registers_take(void)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

__device__ __forceinline__ void named_barrier(int id, int threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* __syncthreads() for roles that come to it in different places. */
__device__ __forceinline__ void block_meet(int threads)
{
	named_barrier(0, threads);
}

__device__ __forceinline__ uint32_t cluster_block(void)
{
	uint32_t rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

/* True for one lane of a warp that is all here (9.7.13.10, elect.sync). Asked right where that lane
 * speaks to TMA: else the compiler does not know that it is one, and makes a loop over the lanes
 * around each of TMA's instructions. What such a lane does besides a loop, and not the loop, keeps
 * its numbers in the warp's uniform registers, where TMA takes them from. */
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

/* This block's cluster, and how many there are, along x. A block launched without
 * clusters is one of its own. */
__device__ __forceinline__ int cluster_number(void)
{
	int number;
	asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
	return number;
}

__device__ __forceinline__ int clusters(void)
{
	int count;
	asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
	return count;
}

/* Where the blocks of a cluster meet, in two parts; no ordinary write has to be seen: fresh
 * mbarriers, with their own fence, or nothing at all. Not the .aligned form: the producer's
 * warps may come in parts. Nobody should wait for anything else between the two: a kernel
 * whose producer had arrived long before it waited never ended on an H200. */
__device__ __forceinline__ void cluster_arrive(void)
{
	asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait(void)
{
	asm volatile("barrier.cluster.wait;" ::: "memory");
}

__device__ __forceinline__ void cluster_meet(void)
{
	cluster_arrive();
	cluster_wait();
}

#endif
