#include "cli/file_summary.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void file_summary(const char *path, char out[FILE_SUMMARY_MAX])
{
	char head[512] = "";
	size_t used = 0;
	out[0] = '\0';
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return;
	head[fread(head, 1, sizeof head - 1, file)] = '\0';
	fclose(file);
	if (head[0] != '/' || (head[1] != '*' && head[1] != '/'))
		return;
	char *end = strstr(head, head[1] == '*' ? "*/" : "\n\n");
	if (end != NULL)
		*end = '\0';
	bool blank = true, line_begins = true;
	for (const char *p = head; *p != '\0' && used + 2 < FILE_SUMMARY_MAX; p++) {
		bool space = strchr(" \t\r\n", *p) != NULL;
		bool mark = line_begins && (*p == '*' || *p == '/'); /* of the comment */
		line_begins = *p == '\n' || (line_begins && (space || mark));
		if (space || mark) {
			blank = true;
			continue;
		}
		if (blank && used > 0)
			out[used++] = ' ';
		blank = false;
		out[used++] = *p;
		if (*p == '.' && (p[1] == '\0' || strchr(" \r\n", p[1]) != NULL))
			break;
	}
	out[used] = '\0';
}
