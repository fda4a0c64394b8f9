/* Instructions over many operands, a checksum of the results of each.
 *
 *   instructions FILE            compares with the lines of FILE
 *   instructions > FILE          writes them
 *
 * This one program runs on a GPU and on the emulated one; instructions.txt holds
 * the checksums that both must give. Only results that PTX defines to the last bit
 * are here; NaNs count as one value. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

typedef uint64_t u64;

constexpr int COUNT = 8192;
constexpr int THREADS = 256;

typedef uint16_t T_h;
typedef uint32_t T_r;
typedef uint64_t T_l;

/* id, PTX with %0 the result and %1 to %3 operands, their classes (h 16, r 32, l 64
 * bits), and what a NaN would be: n none, f f32, d f64, s half, b bfloat, p pairs of half, q of
 * bfloat */
#define INTEGER_OPS(X)                                                                             \
	X(add_sat, "add.sat.s32 %0, %1, %2;", r, r, r, r, n)                                           \
	X(sub_sat, "sub.sat.s32 %0, %1, %2;", r, r, r, r, n)                                           \
	X(mul_hi_s32, "mul.hi.s32 %0, %1, %2;", r, r, r, r, n)                                         \
	X(mul_hi_u64, "mul.hi.u64 %0, %1, %2;", l, l, l, l, n)                                         \
	X(mul_hi_s64, "mul.hi.s64 %0, %1, %2;", l, l, l, l, n)                                         \
	X(mul_wide_s16, "mul.wide.s16 %0, %1, %2;", r, h, h, h, n)                                     \
	X(mad_wide_s32, "mad.wide.s32 %0, %1, %2, %3;", l, r, r, l, n)                                 \
	X(mad_hi_u32, "mad.hi.u32 %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(mul24, "mul24.lo.s32 %0, %1, %2;", r, r, r, r, n)                                            \
	X(sad, "sad.s32 %0, %1, %2, %3;", r, r, r, r, n)                                               \
	X(abs_s64, "abs.s64 %0, %1;", l, l, l, l, n)                                                   \
	X(min_s16x2, "min.s16x2 %0, %1, %2;", r, r, r, r, n)                                           \
	X(max_u16x2, "max.u16x2 %0, %1, %2;", r, r, r, r, n)                                           \
	X(min_relu, "min.relu.s32 %0, %1, %2;", r, r, r, r, n)                                         \
	X(max_relu_s16x2, "max.relu.s16x2 %0, %1, %2;", r, r, r, r, n)                                 \
	X(add_u16x2, "add.u16x2 %0, %1, %2;", r, r, r, r, n)                                           \
	X(popc64, "popc.b64 %0, %1;", r, l, l, l, n)                                                   \
	X(clz64, "clz.b64 %0, %1;", r, l, l, l, n)                                                     \
	X(bfind_s32, "bfind.s32 %0, %1;", r, r, r, r, n)                                               \
	X(bfind_shift, "bfind.shiftamt.u32 %0, %1;", r, r, r, r, n)                                    \
	X(bfind_u64, "bfind.u64 %0, %1;", r, l, l, l, n)                                               \
	X(brev64, "brev.b64 %0, %1;", l, l, l, l, n)                                                   \
	X(bfe_u32, "bfe.u32 %0, %1, %2, %3;", r, r, r, r, n)                                           \
	X(bfe_s32, "bfe.s32 %0, %1, %2, %3;", r, r, r, r, n)                                           \
	X(bfe_s64, "{.reg .b32 p, q; and.b32 p, %2, 127; and.b32 q, %3, 127; bfe.s64 %0, %1, p, q;}",  \
	  l, l, r, r, n)                                                                               \
	X(bfi_b32, "bfi.b32 %0, %1, %2, %3, 9;", r, r, r, r, n)                                        \
	X(bfi_b64, "{.reg .b32 p; and.b32 p, %3, 127; bfi.b64 %0, %1, %2, p, 21;}", l, l, l, r, n)     \
	X(bmsk, "bmsk.clamp.b32 %0, %1, %2;", r, r, r, r, n)                                           \
	X(bmsk_wrap, "bmsk.wrap.b32 %0, %1, %2;", r, r, r, r, n)                                       \
	X(szext_s, "szext.clamp.s32 %0, %1, %2;", r, r, r, r, n)                                       \
	X(szext_u, "szext.wrap.u32 %0, %1, %2;", r, r, r, r, n)                                        \
	X(lop3, "lop3.b32 %0, %1, %2, %3, 0xd4;", r, r, r, r, n)                                       \
	X(prmt, "prmt.b32 %0, %1, %2, %3;", r, r, r, r, n)                                             \
	X(prmt_f4e, "prmt.b32.f4e %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(prmt_b4e, "prmt.b32.b4e %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(prmt_rc8, "prmt.b32.rc8 %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(prmt_ecl, "prmt.b32.ecl %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(prmt_ecr, "prmt.b32.ecr %0, %1, %2, %3;", r, r, r, r, n)                                     \
	X(prmt_rc16, "prmt.b32.rc16 %0, %1, %2, %3;", r, r, r, r, n)                                   \
	X(shf_l_clamp, "shf.l.clamp.b32 %0, %1, %2, %3;", r, r, r, r, n)                               \
	X(shf_r_wrap, "shf.r.wrap.b32 %0, %1, %2, %3;", r, r, r, r, n)                                 \
	X(shl16, "shl.b16 %0, %1, %2;", h, h, r, r, n)                                                 \
	X(shr_s64, "shr.s64 %0, %1, %2;", l, l, r, r, n)                                               \
	X(dp4a, "dp4a.s32.u32 %0, %1, %2, %3;", r, r, r, r, n)                                         \
	X(dp2a_lo, "dp2a.lo.u32.s32 %0, %1, %2, %3;", r, r, r, r, n)                                   \
	X(dp2a_hi, "dp2a.hi.s32.s32 %0, %1, %2, %3;", r, r, r, r, n)                                   \
	X(fns, "fns.b32 %0, %1, 5, 3;", r, r, r, r, n)                                                 \
	X(carry, "add.cc.u32 %0, %1, %2; addc.u32 %0, %3, 0;", r, r, r, r, n)                          \
	X(borrow, "sub.cc.u32 %0, %1, %2; subc.u32 %0, %3, 0;", r, r, r, r, n)                         \
	X(set_ge, "set.ge.u32.s32 %0, %1, %2;", r, r, r, r, n)                                         \
	X(set_f16, "set.lt.f16.f16 %0, %1, %2;", h, h, h, h, s)                                        \
	X(slct, "slct.s32.s32 %0, %1, %2, %3;", r, r, r, r, n)

#define FLOAT_OPS(X)                                                                               \
	X(add_rn, "add.rn.f32 %0, %1, %2;", r, r, r, r, f)                                             \
	X(add_rz, "add.rz.f32 %0, %1, %2;", r, r, r, r, f)                                             \
	X(add_rm_ftz, "add.rm.ftz.f32 %0, %1, %2;", r, r, r, r, f)                                     \
	X(add_rp_sat, "add.rp.sat.f32 %0, %1, %2;", r, r, r, r, f)                                     \
	X(mul_rn_ftz, "mul.rn.ftz.f32 %0, %1, %2;", r, r, r, r, f)                                     \
	X(mul_rm, "mul.rm.f32 %0, %1, %2;", r, r, r, r, f)                                             \
	X(fma_rn, "fma.rn.f32 %0, %1, %2, %3;", r, r, r, r, f)                                         \
	X(fma_rz, "fma.rz.f32 %0, %1, %2, %3;", r, r, r, r, f)                                         \
	X(fma_rp_ftz, "fma.rp.ftz.f32 %0, %1, %2, %3;", r, r, r, r, f)                                 \
	X(div_rn, "div.rn.f32 %0, %1, %2;", r, r, r, r, f)                                             \
	X(rcp_rn, "rcp.rn.f32 %0, %1;", r, r, r, r, f)                                                 \
	X(sqrt_rn, "sqrt.rn.f32 %0, %1;", r, r, r, r, f)                                               \
	X(sqrt_rp, "sqrt.rp.f32 %0, %1;", r, r, r, r, f)                                               \
	X(min_f32, "min.f32 %0, %1, %2;", r, r, r, r, f)                                               \
	X(max_nan, "max.NaN.f32 %0, %1, %2;", r, r, r, r, f)                                           \
	X(min_xorsign, "min.xorsign.abs.f32 %0, %1, %2;", r, r, r, r, f)                               \
	X(max_ftz, "max.ftz.f32 %0, %1, %2;", r, r, r, r, f)                                           \
	X(fma_f64, "fma.rn.f64 %0, %1, %2, %3;", l, l, l, l, d)                                        \
	X(add_f64_rm, "add.rm.f64 %0, %1, %2;", l, l, l, l, d)                                         \
	X(div_f64, "div.rn.f64 %0, %1, %2;", l, l, l, l, d)                                            \
	X(sqrt_f64, "sqrt.rn.f64 %0, %1;", l, l, l, l, d)                                              \
	X(add_f16, "add.f16 %0, %1, %2;", h, h, h, h, s)                                               \
	X(mul_f16_ftz, "mul.ftz.f16 %0, %1, %2;", h, h, h, h, s)                                       \
	X(add_f16_sat, "add.sat.f16 %0, %1, %2;", h, h, h, h, s)                                       \
	X(fma_f16, "fma.rn.f16 %0, %1, %2, %3;", h, h, h, h, s)                                        \
	X(fma_f16_relu, "fma.rn.relu.f16 %0, %1, %2, %3;", h, h, h, h, s)                              \
	X(fma_f16x2, "fma.rn.f16x2 %0, %1, %2, %3;", r, r, r, r, p)                                    \
	X(min_f16x2, "min.f16x2 %0, %1, %2;", r, r, r, r, p)                                           \
	X(max_f16_nan, "max.NaN.f16 %0, %1, %2;", h, h, h, h, s)                                       \
	X(add_bf16, "add.bf16 %0, %1, %2;", h, h, h, h, b)                                             \
	X(mul_bf16x2, "mul.bf16x2 %0, %1, %2;", r, r, r, r, q)                                         \
	X(fma_bf16, "fma.rn.bf16 %0, %1, %2, %3;", h, h, h, h, b)                                      \
	X(fma_bf16x2_relu, "fma.rn.relu.bf16x2 %0, %1, %2, %3;", r, r, r, r, q)                        \
	X(max_bf16, "max.bf16 %0, %1, %2;", h, h, h, h, b)                                             \
	X(setp_ltu, "{.reg .pred p; setp.ltu.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}", r, r, r, r, n)    \
	X(setp_ne, "{.reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}", r, r, r, r, n)      \
	X(setp_f16, "{.reg .pred p; setp.ge.f16 p, %1, %2; selp.u32 %0, 1, 0, p;}", r, h, h, h, n)     \
	X(testp, "{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}", r, r, r, r, n)    \
	X(copysign, "copysign.f32 %0, %1, %2;", r, r, r, r, f)

#define CONVERSIONS(X)                                                                             \
	X(f32_f16, "cvt.f32.f16 %0, %1;", r, h, h, h, f)                                               \
	X(f16_f32_rn, "cvt.rn.f16.f32 %0, %1;", h, r, r, r, s)                                         \
	X(f16_f32_rz, "cvt.rz.f16.f32 %0, %1;", h, r, r, r, s)                                         \
	X(f16_f32_rm, "cvt.rm.f16.f32 %0, %1;", h, r, r, r, s)                                         \
	X(f16_f32_rp, "cvt.rp.f16.f32 %0, %1;", h, r, r, r, s)                                         \
	X(f16_f64, "cvt.rn.f16.f64 %0, %1;", h, l, l, l, s)                                            \
	X(bf16_f32_rn, "cvt.rn.bf16.f32 %0, %1;", h, r, r, r, b)                                       \
	X(bf16_f32_rz, "cvt.rz.bf16.f32 %0, %1;", h, r, r, r, b)                                       \
	X(bf16_f32_relu, "cvt.rn.relu.bf16.f32 %0, %1;", h, r, r, r, b)                                \
	X(f16x2_f32, "cvt.rn.f16x2.f32 %0, %1, %2;", r, r, r, r, p)                                    \
	X(bf16x2_f32_rz, "cvt.rz.bf16x2.f32 %0, %1, %2;", r, r, r, r, q)                               \
	X(tf32_rna, "cvt.rna.tf32.f32 %0, %1;", r, r, r, r, f)                                         \
	X(e4m3x2, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", h, r, r, r, n)                            \
	X(e5m2x2, "cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", h, r, r, r, n)                            \
	X(e4m3x2_relu, "cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;", h, r, r, r, n)                  \
	X(e4m3x2_f16x2, "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;", h, r, r, r, n)                        \
	X(f16x2_e4m3x2, "cvt.rn.f16x2.e4m3x2 %0, %1;", r, h, h, h, p)                                  \
	X(f16x2_e5m2x2, "cvt.rn.f16x2.e5m2x2 %0, %1;", r, h, h, h, p)                                  \
	X(f32_f64_rn, "cvt.rn.f32.f64 %0, %1;", r, l, l, l, f)                                         \
	X(f32_f64_rp, "cvt.rp.f32.f64 %0, %1;", r, l, l, l, f)                                         \
	X(f32_ftz_f64, "cvt.rn.ftz.f32.f64 %0, %1;", r, l, l, l, f)                                    \
	X(s32_f32_rni, "cvt.rni.s32.f32 %0, %1;", r, r, r, r, n)                                       \
	X(s32_f32_rmi, "cvt.rmi.s32.f32 %0, %1;", r, r, r, r, n)                                       \
	X(u32_f32_rzi, "cvt.rzi.u32.f32 %0, %1;", r, r, r, r, n)                                       \
	X(s64_f32_rpi, "cvt.rpi.s64.f32 %0, %1;", l, r, r, r, n)                                       \
	X(u64_f64_rzi, "cvt.rzi.u64.f64 %0, %1;", l, l, l, l, n)                                       \
	X(s32_f64_rni, "cvt.rni.s32.f64 %0, %1;", r, l, l, l, n)                                       \
	X(s16_f16_rzi, "cvt.rzi.s16.f16 %0, %1;", h, h, h, h, n)                                       \
	X(u8_f32, "cvt.rzi.u8.f32 %0, %1;", r, r, r, r, n)                                             \
	X(s8_f32, "cvt.rzi.s8.f32 %0, %1;", r, r, r, r, n)                                             \
	X(f32_s32_rz, "cvt.rz.f32.s32 %0, %1;", r, r, r, r, f)                                         \
	X(f32_u64_rm, "cvt.rm.f32.u64 %0, %1;", r, l, l, l, f)                                         \
	X(f32_s64_rn, "cvt.rn.f32.s64 %0, %1;", r, l, l, l, f)                                         \
	X(f64_s64_rp, "cvt.rp.f64.s64 %0, %1;", l, l, l, l, d)                                         \
	X(f16_s32, "cvt.rn.f16.s32 %0, %1;", h, r, r, r, s)                                            \
	X(f16_u64, "cvt.rn.f16.u64 %0, %1;", h, l, l, l, s)                                            \
	X(f32_rni, "cvt.rni.f32.f32 %0, %1;", r, r, r, r, f)                                           \
	X(f32_rpi_sat, "cvt.rpi.sat.f32.f32 %0, %1;", r, r, r, r, f)                                   \
	X(f16_rmi, "cvt.rmi.f16.f16 %0, %1;", h, h, h, h, s)                                           \
	X(s16_sat, "cvt.sat.s16.s32 %0, %1;", h, r, r, r, n)                                           \
	X(u8_sat, "cvt.sat.u8.s64 %0, %1;", r, l, l, l, n)                                             \
	X(s32_s8, "cvt.s32.s8 %0, %1;", r, r, r, r, n)                                                 \
	X(u32_sat_s64, "cvt.sat.u32.s64 %0, %1;", r, l, l, l, n)

#define WARP_OPS(X)                                                                                \
	X(shfl_up, "shfl.sync.up.b32 %0, %1, 5, 0, -1;", r, r, r, r, n)                                \
	X(shfl_seg, "shfl.sync.down.b32 %0, %1, 3, 0x181f, -1;", r, r, r, r, n)                        \
	X(shfl_idx, "shfl.sync.idx.b32 %0, %1, %2, 31, -1;", r, r, r, r, n)                            \
	X(shfl_bfly,                                                                                   \
	  "{.reg .pred p; .reg .b32 t; shfl.sync.bfly.b32 t|p, %1, 9, 0xf0f, -1;"                      \
	  "selp.u32 %0, t, 77, p;}",                                                                   \
	  r, r, r, r, n)                                                                               \
	X(ballot, "{.reg .pred p; setp.lt.s32 p, %1, %2; vote.sync.ballot.b32 %0, p, -1;}", r, r, r,   \
	  r, n)                                                                                        \
	X(match_any, "{.reg .b32 t; and.b32 t, %1, 3; match.any.sync.b32 %0, t, -1;}", r, r, r, r, n)  \
	X(redux_add, "redux.sync.add.s32 %0, %1, -1;", r, r, r, r, n)                                  \
	X(redux_min, "redux.sync.min.u32 %0, %1, -1;", r, r, r, r, n)                                  \
	X(redux_max, "redux.sync.max.s32 %0, %1, -1;", r, r, r, r, n)                                  \
	X(redux_xor, "redux.sync.xor.b32 %0, %1, -1;", r, r, r, r, n)                                  \
	X(movmatrix, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;", r, r, r, r, n)                   \
	X(mma_s8,                                                                                      \
	  "{.reg .b32 a, b, c, d; mov.b32 a, 0; mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32"       \
	  "{%0, b, c, d}, {%1, %2}, {%3}, {%1, %2, %3, a};}",                                          \
	  r, r, r, r, n)                                                                               \
	X(mma_k32,                                                                                     \
	  "{.reg .b32 b, c, d; mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32"              \
	  "{b, c, d, %0}, {%1, %2, %3, %1}, {%3, %2}, {%1, %2, %3, %2};}",                             \
	  r, r, r, r, n)

#define ALL(X) INTEGER_OPS(X) FLOAT_OPS(X) CONVERSIONS(X) WARP_OPS(X)

#define DEFINE(id, text, D, A, B, C, nan)                                                          \
	static __global__ void kernel_##id(const u64 *in, u64 *out)                                    \
	{                                                                                              \
		int t = blockIdx.x * blockDim.x + threadIdx.x;                                             \
		T_##D d = 0;                                                                               \
		asm volatile(text                                                                          \
					 : "=" #D(d)                                                                   \
					 : #A((T_##A)in[t]), #B((T_##B)in[COUNT + t]), #C((T_##C)in[2 * COUNT + t]));  \
		out[t] = d;                                                                                \
	}
ALL(DEFINE)

static u64 mix(u64 &state)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	u64 x = state ^ state >> 29;
	return x * 0x9e3779b97f4a7c15u ^ x >> 32;
}

/* Edges of every format, small counts, numbers of like size, anything. */
static u64 operand(u64 &state)
{
	static const u64 edges[] = {0,          0x80000000, 0x3c003c00, 0xbc00bc00, 0x00010001,
								0x7c007c00, 0xfc00fc00, 0x7fff7fff, 0x3f803f80, 0x7f800000,
								0xff800000, 0x7fc00000, 0x00000001, 0x007fffff, 0x00800000,
								0x7f7fffff, 0x4f000000, 0xcf000000, 0x5f000000, 0xffffffff,
								0x7fffffff, 0x477fe000, 0x477ff000, 0x33000000};
	u64 choice = mix(state), word = mix(state);
	switch (choice % 5) {
	case 0: return edges[choice / 5 % 24] | edges[choice / 200 % 24] << 32;
	case 1: return choice / 5 % 64 | 0x3ff0000000000000u;
	case 2: return (word & 0x07ffffff07ffffffu) + 0x3c0000003c000000u;
	case 3: return (word & 0x83ff83ff83ff83ffu) | 0x3800380038003800u;
	default: return word;
	}
}

static u64 normal(u64 value, char nan)
{
	uint32_t low = (uint32_t)value;
	switch (nan) {
	case 'f': return (low & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : value;
	case 'd': return (value & ~0ull >> 1) > 0x7ff0000000000000u ? ~0ull >> 1 : value;
	case 's': return (value & 0x7fff) > 0x7c00 ? 0x7fff : value;
	case 'b': return (value & 0x7fff) > 0x7f80 ? 0x7fff : value;
	case 'p': return normal(value & 0xffff, 's') | normal(value >> 16, 's') << 16;
	case 'q': return normal(value & 0xffff, 'b') | normal(value >> 16, 'b') << 16;
	default: return value;
	}
}

struct test {
	const char *name;
	void (*kernel)(const u64 *, u64 *);
	char nan;
};
#define ENTRY(id, text, D, A, B, C, nan) {#id, kernel_##id, #nan[0]},
static const struct test tests[] = {ALL(ENTRY)};

static bool checksum(const struct test *test, const u64 *in, u64 *out, u64 *sum)
{
	static u64 results[COUNT];
	test->kernel<<<COUNT / THREADS, THREADS>>>(in, out);
	cudaError_t error = cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
	if (error != cudaSuccess) {
		fprintf(stderr, "%s: %s\n", test->name, cudaGetErrorString(error));
		return false;
	}
	*sum = 14695981039346656037u;
	for (int i = 0; i < COUNT; i++) {
		*sum = (*sum ^ normal(results[i], test->nan)) * 1099511628211u;
		*sum ^= *sum >> 29; // else two differences in the highest bit cancel
	}
	return true;
}

int main(int count, char **arguments)
{
	static u64 operands[3 * COUNT];
	u64 state = 5, *in, *out, sum, wanted;
	for (int i = 0; i < 3 * COUNT; i++)
		operands[i] = operand(state);
	FILE *file = count > 1 ? fopen(arguments[1], "r") : NULL;
	if (cudaMalloc(&in, sizeof operands) != cudaSuccess ||
		cudaMalloc(&out, COUNT * 8) != cudaSuccess ||
		cudaMemcpy(in, operands, sizeof operands, cudaMemcpyHostToDevice) != cudaSuccess ||
		(count > 1 && !file)) {
		fprintf(stderr, "no device, or no such file\n");
		return 2;
	}
	int wrong = 0;
	char name[64];
	for (const struct test &test : tests) {
		if (!checksum(&test, in, out, &sum))
			return 1;
		if (!file) {
			printf("%s %016llx\n", test.name, (unsigned long long)sum);
			continue;
		}
		bool same = fscanf(file, "%63s %llx", name, (unsigned long long *)&wanted) == 2 &&
					strcmp(name, test.name) == 0 && wanted == sum;
		if (!same)
			fprintf(stderr, "%s: %016llx differs\n", test.name, (unsigned long long)sum);
		wrong += !same;
	}
	if (file)
		printf("%d of %zu instructions differ\n", wrong, sizeof tests / sizeof tests[0]);
	return wrong ? 1 : 0;
}
