/* What a comparison says: how much faster a fused epilogue is than each alternative
 * to the same result, and what the fusion costs. */
#ifndef GEMMJUDGE_REPORT_COMPARE_H
#define GEMMJUDGE_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "judgement/judgement.h"

/* A quotient of two medians with the interval that both 95% intervals allow. */
struct compare_ratio {
	double value, low, high; /* 0: one of them was not measured */
};

/* How many times as long `other` takes as `own`: the speed-up of own over it. */
struct compare_ratio compare_speed_up(const struct timing_entry *own,
									  const struct timing_entry *other, bool span);

/* What fusing costs, in percent of the time without epilogue. */
struct compare_ratio compare_cost(const struct timing_entry *fused,
								  const struct timing_entry *plain, bool span);

/* The entry of the same file without epilogue, or NULL. */
const struct timing_entry *compare_plain(const struct timing_result *timing,
										 const struct timing_entry *fused);

/* "1.24x as fast (1.23 to 1.25)"; beside the file without epilogue what fusing costs, in percent
 * and in microseconds. */
#define COMPARE_RELATION 80
void compare_relation(char out[COMPARE_RELATION], const struct timing_entry *fused,
					  const struct timing_entry *other, bool span);

/* What the chain takes at least by itself, in microseconds: most of the three; 0 where that is
 * unknown. And a line that says it, with what bounds it; "" there. */
#define COMPARE_FLOOR 320
double compare_floor(const struct timing_floor *floor);
void compare_floor_line(char out[COMPARE_FLOOR], const struct timing_floor *floor);

/* The tables, for people and in markdown; with the kernels that ran below each. */
void compare_text(const struct judgement_list *list, bool kernels, FILE *out);
void compare_markdown(const struct judgement_list *list, bool kernels, FILE *out);

/* A picture: the speed-up of each fused file over each alternative, shape by shape. */
void report_svg(const struct judgement_list *list, FILE *out);

#endif
