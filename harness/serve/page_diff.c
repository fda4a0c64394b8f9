/* What differs between two texts, line by line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"

#define CELLS_MOST ((size_t)4 << 20) /* of the table of what both have in common */
#define AROUND 3                     /* lines that are shown before and behind */
#define LINES_MOST 20000

struct diff_text {
	char *text; /* owned; its newlines are 0 */
	size_t count;
	const char **at; /* owned */
};

static bool lines_make(const char *text, struct diff_text *out)
{
	*out = (struct diff_text){.text = strdup(text), .at = calloc(LINES_MOST, sizeof *out->at)};
	if (out->text == NULL || out->at == NULL)
		return false;
	for (char *p = out->text; *p != '\0' && out->count < LINES_MOST;) {
		const size_t length = strcspn(p, "\n");
		out->at[out->count++] = p;
		if (p[length] == '\0')
			break;
		p[length] = '\0';
		p += length + 1;
	}
	return true;
}

static void lines_free(struct diff_text *lines)
{
	free(lines->text);
	free(lines->at);
}

static void line_print(FILE *out, char sign, const char *line)
{
	static const char *const elements[] = {"del", "ins", "span"};
	const char *element = elements[sign == '-' ? 0 : sign == '+' ? 1 : 2];
	fprintf(out, "<%s>%c ", element, sign);
	html_text(out, line);
	fprintf(out, "</%s>\n", element);
}

/* Of the lines from `begin` on, `n` and `m` of them: the lengths of what the rest of both has in
 * common, row by row; NULL where there are too many. */
static uint16_t *common_make(const struct diff_text *a, const struct diff_text *b, size_t begin,
							 size_t n, size_t m)
{
	const size_t width = m + 1;
	uint16_t *common =
		(n + 1) <= CELLS_MOST / width ? calloc((n + 1) * width, sizeof *common) : NULL;
	for (size_t i = n; common != NULL && i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			const uint16_t down = common[(i + 1) * width + k], right = common[i * width + k + 1];
			common[i * width + k] = strcmp(a->at[begin + i], b->at[begin + k]) == 0
										? (uint16_t)(common[(i + 1) * width + k + 1] + 1)
									: down > right ? down
												   : right;
		}
	return common;
}

/* Without a table: all that was, then all that is. */
static void changed_print(FILE *out, const struct diff_text *a, const struct diff_text *b,
						  size_t begin, size_t n, size_t m)
{
	uint16_t *common = common_make(a, b, begin, n, m);
	size_t i = 0, k = 0;
	while (i < n || k < m) {
		const uint16_t *at = common != NULL ? common + i * (m + 1) + k : NULL;
		if (at != NULL && i < n && k < m && strcmp(a->at[begin + i], b->at[begin + k]) == 0) {
			line_print(out, ' ', a->at[begin + i++]);
			k++;
		} else if (i < n && (k == m || at == NULL || at[m + 1] >= at[1])) {
			line_print(out, '-', a->at[begin + i++]);
		} else {
			line_print(out, '+', b->at[begin + k++]);
		}
	}
	free(common);
}

static void lines_print(FILE *out, const struct diff_text *a, const struct diff_text *b)
{
	size_t begin = 0, same = 0;
	const size_t least = a->count < b->count ? a->count : b->count;
	while (begin < least && strcmp(a->at[begin], b->at[begin]) == 0)
		begin++;
	while (same < least - begin &&
		   strcmp(a->at[a->count - 1 - same], b->at[b->count - 1 - same]) == 0)
		same++;
	const size_t n = a->count - begin - same, m = b->count - begin - same;
	if (n + m == 0) {
		html_paragraph(out, "quiet", "Nothing has changed.");
		return;
	}
	fprintf(out, "<pre class=\"diff\">\n<span>@@ line %zu</span>\n", begin + 1);
	for (size_t i = begin > AROUND ? begin - AROUND : 0; i < begin; i++)
		line_print(out, ' ', a->at[i]);
	changed_print(out, a, b, begin, n, m);
	for (size_t i = 0; i < same && i < AROUND; i++)
		line_print(out, ' ', a->at[begin + n + i]);
	fputs("</pre>\n", out);
}

void page_diff(FILE *out, const char *before, const char *after)
{
	struct diff_text a, b = {.text = NULL};
	if (lines_make(before, &a) && lines_make(after, &b))
		lines_print(out, &a, &b);
	lines_free(&a);
	lines_free(&b);
}
