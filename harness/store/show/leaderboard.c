/* The best of what was judged. */
#include <string.h>

#include "base/text.h"
#include "judgement/bits.h"
#include "report/clean.h"
#include "report/document.h"
#include "report/wrap.h"
#include "store/show/show.h"

#define WIDTH 80
#define LEFT_OUT_SHOWN 10
#define SHAPES_TEXT 512

/* What is to be seen of a leaderboard: the shape that was asked for, or the main ones. */
static bool is_shown(const struct shown_leaderboard *shown, const struct board *board)
{
	char asked[SHAPE_TEXT], sizes[SHAPE_TEXT];
	if (shown->shape_count == 0)
		return board->main;
	measured_sizes(board->time, sizes);
	for (size_t i = 0; i < shown->shape_count; i++) {
		shape_text_print(&shown->shapes[i], asked);
		if (strcmp(asked, sizes) == 0)
			return true;
	}
	return false;
}

/* ---- text ------------------------------------------------------------------------------ */

static void print_leader(const struct leader *leader, FILE *out)
{
	char bits[BITS_MARKS], name[SHOW_NAME], time[SHOW_NUMBER], low[SHOW_NUMBER], high[SHOW_NUMBER];
	char interval[2 * SHOW_NUMBER], ratio[SHOW_NUMBER] = "-", rate[SHOW_NUMBER] = "-";
	const struct measured_time *at = leader->time;
	snprintf(interval, sizeof interval, "%s-%s", show_microseconds(at->low, low),
			 show_microseconds(at->high, high));
	if (measured_ratio(at) > 0.0)
		snprintf(ratio, sizeof ratio, "%.3f", measured_ratio(at));
	if (measured_rate(at) > 0.0)
		snprintf(rate, sizeof rate, measured_rate(at) < 10.0 ? "%.3f" : "%.1f", measured_rate(at));
	fprintf(out, "%4zu  %s %8s %9s%s %13s  %5s %6s %5lld %5lld\n", leader->rank,
			show_cell(leader->run, 14, name), rate, show_microseconds(at->median, time),
			seal_state_is(at->seal, SEAL_HOST_SIDE) ? "*" : " ", interval, ratio,
			bits_marks(leader->run->repeatable, leader->run->batch_invariant, bits),
			(long long)leader->run->cases, (long long)leader->run->id);
}

static void print_conditions(const struct measured *run, FILE *out)
{
	char conditions[MEASURED_CONDITIONS], line[MEASURED_CONDITIONS + 16];
	measured_conditions(run, conditions);
	snprintf(line, sizeof line, "judged on %s", conditions);
	wrap_print(out, WIDTH, 0, 0, line);
}

static void print_board(const struct board *board, FILE *out)
{
	char shape[MEASURED_SHAPE], line[1024];
	bool host_side = false;
	measured_shape(board->time, shape);
	snprintf(line, sizeof line, "%s on %s, %s%s%.160s", board->run->problem, board->run->device,
			 shape, board->run->epilogue[0] != '\0' ? ", epilogue " : "", board->run->epilogue);
	wrap_print(out, WIDTH, 0, 0, line);
	print_conditions(board->run, out);
	fprintf(out, "%4s  %-14s %8s %9s  %13s  %5s %6s %5s %5s\n", "rank", "file",
			measured_rate_unit(board->time), "us", "95%", "/best", "bits", "cases", "id");
	for (size_t i = 0; i < board->count; i++) {
		print_leader(&board->leaders[i], out);
		host_side = host_side || seal_state_is(board->leaders[i].time->seal, SEAL_HOST_SIDE);
	}
	if (host_side)
		fputs("* host-side time: the process says less\n", out);
	if (board->unconfirmed > 0)
		fprintf(out, "%zu more without a rank: sealed calls do not confirm a time here\n",
				board->unconfirmed);
	for (enum board_version kind = 0; kind < BOARD_VERSION_KINDS; kind++)
		if (board_versions(board, kind, line))
			wrap_print(out, WIDTH, 0, 0, line);
}

/* Shapes of the same problem and device that are not shown. */
static void print_other_shapes(const struct leaderboard *all, const struct board *shown, FILE *out)
{
	char line[SHAPES_TEXT] = "", sizes[SHAPE_TEXT];
	size_t others = 0, used = 0;
	for (size_t i = 0; i < all->board_count; i++) {
		if (&all->boards[i] == shown || !measured_same_field(all->boards[i].run, shown->run))
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

/* Where nobody has a time that counts. */
static void print_standings(const struct leaderboard *all, FILE *out)
{
	char bits[BITS_MARKS], line[1024], name[SHOW_NAME];
	for (size_t i = 0; i < all->standing_count; i++) {
		const struct standing *at = &all->standings[i];
		const struct measured *run = at->run;
		if (i == 0 || !measured_same_field(all->standings[i - 1].run, run)) {
			snprintf(line, sizeof line, "%s on %s%s%.160s: not timed, ranked by correctness",
					 run->problem, run->device, run->epilogue[0] != '\0' ? ", epilogue " : "",
					 run->epilogue);
			if (i > 0 || all->board_count > 0)
				fputc('\n', out);
			wrap_print(out, WIDTH, 0, 0, line);
			print_conditions(run, out);
			fprintf(out, "%4s  %-20s  %-16s %11s %6s %6s\n", "rank", "file", "verdict",
					"right cases", "bits", "id");
		}
		snprintf(line, sizeof line, "%lld of %lld", (long long)run->accepted,
				 (long long)run->cases);
		fprintf(out, "%4zu  %s  %-16s %11s %6s %6lld\n", at->rank, show_cell(run, 20, name),
				run->verdict, line, bits_marks(run->repeatable, run->batch_invariant, bits),
				(long long)run->id);
	}
}

static bool is_standing(const struct leaderboard *all, const struct measured *run)
{
	for (size_t i = 0; i < all->standing_count; i++)
		if (all->standings[i].run == run)
			return true;
	return false;
}

static void print_left_out(const struct leaderboard *all, FILE *out)
{
	char line[LEFT_OUT_WHY + 2 * SHOW_NAME], why[LEFT_OUT_WHY], name[SHOW_NAME];
	size_t count = 0;
	for (size_t i = 0; i < all->left_out_count; i++) {
		const struct left_out *one = &all->left_out[i];
		if (is_standing(all, one->run) || count++ >= LEFT_OUT_SHOWN)
			continue;
		if (count == 1)
			fprintf(out, "\nnot ranked:\n");
		left_out_why(one, why);
		snprintf(line, sizeof line, "#%lld %s (%s): %s", (long long)one->run->id,
				 show_name(one->run, 30, name), one->run->problem, why);
		fputs("  ", out);
		wrap_print(out, WIDTH, 2, 4, line);
	}
	if (count > LEFT_OUT_SHOWN)
		fprintf(out, "  ... and %zu more\n", count - LEFT_OUT_SHOWN);
}

static void print_leaderboard(const void *what, FILE *out)
{
	const struct shown_leaderboard *shown = what;
	const struct leaderboard *all = &shown->all;
	bool any = false;
	for (size_t i = 0; i < all->board_count; i++) {
		if (!is_shown(shown, &all->boards[i]))
			continue;
		if (any)
			fputc('\n', out);
		any = true;
		print_board(&all->boards[i], out);
		if (shown->shape_count == 0)
			print_other_shapes(all, &all->boards[i], out);
	}
	if (!any && (all->standing_count == 0 || shown->shape_count > 0))
		fprintf(out, "nothing is ranked%s: no accepted run has a time that is confirmed\n",
				shown->shape_count > 0 ? " at this shape" : "");
	if (shown->shape_count == 0)
		print_standings(all, out);
	print_left_out(all, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *board_json(const struct board *board)
{
	char sizes[SHAPE_TEXT], conditions[MEASURED_CONDITIONS];
	json_t *json = json_object(), *leaders = json_array();
	measured_sizes(board->time, sizes);
	json_object_set_new(json, "problem", document_text(board->run->problem));
	json_object_set_new(json, "device", document_text(board->run->device));
	json_object_set_new(json, "epilogue", document_text(board->run->epilogue));
	measured_conditions(board->run, conditions);
	json_object_set_new(json, "judged_on", document_text(conditions));
	json_object_set_new(json, "shape", json_string(sizes));
	json_object_set_new(json, "scalars", json_loads(board->time->scalars, 0, NULL));
	for (size_t i = 0; i < board->count; i++) {
		json_t *item = json_object();
		json_object_set_new(item, "rank", json_integer((json_int_t)board->leaders[i].rank));
		json_object_set_new(item, "judgement", show_run_json(board->leaders[i].run));
		json_object_set_new(item, "time", show_time_json(board->leaders[i].time));
		json_array_append_new(leaders, item);
	}
	json_object_set_new(json, "leaders", leaders);
	json_object_set_new(json, "unconfirmed", json_integer((json_int_t)board->unconfirmed));
	return json;
}

void show_leaderboard(const void *what, FILE *out)
{
	clean_print_page(out, print_leaderboard, what);
}

void show_leaderboard_json(const void *what, FILE *out)
{
	const struct shown_leaderboard *shown = what;
	const struct leaderboard *all = &shown->all;
	char why[LEFT_OUT_WHY];
	json_t *json = document_make("leaderboard", SHOW_JSON_SCHEMA_VERSION), *boards = json_array(),
		   *left_out = json_array(), *standings = json_array();
	for (size_t i = 0; i < all->board_count; i++)
		if (shown->shape_count == 0 || is_shown(shown, &all->boards[i]))
			json_array_append_new(boards, board_json(&all->boards[i]));
	for (size_t i = 0; i < all->left_out_count; i++) {
		json_t *item = json_object();
		json_object_set_new(item, "judgement", show_run_json(all->left_out[i].run));
		left_out_why(&all->left_out[i], why);
		json_object_set_new(item, "why", json_string(why));
		json_array_append_new(left_out, item);
	}
	for (size_t i = 0; i < all->standing_count; i++) {
		json_t *item = json_object();
		json_object_set_new(item, "rank", json_integer((json_int_t)all->standings[i].rank));
		json_object_set_new(item, "judgement", show_run_json(all->standings[i].run));
		json_array_append_new(standings, item);
	}
	json_object_set_new(json, "boards", boards);
	json_object_set_new(json, "by_correctness", standings);
	json_object_set_new(json, "not_ranked", left_out);
	document_print(json, out);
}
