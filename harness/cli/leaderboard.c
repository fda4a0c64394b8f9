/* gemmjudge leaderboard: the best of what was judged here. */
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "report/clean.h"
#include "site/site.h"
#include "store/show/show.h"

static int write_pages(const char *folder, const struct leaderboard *all)
{
	struct error err;
	size_t pages;
	if (!site_write(folder, all, GEMMJUDGE_VERSION, &pages, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("%zu page%s written: ", pages, text_plural(pages));
	clean_print(stdout, folder);
	puts("/index.html is the first");
	return EXIT_ACCEPTED;
}

static int leaderboard(const char *program, struct options *options)
{
	(void)program;
	struct error err;
	struct measured_list runs;
	struct shown_leaderboard shown = {.shape_count = options->judge.shapes.count,
									  .shapes = options->judge.shapes.items};
	const struct store_filter filter = {
		.problem = options->judge.problem != NULL ? options->judge.problem->name : NULL,
		.device = options->gpu,
		.submitted = options->query.submitted,
		.case_names = true};
	if (options->argument_count > 0) {
		error_set(&err, "leaderboard takes no file: gemmjudge history %s shows what it was",
				  options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!stored_find(options, &filter, &runs, &err) ||
		!leaderboard_make(&runs, true, &shown.all, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	int status = options->query.site != NULL
					 ? write_pages(options->query.site, &shown.all)
					 : stored_show(options, show_leaderboard, show_leaderboard_json, &shown);
	leaderboard_free(&shown.all);
	return status;
}

const struct subcommand subcommand_leaderboard = {
	.name = "leaderboard",
	.also = "rank ranking top scores leaderboards",
	.summary = "the best of what was judged here, ranked",
	.usage = "usage: gemmjudge leaderboard [OPTION...]\n"
			 "\n"
			 "Ranks the best accepted run of each content, for each problem and kind of GPU. "
			 "Times that differ by no more than noise share a rank. Only what was judged alike "
			 "ranks: of each problem, device and epilogue by the cases that most files were "
			 "judged by. What broke a rule, and times that sealed calls did not confirm, never "
			 "rank.\n"
			 "\n"
			 "  gemmjudge leaderboard --problem gemm-f16 --shape 4096x4096x4096\n"
			 "  gemmjudge leaderboard --site pages\n",
	.run = leaderboard,
};
