/* gemmjudge leaderboard: the best of what was judged here. */
#include "store/leaderboard.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "report/clean.h"
#include "report/wrap.h"
#include "site/site.h"

#define WIDTH 80
#define LEFT_OUT_SHOWN 10
#define SHAPES_TEXT 512

/* What is shown, and what was asked for. */
struct shown {
	const struct options *options;
	struct leaderboard all;
};

/* What is to be seen of a leaderboard: the shape that was asked for, or the main ones. */
static bool is_shown(const struct options *options, const struct board *board)
{
	char asked[SHAPE_TEXT], sizes[SHAPE_TEXT];
	if (options->judge.shape_count == 0)
		return board->main;
	measured_sizes(board->time, sizes);
	for (size_t i = 0; i < options->judge.shape_count; i++) {
		shape_text_print(&options->judge.shapes[i], asked);
		if (strcmp(asked, sizes) == 0)
			return true;
	}
	return false;
}

/* ---- text ------------------------------------------------------------------------------ */

static void print_leader(const struct leader *leader, FILE *out)
{
	char name[STORED_NAME], time[STORED_NUMBER], low[STORED_NUMBER], high[STORED_NUMBER];
	char interval[2 * STORED_NUMBER], ratio[STORED_NUMBER] = "-";
	const struct measured_time *at = leader->time;
	snprintf(interval, sizeof interval, "%s-%s", stored_microseconds(at->low, low),
			 stored_microseconds(at->high, high));
	if (measured_ratio(at) > 0.0)
		snprintf(ratio, sizeof ratio, "%.3f", measured_ratio(at));
	fprintf(out, "%4zu  %s  %-8.8s %9s%s %13s  %5s %5lld %5lld\n", leader->rank,
			stored_cell(leader->run, 20, name), leader->run->content,
			stored_microseconds(at->median, time), seal_state_is(at->seal, SEAL_OUTSIDE) ? "*" : " ",
			interval, ratio, (long long)leader->run->cases, (long long)leader->run->id);
}

static void print_board(const struct board *board, FILE *out)
{
	char shape[MEASURED_SHAPE], line[1024];
	bool outside = false;
	measured_shape(board->time, shape);
	snprintf(line, sizeof line, "%s on %s, %s%s%.160s", board->run->problem, board->run->device,
			 shape, board->run->epilogue[0] != '\0' ? ", epilogue " : "", board->run->epilogue);
	wrap_print(out, WIDTH, 0, 0, line);
	fprintf(out, "%4s  %-20s  %-8s %9s  %13s  %5s %5s %5s\n", "rank", "file", "content", "us",
			"95%", "/best", "cases", "id");
	for (size_t i = 0; i < board->count; i++) {
		print_leader(&board->leaders[i], out);
		outside = outside || seal_state_is(board->leaders[i].time->seal, SEAL_OUTSIDE);
	}
	if (outside)
		fputs("* seen from outside: the process says less\n", out);
	if (board->unconfirmed > 0)
		fprintf(out, "%zu more without a rank: sealed calls do not confirm a time here\n",
				board->unconfirmed);
}

/* Shapes of the same problem and device that are not shown. */
static void print_other_shapes(const struct leaderboard *all, const struct board *shown, FILE *out)
{
	char line[SHAPES_TEXT] = "", sizes[SHAPE_TEXT];
	size_t others = 0, used = 0;
	for (size_t i = 0; i < all->board_count; i++) {
		if (&all->boards[i] == shown || !leaderboard_same_field(all->boards[i].run, shown->run))
			continue;
		measured_sizes(all->boards[i].time, sizes);
		if (others++ < 6)
			used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used > 0 ? ", " : "",
									 sizes);
	}
	if (others == 0)
		return;
	char text[SHAPES_TEXT + 64];
	snprintf(text, sizeof text, "%zu more shape%s (--shape): %s%s", others, text_plural(others),
			 line, others > 6 ? ", ..." : "");
	wrap_print(out, WIDTH, 0, 0, text);
}

static void print_left_out(const struct leaderboard *all, FILE *out)
{
	char line[256], name[STORED_NAME];
	if (all->left_out_count == 0)
		return;
	fprintf(out, "\nnot ranked:\n");
	for (size_t i = 0; i < all->left_out_count && i < LEFT_OUT_SHOWN; i++) {
		const struct left_out *one = &all->left_out[i];
		snprintf(line, sizeof line, "#%lld %s (%s): %s", (long long)one->run->id,
				 stored_name(one->run, 30, name), one->run->problem, one->why);
		fprintf(out, "  %s\n", line);
	}
	if (all->left_out_count > LEFT_OUT_SHOWN)
		fprintf(out, "  ... and %zu more\n", all->left_out_count - LEFT_OUT_SHOWN);
}

static void write_text(const void *what, FILE *out)
{
	const struct options *options = ((const struct shown *)what)->options;
	const struct leaderboard *all = &((const struct shown *)what)->all;
	bool any = false;
	for (size_t i = 0; i < all->board_count; i++) {
		if (!is_shown(options, &all->boards[i]))
			continue;
		if (any)
			fputc('\n', out);
		any = true;
		print_board(&all->boards[i], out);
		if (options->judge.shape_count == 0)
			print_other_shapes(all, &all->boards[i], out);
	}
	if (!any)
		fprintf(out, "nothing is ranked%s: no accepted run has a time that is confirmed\n",
				options->judge.shape_count > 0 ? " at this shape" : "");
	print_left_out(all, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *board_json(const struct board *board)
{
	char sizes[SHAPE_TEXT];
	json_t *json = json_object(), *leaders = json_array();
	measured_sizes(board->time, sizes);
	json_object_set_new(json, "problem", stored_text(board->run->problem));
	json_object_set_new(json, "device", stored_text(board->run->device));
	json_object_set_new(json, "epilogue", stored_text(board->run->epilogue));
	json_object_set_new(json, "shape", json_string(sizes));
	json_object_set_new(json, "scalars", json_loads(board->time->scalars, 0, NULL));
	for (size_t i = 0; i < board->count; i++) {
		json_t *item = json_object();
		json_object_set_new(item, "rank", json_integer((json_int_t)board->leaders[i].rank));
		json_object_set_new(item, "judgement", stored_run(board->leaders[i].run));
		json_object_set_new(item, "time", stored_time(board->leaders[i].time));
		json_array_append_new(leaders, item);
	}
	json_object_set_new(json, "leaders", leaders);
	json_object_set_new(json, "unconfirmed", json_integer((json_int_t)board->unconfirmed));
	return json;
}

static void write_json(const void *what, FILE *out)
{
	const struct options *options = ((const struct shown *)what)->options;
	const struct leaderboard *all = &((const struct shown *)what)->all;
	json_t *json = stored_document("leaderboard", STORED_JSON_SCHEMA_VERSION),
		   *boards = json_array(), *left_out = json_array();
	for (size_t i = 0; i < all->board_count; i++)
		if (options->judge.shape_count == 0 || is_shown(options, &all->boards[i]))
			json_array_append_new(boards, board_json(&all->boards[i]));
	for (size_t i = 0; i < all->left_out_count; i++) {
		json_t *item = json_object();
		json_object_set_new(item, "judgement", stored_run(all->left_out[i].run));
		json_object_set_new(item, "why", json_string(all->left_out[i].why));
		json_array_append_new(left_out, item);
	}
	json_object_set_new(json, "boards", boards);
	json_object_set_new(json, "not_ranked", left_out);
	stored_print(json, out);
}

/* ---- pages ------------------------------------------------------------------------------- */

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

/* ---- the command ---------------------------------------------------------------------------- */

static int leaderboard(const char *program, struct options *options)
{
	(void)program;
	struct error err;
	struct measured_list runs;
	struct shown shown = {.options = options};
	const struct store_filter filter = {
		.problem = options->judge.problem != NULL ? options->judge.problem->name : NULL,
		.device = options->gpu};
	if (options->argument_count > 0) {
		error_set(&err, "leaderboard takes no file: gemmjudge history %s shows what it was",
				  options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!stored_find(options, &filter, &runs, &err) || !leaderboard_make(&runs, &shown.all, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	int status = options->site != NULL ? write_pages(options->site, &shown.all)
									   : stored_show(options, write_text, write_json, &shown);
	leaderboard_free(&shown.all);
	return status;
}

const struct subcommand subcommand_leaderboard = {
	.name = "leaderboard",
	.summary = "the best of what was judged here, ranked",
	.usage = "usage: gemmjudge leaderboard [OPTION...]\n"
			 "\n"
			 "Ranks the best accepted run of each content, for each problem and kind of GPU.\n"
			 "Times that differ by no more than noise share a rank. What broke a rule, and\n"
			 "times that sealed calls did not confirm, never rank.\n"
			 "\n"
			 "  gemmjudge leaderboard --problem gemm-f16 --shape 4096x4096x4096\n"
			 "  gemmjudge leaderboard --site pages\n",
	.run = leaderboard,
};
