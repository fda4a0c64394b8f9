/* One board: its table, and its times beside each other. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judgement/bits.h"
#include "report/facts.h"
#include "report/html/intervals.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "site/pages.h"

#define FINDING 512
#define LABEL 256

static const struct html_column columns[] = {{"Rank", COLUMN_NUMBER},
											 {"File", COLUMN_NAME},
											 {"Median, us", COLUMN_NUMBER},
											 {"TFLOP/s", COLUMN_NUMBER},
											 {"95% from", COLUMN_NUMBER},
											 {"to", COLUMN_NUMBER},
											 {"Of best library", COLUMN_NUMBER},
											 {"Bits", COLUMN_SHORT},
											 {"Cases", COLUMN_NUMBER},
											 {"Date (UTC)", COLUMN_SHORT},
											 {"Content", COLUMN_SHORT},
											 {"gemmjudge", COLUMN_SHORT}};

#define COLUMNS (sizeof columns / sizeof *columns)
#define COLUMN_OF_RATE 3 /* whose head is its unit */

static bool from_host_side(const struct leader *leader)
{
	return seal_state_is(leader->time->seal, SEAL_HOST_SIDE);
}

static void leader_print(struct html_table *table, const struct site *site,
						 const struct leader *leader)
{
	const struct measured_time *time = leader->time;
	const struct measured *run = leader->run;
	char bits[BITS_MARKS];
	html_table_row(table, 0);
	html_table_format(table, (double)leader->rank, "%zu", leader->rank);
	site_file_cell(table, site, run);
	html_table_format(table, time->median, "%s%s", facts_time(time->median, (char[FACTS_TIME]){0}),
					  from_host_side(leader) ? " *" : "");
	double rate = measured_rate(time);
	html_table_format(table, rate, rate < 10.0 ? "%.3f" : "%.1f", rate);
	site_time_cell(table, time->low);
	site_time_cell(table, time->high);
	site_ratio_cell(table, measured_ratio(time));
	html_table_text(table, bits_marks(run->repeatable, run->batch_invariant, bits));
	html_table_format(table, (double)run->cases, "%lld", (long long)run->cases);
	site_date_cell(table, run);
	site_content_cell(table, site, run);
	html_table_text(table, run->commit);
}

/* Who is first, in words. */
static void finding_print(const struct board *board, char out[FINDING])
{
	const struct leader *first = &board->leaders[0];
	double ratio = measured_ratio(first->time);
	size_t ties = 1, used;
	while (ties < board->count && board->leaders[ties].rank == 1)
		ties++;
	used = (size_t)snprintf(out, FINDING, "%.200s takes %s us", first->run->file,
							facts_time(first->time->median, (char[FACTS_TIME]){0}));
	if (ratio > 0.0)
		used += (size_t)snprintf(out + used, FINDING - used, ", %.3f of the speed of %s", ratio,
								 first->time->library);
	if (ties > 1)
		used += (size_t)snprintf(out + used, FINDING - used,
								 "; %zu more differ from it by no more than noise", ties - 1);
	snprintf(out + used, FINDING - used, ".");
}

static const char *file_name(const struct measured *run)
{
	const char *slash = strrchr(run->file, '/');
	return slash != NULL ? slash + 1 : run->file;
}

/* Its rank and name; with its content where others are of the same name. */
static void label_print(const struct board *board, size_t index, char out[LABEL])
{
	const struct leader *leader = &board->leaders[index];
	const char *name = file_name(leader->run);
	bool shared = false;
	for (size_t i = 0; i < board->count && !shared; i++)
		shared = i != index && strcmp(file_name(board->leaders[i].run), name) == 0;
	snprintf(out, LABEL, "%zu. %.180s%s%.8s%s", leader->rank, name, shared ? " (" : "",
			 shared ? leader->run->content : "", shared ? ")" : "");
}

/* The fastest library of the first one's run is last. */
static void plot_print(FILE *out, const struct board *board)
{
	struct html_interval rows[INTERVALS_MOST + 1];
	char finding[FINDING], labels[INTERVALS_MOST][LABEL];
	const struct measured_time *first = board->leaders[0].time;
	size_t count = 0, shown = board->count < INTERVALS_MOST ? board->count : INTERVALS_MOST - 1;
	for (; count < shown; count++) {
		const struct measured_time *time = board->leaders[count].time;
		label_print(board, count, labels[count]);
		rows[count] = (struct html_interval){.label = labels[count],
											 .stats = {.median = time->median,
													   .min = time->low,
													   .low = time->low,
													   .high = time->high,
													   .p95 = time->high}};
	}
	if (first->library_microseconds > 0.0 && count < INTERVALS_MOST) {
		double time = first->library_microseconds;
		rows[count++] = (struct html_interval){
			.label = first->library,
			.series = 1,
			.stats = {.median = time, .min = time, .low = time, .high = time, .p95 = time}};
	}
	finding_print(board, finding);
	html_figure_open(out, "Median and its 95% interval", finding);
	html_intervals(out, finding, rows, count);
	html_figure_close(out);
}

void board_print(FILE *out, const struct site *site, const struct board *board)
{
	struct html_table table;
	struct html_column own[COLUMNS];
	char sizes[SHAPE_TEXT], caption[SHAPE_TEXT + 64], versions[BOARD_VERSIONS + 1];
	bool host_side = false;
	measured_sizes(board->time, sizes);
	snprintf(caption, sizeof caption, "Ranks at %s; who differ by no more than noise share one",
			 sizes);
	fputs("<div class=\"data\">\n", out);
	memcpy(own, columns, sizeof own);
	own[COLUMN_OF_RATE].name = measured_rate_unit(board->time);
	html_table_open(&table, out, caption, own, COLUMNS);
	for (size_t i = 0; i < board->count; i++) {
		leader_print(&table, site, &board->leaders[i]);
		host_side = host_side || from_host_side(&board->leaders[i]);
	}
	html_table_close(&table);
	fputs("</div>\n", out);
	if (host_side)
		html_paragraph(out, "quiet",
					   "* host-side time: the process said less than what sealed calls took.");
	if (board->unconfirmed > 0) {
		char text[96];
		snprintf(text, sizeof text,
				 "%zu more without a rank: sealed calls do not confirm a time at this shape.",
				 board->unconfirmed);
		html_paragraph(out, "quiet", text);
	}
	for (enum board_version kind = 0; kind < BOARD_VERSION_KINDS; kind++)
		if (board_versions(board, kind, versions)) {
			versions[0] = (char)toupper((unsigned char)versions[0]);
			strcat(versions, ".");
			html_paragraph(out, "quiet", versions);
		}
	plot_print(out, board);
}
