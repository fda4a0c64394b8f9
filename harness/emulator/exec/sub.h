/* What in->sub, and in->imm of tensor instructions, say: decode/ writes it, handlers read it.
 * Operations of atomics are in exec/atomic.h. */
#ifndef EMULATOR_EXEC_SUB_H
#define EMULATOR_EXEC_SUB_H

#include "emulator/tensor/tensor.h"

/* MODE_F32, MODE_F64, cvt */
enum sub_rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

enum sub_carry { CARRY_IN = 1, CARRY_OUT = 2, CARRY_SUBTRACT = 4, CARRY_HIGH = 8 };

/* testp: the classes of numbers that count */
enum sub_number {
	NUMBER_NAN = 1,
	NUMBER_INFINITE = 2,
	NUMBER_ZERO = 4,
	NUMBER_SUBNORMAL = 8,
	NUMBER_NORMAL = 16,
};

enum sub_dot { DOT_SIGNED_A = 1, DOT_SIGNED_B = 2, DOT_HIGH = 4 };

enum sub_permute {
	PERMUTE_ANY,
	PERMUTE_F4E,
	PERMUTE_B4E,
	PERMUTE_RC8,
	PERMUTE_ECL,
	PERMUTE_ECR,
	PERMUTE_RC16,
};

/* setp, set: with predicate c */
enum sub_combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* setp and set of 16-bit floats: in->size. From EQU on, but for NUM, NaN fulfils it. */
enum sub_comparison {
	COMPARE_EQ,
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_GT,
	COMPARE_GE,
	COMPARE_EQU,
	COMPARE_NEU,
	COMPARE_LTU,
	COMPARE_LEU,
	COMPARE_GTU,
	COMPARE_GEU,
	COMPARE_NUM,
	COMPARE_NAN,
	COMPARISONS,
};

/* and, or, ... of predicates, in->imm: which operands are negated */
enum sub_negated { NEGATED_A = 1, NEGATED_B = 2 };

enum sub_texture { COORDINATES_INTEGER, COORDINATES_FLOAT };

enum sub_stack { STACK_ALLOCATE, STACK_SAVE, STACK_RESTORE };

enum sub_clock { CLOCK_CYCLES = 0, CLOCK_HIGH = 1, CLOCK_GLOBAL = 2 };

enum sub_bar { BAR_PLAIN, BAR_POPC, BAR_AND, BAR_OR };
enum sub_cluster { CLUSTER_ARRIVE = 1, CLUSTER_WAIT = 2 };

enum sub_shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum sub_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum sub_match { MATCH_ANY, MATCH_ALL };
enum sub_redux { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };

enum sub_mbarrier {
	MBARRIER_INIT,
	MBARRIER_INVAL,
	MBARRIER_EXPECT,
	MBARRIER_COMPLETE,
	MBARRIER_ARRIVE, /* and all that follow */
	MBARRIER_DROP,
	MBARRIER_ARRIVE_EXPECT,
	MBARRIER_DROP_EXPECT,
	MBARRIER_ARRIVE_COPIES, /* cp.async.mbarrier.arrive, and .noinc */
	MBARRIER_ARRIVE_COPIES_NOINC,
};
enum sub_mbarrier_wait { WAIT_STATE, WAIT_PARITY };

enum sub_bulk { BULK_LOAD, BULK_STORE, BULK_REDUCE };

enum sub_matrix { MATRIX_AS_IS, MATRIX_TRANSPOSED };

/* wgmma_touch: what the instruction after it does with the registers */
enum sub_touch { TOUCH_USES, TOUCH_MOVES };

/* mma and wmma.mma: the shape, as in->imm */
static inline int64_t sub_pack_shape(const struct tensor_shape *shape)
{
	return (int64_t)((uint64_t)shape->m | (uint64_t)shape->n << 6 | (uint64_t)shape->k << 12 |
					 (uint64_t)shape->d << 24 | (uint64_t)shape->a << 28 |
					 (uint64_t)shape->b << 32 | (uint64_t)shape->c << 36 |
					 (uint64_t)shape->saturate << 40 | (uint64_t)shape->sparse << 41 |
					 (uint64_t)shape->selector << 42 | (uint64_t)shape->bits_and << 44 |
					 (uint64_t)shape->a_column << 45 | (uint64_t)shape->b_row << 46);
}

enum sub_fence {
	FENCE_OTHER, /* of a block's scope, of proxies: orders no global memory between blocks */
	FENCE_GPU,   /* of the cluster's scope or a wider one */
	FENCE_GRID,  /* griddepcontrol.wait */
};

static inline struct tensor_shape sub_unpack_shape(int64_t imm)
{
	uint64_t bits = (uint64_t)imm;
	return (struct tensor_shape){
		.m = bits & 0x3f,
		.n = bits >> 6 & 0x3f,
		.k = bits >> 12 & 0xfff,
		.d = (enum tensor_type)(bits >> 24 & 0xf),
		.a = (enum tensor_type)(bits >> 28 & 0xf),
		.b = (enum tensor_type)(bits >> 32 & 0xf),
		.c = (enum tensor_type)(bits >> 36 & 0xf),
		.saturate = bits >> 40 & 1,
		.sparse = bits >> 41 & 1,
		.selector = bits >> 42 & 3,
		.bits_and = bits >> 44 & 1,
		.a_column = bits >> 45 & 1,
		.b_row = bits >> 46 & 1,
	};
}

/* wgmma: all but scale_d and metadata, which are known when it is issued */
static inline int64_t sub_pack_wgmma(const struct tensor_wgmma *wgmma)
{
	return (int64_t)((uint64_t)wgmma->n | (uint64_t)wgmma->d << 16 | (uint64_t)wgmma->a << 20 |
					 (uint64_t)wgmma->b << 24 | (uint64_t)wgmma->negate_a << 28 |
					 (uint64_t)wgmma->negate_b << 29 | (uint64_t)wgmma->a_mn_major << 30 |
					 (uint64_t)wgmma->b_mn_major << 31 | (uint64_t)wgmma->saturate << 32 |
					 (uint64_t)wgmma->sparse << 33 | (uint64_t)wgmma->selector << 34);
}

static inline struct tensor_wgmma sub_unpack_wgmma(int64_t imm)
{
	uint64_t bits = (uint64_t)imm;
	return (struct tensor_wgmma){
		.n = (uint16_t)bits,
		.d = (enum tensor_type)(bits >> 16 & 15),
		.a = (enum tensor_type)(bits >> 20 & 15),
		.b = (enum tensor_type)(bits >> 24 & 15),
		.negate_a = bits >> 28 & 1,
		.negate_b = bits >> 29 & 1,
		.a_mn_major = bits >> 30 & 1,
		.b_mn_major = bits >> 31 & 1,
		.saturate = bits >> 32 & 1,
		.sparse = bits >> 33 & 1,
		.selector = bits >> 34 & 3,
	};
}

#endif
