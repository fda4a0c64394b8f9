#include "report/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"

/* Cuts clean text behind so many characters. */
static void cut(char *text, size_t characters)
{
	size_t seen = 0;
	for (char *p = text; *p != '\0'; p++) {
		if ((*p & 0xC0) == 0x80 || seen++ < characters)
			continue;
		*p = '\0';
		return;
	}
}

static size_t length_of(const char *text)
{
	size_t characters = 0;
	for (const char *p = text; *p != '\0'; p++)
		characters += (*p & 0xC0) != 0x80;
	return characters;
}

void draw_text(FILE *out, double x, double y, const char *anchor, const char *paint,
			   const char *text)
{
	char *clean = clean_visible(text);
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, paint);
	clean_print_xml(out, clean != NULL ? clean : "");
	fputs("</text>\n", out);
	free(clean);
}

void draw_row_name(FILE *out, double y, const char *name, size_t characters)
{
	char *clean = clean_visible(name);
	if (clean != NULL && length_of(clean) > characters) {
		cut(clean, characters - 3);
		strcat(clean, "..."); /* what was cut off was longer */
	}
	draw_text(out, 0, y, "start", "class=\"row\"", clean != NULL ? clean : "");
	free(clean);
}

void draw_line(FILE *out, double x0, double y0, double x1, double y1, const char *paint)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1,
			paint);
}

void draw_rect(FILE *out, double x, double y, double width, double height, const char *paint)
{
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n", x, y, width,
			height, paint);
}

void draw_mark(FILE *out, unsigned shape, double x, double y, const char *paint, const char *title)
{
	static const char *const paths[DRAW_SHAPES] = {
		"m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", /* disc */
		"m0-6l6 6l-6 6l-6-6z",                  /* diamond */
		"m-4.5-4.5h9v9h-9z",                    /* square */
		"m0-6l5.5 10h-11z",                     /* triangle */
		"m-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",    /* cross */
		"m0 6l-5.5-10h11z",                     /* triangle that stands on its tip */
	};
	fprintf(out, "<path d=\"M%.1f %.1f%s\" %s", x, y, paths[shape % DRAW_SHAPES], paint);
	if (title == NULL) {
		fputs("/>\n", out);
		return;
	}
	fputs("><title>", out);
	clean_print_xml(out, title);
	fputs("</title></path>\n", out);
}

double draw_step(double range, int most)
{
	if (!(range > 0.0) || most < 1)
		return 1.0;
	double least = range / most, power = pow(10.0, floor(log10(least)));
	double factor = least / power;
	return power * (factor <= 1.0 ? 1.0 : factor <= 2.0 ? 2.0 : factor <= 5.0 ? 5.0 : 10.0);
}
