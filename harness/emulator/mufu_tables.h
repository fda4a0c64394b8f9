/* What the multi-function unit interpolates in (simd/mufu.c). */
#ifndef EMULATOR_MUFU_TABLES_H
#define EMULATOR_MUFU_TABLES_H

struct mufu_segment {
	double c0, c1, c2;
};
extern const struct mufu_segment mufu_rcp_segments[128], mufu_rsq_segments[128];
extern const struct mufu_segment mufu_sqrt_segments[128], mufu_ex2_segments[64];
extern const struct mufu_segment mufu_lg2_segments[64], mufu_sin_segments[64];
extern const struct mufu_segment mufu_tanh_segments[];

#endif
