#include "report/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"

int wrap_columns(const char *text, size_t bytes)
{
	int count = 0;
	for (size_t i = 0; i < bytes; i++)
		count += (text[i] & 0xC0) != 0x80;
	return count;
}

void wrap_print(FILE *out, int width, int column, int indent, const char *text)
{
	char *clean = clean_shown(text);
	bool first = true; /* of its line: no blank before it */
	if (column == 0)
		column = fprintf(out, "%*s", indent, "");
	for (const char *word = clean; word != NULL && *word != '\0';) {
		size_t length = strcspn(word, " \n\t");
		int word_columns = wrap_columns(word, length);
		if (column > indent && column + !first + word_columns > width) {
			column =
				fprintf(out, "\n%*s%s", indent, "", clean_begins_command(word) ? "\\" : "") - 1;
			first = true;
		}
		if (!first)
			column += fprintf(out, " ");
		fwrite(word, 1, length, out);
		column += word_columns;
		first = false;
		word += length;
		word += strspn(word, " \n\t");
	}
	fputc('\n', out);
	free(clean);
}
