/* The ranking as comma-separated values (RFC 4180): a row a file, lines that end in CR LF. */
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/facts.h"
#include "report/ranking.h"
#include "report/report.h"

static void put_positive(FILE *out, double value)
{
	if (value > 0.0)
		fprintf(out, "%.9g", value);
}

static void put_row(FILE *out, const struct ranking_row *row)
{
	const struct judgement *item = row->item;
	char reason[FACTS_REASON];
	if (row->rank > 0)
		fprintf(out, "%u", row->rank);
	fputc(',', out);
	clean_print_csv(out, item->file);
	fprintf(out, ",%s,%s,%zu,%zu,", item->problem, verdict_name(item->verdict), item->accepted,
			item->count);
	put_positive(out, row->microseconds);
	fprintf(out, ",%s,", !(row->microseconds > 0.0) ? "" : row->confirmed ? "yes" : "no");
	put_positive(out, row->ratio);
	fprintf(out, ",%s,", item->content);
	clean_print_csv(out, row->same != NULL ? row->same->file : "");
	fputc(',', out);
	clean_print_csv(out, facts_reason(item, reason));
	fputc(',', out);
	clean_print_csv(out, item->hint_count > 0 ? item->hints[0] : "");
	fputs("\r\n", out);
}

void report_csv(const struct judgement_list *list, FILE *out)
{
	struct ranking ranking = ranking_make(list);
	fputs("rank,file,problem,verdict,cases_accepted,cases_total,microseconds,confirmed,"
		  "ratio_to_fastest_library,content,same_as,detail,hint\r\n",
		  out);
	for (size_t i = 0; i < ranking.count; i++)
		put_row(out, &ranking.rows[i]);
	ranking_free(&ranking);
}
