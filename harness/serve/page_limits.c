/* What a problem's page says of how this server judges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"
#include "serve/standard.h"
#include "testcases/problem.h"
#include "testcases/shape.h"

/* The largest that a size is drawn: --max-dim bounds rows, columns and terms, not what counts
 * matrices or groups. */
static int largest(const struct serve_config *config, const struct problem_size *size)
{
	const unsigned bounded = 1u << SIZE_M | 1u << SIZE_N | 1u << SIZE_K;
	if (config->max_dim == 0 || (size->is & bounded) == 0 || size->max <= config->max_dim)
		return size->max;
	return config->max_dim > size->min ? config->max_dim : size->min;
}

static void sizes_print(FILE *out, const struct serve_config *config, const struct problem *problem)
{
	static const struct html_column columns[] = {
		{"Size", COLUMN_SHORT}, {"From", COLUMN_NUMBER}, {"To", COLUMN_NUMBER}};
	struct html_table table;
	html_table_open(&table, out, "Sizes of generated cases", columns, 3);
	for (const struct problem_size *size = problem->sizes; size->name != NULL; size++) {
		html_table_row(&table, 0);
		html_table_text(&table, size->shown);
		html_table_format(&table, size->min, "%d", size->min);
		html_table_format(&table, largest(config, size), "%d", largest(config, size));
	}
	html_table_close(&table);
}

void page_limits(FILE *out, const struct server *server, const struct http_request *request,
				 const struct problem *problem)
{
	const struct serve_config *config = server->config;
	char large[SHAPE_TEXT];
	shape_print(problem, &problem->large, large);
	html_heading(out, 2, NULL, "Limits");
	sizes_print(out, config, problem);
	fputs("<p class=\"quiet\">", out);
	if (config->cases > 0)
		fprintf(out, "A submission is judged by %zu generated cases. ", config->cases);
	if (config->emulated)
		fputs("This server has no GPU: an emulated one runs the compiled file, and shows no times. "
			  "The board ranks by right cases. ",
			  out);
	else
		fprintf(out, "It is timed at %s%s. ", large,
				config->cases > 0 ? "" : ", where its judge has a GPU");
	char *standard = json_dumps(standard_of(config, problem->name), JSON_COMPACT);
	if (standard != NULL && strcmp(standard, "{}") != 0) {
		fputs("Options of this problem: ", out);
		html_text(out, standard);
		fputs(". ", out);
	}
	free(standard);
	fputs("With options of your own a submission is practice: it counts for no board and no class "
		  "table. A source has at most 1 MiB",
		  out);
	if (request->user.name[0] != '\0')
		fprintf(out,
				"; %zu of your submissions may wait, all of them may take %lld MiB, and you have "
				"%.0f s of judging in an hour",
				config->queue_of_user, (long long)(config->disk_of_user >> 20),
				config->seconds_of_user);
	fputs(".</p>\n", out);
}
