/* What a solution was at each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/document.h"
#include "store/show/show.h"

/* Whether times of both can be compared. */
static bool same_place(const struct measured *a, const struct measured *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
		   strcmp(a->nvcc, b->nvcc) == 0 && strcmp(measured_library(a), measured_library(b)) == 0 &&
		   strcmp(a->host, b->host) == 0 && strcmp(a->problem, b->problem) == 0 &&
		   strcmp(a->epilogue, b->epilogue) == 0;
}

/* The shape that its time is of, where it is one. */
static const struct measured_time *only_time(const struct measured *run)
{
	return run->time_count == 1 ? &run->times[0] : NULL;
}

/* Which columns the history of files has. */
struct columns {
	bool by_file;    /* else they have names alone */
	bool names;      /* too, as there are several */
	const char *now; /* the content that is marked; NULL: none is */
};

static struct columns columns_of(const struct shown_history *found)
{
	struct columns columns = {.by_file = found->by_file};
	const struct measured *items = found->list.items;
	for (size_t i = 1; i < found->list.count && found->by_file; i++) {
		columns.names = columns.names || strcmp(items[i].path, items[0].path) != 0;
		if (strcmp(items[i].content, items[0].content) != 0)
			columns.now = found->content;
	}
	return columns;
}

static const char *columns_head(const struct columns *columns)
{
	return columns->names ? "content file" : columns->by_file ? "content   commit" : "file";
}

/* "c2f2b0c6= 97d59c3", "c2f2b0= 01_naive.cu", "01_naive.cu", and blanks. */
static void columns_text(const struct columns *columns, const struct measured *run,
						 char out[SHOW_NAME + 16])
{
	char name[SHOW_NAME];
	bool now = columns->now != NULL && strcmp(run->content, columns->now) == 0;
	if (columns->names)
		snprintf(out, SHOW_NAME + 16, "%-6.6s%c %s", run->content, now ? '=' : ' ',
				 show_cell(run, 11, name));
	else if (columns->by_file)
		snprintf(out, SHOW_NAME + 16, "%-8.8s%c %-8.8s", run->content, now ? '=' : ' ',
				 run->commit[0] != '\0' ? run->commit : "-");
	else
		snprintf(out, SHOW_NAME + 16, "%s", show_cell(run, 18, name));
}

static void print_head(const struct measured *run, const struct columns *columns, FILE *out)
{
	char line[512], shape[MEASURED_SHAPE];
	const char *const versions[][2] = {
		{"driver ", run->driver}, {"", measured_library(run)}, {"nvcc ", run->nvcc}};
	int used = 0;
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (versions[i][1][0] != '\0')
			used += snprintf(line + used, sizeof line - (size_t)used, "%s%s%s",
							 used > 0 ? ", " : "", versions[i][0], versions[i][1]);
	char *epilogue = clean_line(run->epilogue); /* of a store, which may be anybody's */
	fprintf(out, "%s on %s%s%s%s%s\n", run->problem, run->device,
			run->host[0] != '\0' ? ", host " : "", run->host,
			run->epilogue[0] != '\0' ? ", epilogue " : "", epilogue != NULL ? epilogue : "");
	free(epilogue);
	if (used > 0)
		fprintf(out, "%s\n", line);
	const struct measured_time *time = only_time(run);
	if (time != NULL) {
		measured_shape(time, shape);
		fprintf(out, "%s\n", shape);
	}
	fprintf(out, "%6s  %-16s  %-*s  %-14s %10s  %6s\n", "id", "date (UTC)",
			columns->names ? 19 : 18, columns_head(columns), "verdict", "median us", "/best");
}

/* What stands behind a time: it is of a stream, or what sealed calls said of it. */
enum time_mark { MARK_NONE, MARK_HOST_SIDE, MARK_OPEN, MARK_STEADY, MARKS };
static const char *const mark_texts[MARKS] = {"", "*", "?", "~"};
static const char *const mark_legends[MARKS] = {
	[MARK_HOST_SIDE] = "* host-side time: the process says less",
	[MARK_OPEN] = "? not confirmed by sealed calls",
	[MARK_STEADY] = "~ in a steady stream of calls, not in bursts",
};

static enum time_mark mark_of(const struct measured_time *time)
{
	if (timing_clock_is(time->clock, CLOCK_STEADY))
		return MARK_STEADY;
	return seal_state_is(time->seal, SEAL_CONFIRMED)   ? MARK_NONE
		   : seal_state_is(time->seal, SEAL_HOST_SIDE) ? MARK_HOST_SIDE
													   : MARK_OPEN;
}

/* "216.1", "216.1?", "12 shapes", "-" */
static void time_text(const struct measured *run, char out[SHOW_NUMBER + 16])
{
	char number[SHOW_NUMBER];
	const struct measured_time *time = only_time(run);
	if (run->time_count == 0)
		strcpy(out, "-");
	else if (time == NULL)
		sprintf(out, "%zu shapes", run->time_count);
	else
		sprintf(out, "%s%s", show_microseconds(time->median, number), mark_texts[mark_of(time)]);
}

static void print_row(const struct measured *run, const struct columns *columns, FILE *out)
{
	char date[SHOW_DATE], time[SHOW_NUMBER + 16], what[SHOW_NAME + 16], ratio[SHOW_NUMBER] = "-";
	double mean = measured_mean_ratio(run);
	if (mean > 0.0)
		snprintf(ratio, sizeof ratio, "%.3f", mean);
	time_text(run, time);
	columns_text(columns, run, what);
	fprintf(out, "%6lld  %-16s  %s  %-14s %10s  %6s\n", (long long)run->id, show_date(run, date),
			what, run->verdict, time, ratio);
}

/* The marks that were used. */
static void print_legend(const struct measured_list *list, const struct columns *columns, FILE *out)
{
	bool used[MARKS] = {false}, any = columns->now != NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct measured_time *time = only_time(&list->items[i]);
		if (time != NULL)
			used[mark_of(time)] = true;
	}
	for (int mark = MARK_NONE + 1; mark < MARKS; mark++)
		any = any || used[mark];
	if (any)
		fputc('\n', out);
	if (columns->now != NULL)
		fputs("= what the file holds now\n", out);
	for (int mark = MARK_NONE + 1; mark < MARKS; mark++)
		if (used[mark])
			fprintf(out, "%s\n", mark_legends[mark]);
}

static void print_history(const void *what, FILE *out)
{
	const struct shown_history *found = what;
	const struct measured_list *list = &found->list;
	const struct columns columns = columns_of(found);
	const struct measured *head = NULL;
	const struct measured_time *shape = NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct measured *run = &list->items[i];
		const struct measured_time *time = only_time(run);
		bool other = head == NULL || !same_place(head, run) ||
					 (time != NULL && (shape == NULL || !measured_same_shape(time, shape)));
		if (other) {
			if (head != NULL)
				fputc('\n', out);
			print_head(run, &columns, out);
			head = run;
			shape = time;
		}
		print_row(run, &columns, out);
	}
	print_legend(list, &columns, out);
}

void show_history(const void *what, FILE *out)
{
	clean_print_page(out, print_history, what);
}

void show_history_json(const void *what, FILE *out)
{
	const struct measured_list *list = &((const struct shown_history *)what)->list;
	json_t *json = document_make("history", SHOW_JSON_SCHEMA_VERSION), *runs = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(runs, show_run_json(&list->items[i]));
	json_object_set_new(json, "judgements", runs);
	document_print(json, out);
}
