/* All reports of some judgements, none of which anything from outside may break. */
#ifndef GEMMJUDGE_TESTS_FUZZ_REPORT_ALL_H
#define GEMMJUDGE_TESTS_FUZZ_REPORT_ALL_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/report.h"

static char *report_written(const struct judgement_list *list, report_writer writer)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		fuzz_found("no memory for a report");
	if (writer != NULL)
		writer(list, out);
	else
		report_text(list, &(struct report_style){.verbose = true}, out);
	fclose(out);
	if (strlen(text) != size)
		fuzz_found("a report with a NUL in it");
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			fuzz_found("a report with a control character in it");
	return text;
}

static void report_all(const struct judgement_list *list)
{
	free(report_written(list, NULL));
	free(report_written(list, report_junit));
	free(report_written(list, report_markdown_verbose));
	free(report_written(list, report_html));
	char *text = report_written(list, report_json);
	json_t *json = json_loads(text, 0, NULL);
	if (json == NULL)
		fuzz_found("a JSON report that is none");
	json_decref(json);
	free(text);
}

#endif
