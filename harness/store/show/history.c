/* What a solution was at each time. */
#include <stdio.h>
#include <string.h>

#include "report/clean.h"
#include "report/document.h"
#include "store/show/show.h"

static bool same_place(const struct measured *a, const struct measured *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
		   strcmp(a->host, b->host) == 0 && strcmp(a->problem, b->problem) == 0;
}

/* The shape that its time is of, where it is one. */
static const struct measured_time *only_time(const struct measured *run)
{
	return run->time_count == 1 ? &run->times[0] : NULL;
}

static void print_head(const struct measured *run, bool by_file, FILE *out)
{
	char line[512], shape[MEASURED_SHAPE];
	snprintf(line, sizeof line, "%s on %s%s%s%s%s", run->problem, run->device,
			 run->driver[0] != '\0' ? ", driver " : "", run->driver,
			 run->host[0] != '\0' ? ", host " : "", run->host);
	clean_print(out, line);
	fputc('\n', out);
	const struct measured_time *time = only_time(run);
	if (time != NULL) {
		measured_shape(time, shape);
		fprintf(out, "%s\n", shape);
	}
	fprintf(out, "%6s  %-16s  %-18s  %-14s %10s  %6s\n", "id", "date (UTC)",
			by_file ? "content   commit" : "file", "verdict", "median us", "/best");
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
		sprintf(out, "%s%s", show_microseconds(time->median, number),
				seal_state_is(time->seal, SEAL_CONFIRMED) ? ""
				: seal_state_is(time->seal, SEAL_OUTSIDE) ? "*"
														  : "?");
}

static void print_row(const struct measured *run, bool by_file, FILE *out)
{
	char date[SHOW_DATE], time[SHOW_NUMBER + 16], what[SHOW_NAME], ratio[SHOW_NUMBER] = "-";
	double mean = measured_mean_ratio(run);
	if (mean > 0.0)
		snprintf(ratio, sizeof ratio, "%.3f", mean);
	time_text(run, time);
	if (by_file)
		snprintf(what, sizeof what, "%-8.8s  %-8.8s", run->content,
				 run->commit[0] != '\0' ? run->commit : "-");
	else
		show_cell(run, 18, what);
	fprintf(out, "%6lld  %-16s  %s  %-14s %10s  %6s\n", (long long)run->id, show_date(run, date),
			what, run->verdict, time, ratio);
}

/* The marks that were used. */
static void print_legend(const struct measured_list *list, FILE *out)
{
	bool outside = false, open = false;
	for (size_t i = 0; i < list->count; i++) {
		const struct measured_time *time = only_time(&list->items[i]);
		if (time == NULL)
			continue;
		outside = outside || seal_state_is(time->seal, SEAL_OUTSIDE);
		open = open || (!seal_state_is(time->seal, SEAL_OUTSIDE) &&
						!seal_state_is(time->seal, SEAL_CONFIRMED));
	}
	if (outside || open)
		fputc('\n', out);
	if (outside)
		fputs("* seen from outside: the process says less\n", out);
	if (open)
		fputs("? not confirmed by sealed calls\n", out);
}

void show_history(const void *what, FILE *out)
{
	const struct shown_history *found = what;
	const struct measured_list *list = &found->list;
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
			print_head(run, found->by_file, out);
			head = run;
			shape = time;
		}
		print_row(run, found->by_file, out);
	}
	print_legend(list, out);
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
