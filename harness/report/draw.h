/* The parts that all pictures are made of, as SVG: words, lines, marks, and where ticks stand.
 * `paint` is attributes of ours: class="s1", fill="#0072B2". */
#ifndef GEMMJUDGE_REPORT_DRAW_H
#define GEMMJUDGE_REPORT_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Anchor: start, middle, end. */
void draw_text(FILE *out, double x, double y, const char *anchor, const char *paint,
			   const char *text);
/* A row's name on the left: at most `characters` of it, more than 3; "..." in place of the rest. */
void draw_row_name(FILE *out, double y, const char *name, size_t characters);

void draw_line(FILE *out, double x0, double y0, double x1, double y1, const char *paint);
void draw_rect(FILE *out, double x, double y, double width, double height, const char *paint);

/* A mark of one of DRAW_SHAPES shapes, so that series are told apart without colours, with a title
 * that is shown below the pointer; NULL: none. */
#define DRAW_SHAPES 6
void draw_mark(FILE *out, unsigned shape, double x, double y, const char *paint, const char *title);

/* A step of 1, 2 or 5 times a power of ten, by which `range` has at most `most` ticks. */
double draw_step(double range, int most);

#endif
