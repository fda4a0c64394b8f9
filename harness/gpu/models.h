/* Models of GPUs: what the emulated GPU, the predictions and the texts that name GPUs are made of.
 * A GPU is one row of GPU_MODELS. */
#ifndef GEMMJUDGE_GPU_MODELS_H
#define GEMMJUDGE_GPU_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#define GPU_CLUSTER_GROUPS 12
#define GPU_UNITS 4 /* what multiplies: FMA lanes, tensor cores of 16 bits, of TF32, of 8 bits */

struct gpu_model {
	const char *id;   /* what --gpu and --emulate take: "h200" */
	const char *name; /* the id is in it, blanks or not, by which a GPU at hand is known */
	int compute;      /* capability times ten; has a row among the capabilities of models.c */
	int multiprocessors;
	int clock_mhz; /* highest SM clock */
	int l2_mib;
	double dram, l2;       /* bytes a second */
	const char *also;      /* words of other tools for it, or for GPUs that it is near to
							  (base/suggest.h); NULL: none */
	const char *also_says; /* how near; NULL: the nearest one */
	bool emulated;
	/* of those only */
	int memory_clock_khz, bus_bits;
	int memory_gb; /* of 10^9 bytes */
	int l2_persisting_kib;
	int cluster_groups[GPU_CLUSTER_GROUPS]; /* multiprocessors that a cluster stays among; 0: no
											   more, and none before 9.0 */
};

/* The newest come first.
 *
 * Multiprocessors, clock, L2 and memory: NVIDIA's data sheets and architecture papers; the H200's
 * clock and L2 as measured.
 * Bandwidth of L2, which no data sheet has: measured by Jia et al. (arXiv 1804.06826 and
 * 1903.07486) for V100 and T4; A100: 5120 bytes a clock by its architecture paper; H100 and H200:
 * as many at 1755 MHz, as nobody tells (chipsandcheese.com measured 5.6 TB/s on an H100 PCIe with
 * loads of threads, and solutions/gemm_e4m3 gets 7.4 on an H200 with TMA); B200: the two dies taken
 * for two of Hopper's, which nobody has confirmed. The H200's cluster_groups:
 * cudaOccupancyMaxActiveClusters says for clusters of 1 to 16 blocks that fill a multiprocessor
 * each 132, 66, 39, 30, 22, 17, 15, 15, 9, and 7 from there on. Clusters do not reach across GPCs,
 * which differ in their multiprocessors, and these groups are the only ones that give all 16
 * numbers. What the small ones are NVIDIA does not say; together they make one more GPC of 16.
 * Another H200 may have other ones. The H100's, which is the same chip,
 * are taken to be the same; its memory clock is what nvidia-smi says. RTX 3090, RTX 4090, L4 and
 * L40S: L2 as NVIDIA's papers on GA102 and Ada have it, whose bandwidth nobody tells: as many bytes
 * a clock for each multiprocessor as an A100's. */
#define GPU_MODELS(PLAIN, EMULATED)                                                                \
	PLAIN("b200", .name = "NVIDIA B200", .compute = 100, .multiprocessors = 148,                   \
		  .clock_mhz = 1965, .l2_mib = 126, .dram = 8.0e12, .l2 = 1.8e13,                          \
		  .also = "b100 b300 gb200 gb300 blackwell rtx5090 5090 sm-100 sm-100a sm100 sm-120 "      \
				  "sm-120a sm120")                                                                 \
	EMULATED("h200", .name = "NVIDIA H200", .compute = 90, .multiprocessors = 132,                 \
			 .clock_mhz = 1980, .l2_mib = 60, .dram = 4.8e12, .l2 = 9.0e12, .also = "gh200",       \
			 .also_says = "the same GPU", .memory_clock_khz = 3201000, .bus_bits = 6144,           \
			 .memory_gb = 141, .l2_persisting_kib = 38400,                                         \
			 .cluster_groups = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2})                        \
	EMULATED("h100", .name = "NVIDIA H100 80GB HBM3", .compute = 90, .multiprocessors = 132,       \
			 .clock_mhz = 1980, .l2_mib = 50, .dram = 3.35e12, .l2 = 9.0e12,                       \
			 .also = "h800 hopper sm-90 sm-90a sm90", .also_says = "the same architecture",        \
			 .memory_clock_khz = 2619000, .bus_bits = 5120, .memory_gb = 80,                       \
			 .l2_persisting_kib = 32000,                                                           \
			 .cluster_groups = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2})                        \
	EMULATED("l40s", .name = "NVIDIA L40S", .compute = 89, .multiprocessors = 142,                 \
			 .clock_mhz = 2520, .l2_mib = 96, .dram = 864e9, .l2 = 1.7e13, .also = "l40",          \
			 .memory_clock_khz = 9001000, .bus_bits = 384, .memory_gb = 48,                        \
			 .l2_persisting_kib = 67584)                                                           \
	EMULATED("l4", .name = "NVIDIA L4", .compute = 89, .multiprocessors = 58, .clock_mhz = 2040,   \
			 .l2_mib = 48, .dram = 300e9, .l2 = 5.6e12, .memory_clock_khz = 6251000,               \
			 .bus_bits = 192, .memory_gb = 24, .l2_persisting_kib = 33792)                         \
	EMULATED("rtx4090", .name = "NVIDIA GeForce RTX 4090", .compute = 89, .multiprocessors = 128,  \
			 .clock_mhz = 2520, .l2_mib = 72, .dram = 1.008e12, .l2 = 1.5e13,                      \
			 .also = "4090 rtx-4090 ada sm-89 sm89", .memory_clock_khz = 10501000,                 \
			 .bus_bits = 384, .memory_gb = 24, .l2_persisting_kib = 50688)                         \
	EMULATED("rtx3090", .name = "NVIDIA GeForce RTX 3090", .compute = 86, .multiprocessors = 82,   \
			 .clock_mhz = 1695, .l2_mib = 6, .dram = 936e9, .l2 = 6.6e12,                          \
			 .also = "3090 rtx-3090 a10 a10g a40 a6000 sm-86 sm86", .memory_clock_khz = 9751000,   \
			 .bus_bits = 384, .memory_gb = 24, .l2_persisting_kib = 4224)                          \
	EMULATED("a100", .name = "NVIDIA A100-SXM4-80GB", .compute = 80, .multiprocessors = 108,       \
			 .clock_mhz = 1410, .l2_mib = 40, .dram = 2.039e12, .l2 = 7.2e12,                      \
			 .also = "a100-* a800 a30 ampere sm-80 sm80", .memory_clock_khz = 1512000,             \
			 .bus_bits = 5120, .memory_gb = 80, .l2_persisting_kib = 30720)                        \
	PLAIN("v100", .name = "Tesla V100-SXM2", .compute = 70, .multiprocessors = 80,                 \
		  .clock_mhz = 1530, .l2_mib = 6, .dram = 900e9, .l2 = 2.155e12,                           \
		  .also = "volta sm-70 sm70 p100")                                                         \
	EMULATED("t4", .name = "Tesla T4", .compute = 75, .multiprocessors = 40, .clock_mhz = 1590,    \
			 .l2_mib = 4, .dram = 320e9, .l2 = 1.27e12,                                            \
			 .also = "turing sm-75 sm75 2080 2080ti rtx2080", .memory_clock_khz = 5001000,         \
			 .bus_bits = 256, .memory_gb = 15)

/* The one that is meant where no GPU is named; it is emulated. */
#define GPU_DEFAULT "h200"

/* The ids as text, a blank before each. */
#define GPU_WORD_OF(id, ...) " " id
#define GPU_NO_WORD(...) ""
#define GPU_IDS GPU_MODELS(GPU_WORD_OF, GPU_WORD_OF)
#define GPU_EMULATED_IDS GPU_MODELS(GPU_NO_WORD, GPU_WORD_OF)

/* The ids as lists; NULL behind the last. */
extern const char *const gpu_ids[], *const gpu_emulated_ids[];

/* What follows from the compute capability. */
struct gpu_capability {
	int compute;
	const char *architecture;         /* what nvcc calls it, with all that it has: "90a" */
	int multiply_adds[GPU_UNITS];     /* a clock and multiprocessor; 0: it has none */
	int fma_lanes;                    /* f32 lanes of a multiprocessor: "CUDA cores" */
	int shared_kib, shared_block_kib; /* of a multiprocessor; of a block, with the opt-in */
	int threads, blocks;              /* of a multiprocessor */
	int shared_reserved;              /* bytes of each block, by the system */
};

/* Newer GPUs than the emulated ones, and which of their instructions are missing: the PTX ISA's
 * "Target ISA Notes" of tcgen05 (sm_100a, sm_103a, sm_110a) and of mma with .kind and .block_scale
 * (sm_120a, sm_121a). `called` NULL: behind the last. */
struct gpu_missing {
	const char *called; /* words for it (base/suggest.h) */
	const char *name, *what;
};
extern const struct gpu_missing gpus_missing[];

/* By index, NULL behind the last; by id, whose capitals do not matter, NULL: unknown. */
const struct gpu_model *gpu_model_at(size_t index);
const struct gpu_model *gpu_model_find(const char *id);

/* The emulated one that stands for GPUs of this compute capability: the newest that is not newer,
 * else the oldest. */
const struct gpu_model *gpu_model_standing_for(int compute);

/* NULL: unknown. */
const struct gpu_capability *gpu_capability_of(int compute);

#endif
