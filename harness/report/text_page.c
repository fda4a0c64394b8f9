/* Colours, paragraphs and blocks of a page of text. */
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/text_page.h"
#include "report/wrap.h"

void text_paint(const struct text_page *page, const char *color, const char *text)
{
	if (page->color)
		fputs(color, page->out);
	clean_print(page->out, text);
	if (page->color)
		fputs("\033[0m", page->out);
}

void text_paragraph(const struct text_page *page, int indent, const char *text)
{
	wrap_print(page->out, page->width, 0, indent, text);
}

void text_block(const struct text_page *page, const char *lead, const char *text, int limit)
{
	char *clean = clean_shown(text);
	if (clean == NULL)
		return;
	const char *end = clean + strlen(clean);
	while (end > clean && end[-1] == '\n')
		end--;
	const char *begin = end;
	for (int lines = 0; begin > clean; begin--) {
		if (begin[-1] == '\n' && ++lines == limit)
			break;
	}
	if (begin > clean)
		fprintf(page->out, "%s...\n", lead);
	for (const char *line = begin; line < end;) {
		size_t length = strcspn(line, "\n");
		fprintf(page->out, "%s%.*s\n", length > 0 ? lead : "", (int)length, line);
		line += length + 1;
	}
	free(clean);
}
