/* What a member of a submission's JSON holds, as text and as a cell of a table. */
#include <math.h>
#include <string.h>

#include "judgement/names.h"
#include "report/facts.h"
#include "serve/page.h"

const char *page_text(const json_t *json, const char *member)
{
	const json_t *value = json_object_get(json, member);
	return json_is_string(value) ? json_string_value(value) : "";
}

double page_number(const json_t *json, const char *member)
{
	const json_t *value = json_object_get(json, member);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

void page_time_cell(struct html_table *table, double microseconds)
{
	html_table_number(table, microseconds, facts_time(microseconds, (char[FACTS_TIME]){0}));
}

void page_date_cell(struct html_table *table, const json_t *json, const char *member)
{
	char date[24];
	snprintf(date, sizeof date, "%.16s", page_text(json, member));
	if (strlen(date) > 10)
		date[10] = ' ';
	html_table_text(table, date);
}

void page_verdict(FILE *out, const char *name)
{
	enum verdict verdict;
	if (verdict_of_name(name, &verdict))
		html_verdict(out, verdict);
	else
		html_text(out, name[0] != '\0' ? name : "no verdict");
}
