#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "judgement/layers.h"
#include "report/clean.h"
#include "report/counters.h"
#include "report/denied.h"
#include "report/facts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/text_page.h"
#include "report/wrap.h"

#define LOG_LINES_SHOWN 20    /* of nvcc's, of a file that it refused */
#define REPORT_LINES_SHOWN 40 /* of a tool that it ran under */

/* ---- the head ---------------------------------------------------------- */

static void which_cases_print(const struct text_page *page, const struct run_description *facts)
{
	char *cases = facts_cases(facts), *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	if (out != NULL)
		fprintf(out, "seed 0x%llx, %s, tolerance %s", (unsigned long long)facts->seed,
				cases != NULL ? cases : "",
				facts->tolerance[0] != '\0' ? facts->tolerance : "bound");
	if (out != NULL && fclose(out) == 0)
		text_paragraph(page, 0, line);
	free(line);
	free(cases);
}

static void head_print(const struct text_page *page, const struct run_description *facts)
{
	char line[FACTS_DEVICE + 64], device[FACTS_DEVICE], shared[FACTS_SHARED];
	snprintf(line, sizeof line, "gemmjudge %s on %s", facts->version, facts_device(facts, device));
	text_paragraph(page, 0, line);
	if (facts_shared(facts, shared)[0] != '\0')
		text_paragraph(page, 0, shared);

	which_cases_print(page, facts);
	if (facts->tool[0] != '\0') {
		char under[sizeof facts->tool + 16];
		snprintf(under, sizeof under, "under %s", facts->tool);
		text_paragraph(page, 0, under);
	}
	char flags[1024];
	if (facts_nvcc_flags(facts, flags, sizeof flags)[0] != '\0') {
		char flagged[sizeof flags + 16];
		snprintf(flagged, sizeof flagged, "nvcc flags %s", flags);
		text_paragraph(page, 0, flagged);
	}
	if (facts->epilogue[0] != '\0') {
		char chain[sizeof facts->epilogue + 16];
		snprintf(chain, sizeof chain, "epilogue %s", facts->epilogue);
		text_paragraph(page, 0, chain);
	}
}

/* ---- a file ------------------------------------------------------------ */

/* Without the end of the line. */
static void verdict_print(const struct text_page *page, enum verdict verdict, const char *file)
{
	char name[32];
	snprintf(name, sizeof name, "%-15s", verdict_name(verdict));
	bool never = verdict == VERDICT_UNSUPPORTED || verdict == VERDICT_NOT_RUN;
	text_paint(page,
			   verdict == VERDICT_ACCEPTED ? TEXT_GOOD
			   : never                     ? TEXT_WARNING
										   : TEXT_BAD,
			   name);
	fputc(' ', page->out);
	clean_print_line(page->out, file);
}

static void summary_print(const struct text_page *page, const struct judgement *item)
{
	if (item->count == 0)
		return;
	struct strbuf line = {0};
	strbuf_addf(&line, "%s: %zu of %zu cases accepted", item->problem, item->accepted, item->count);
	size_t failed = facts_failed_cases(item);
	size_t left = item->count - item->accepted - failed - item->too_large;
	if (item->too_large > 0)
		strbuf_addf(&line, ", %zu not run: too large for the emulated GPU (--large-cases runs %s)",
					item->too_large, item->too_large > 1 ? "them" : "it");
	if (left > 0)
		strbuf_addf(&line, ", %zu failed, %zu not run", failed, left);
	const struct case_result *worst = facts_worst_case(item);
	double ratio = worst != NULL ? worst->check.worst_ratio : INFINITY;
	if (isfinite(ratio))
		strbuf_addf(&line,
					ratio <= 1.0 ? ", worst error %.2g of its bound (%s)"
								 : ", worst error %.4g times its bound (%s)",
					ratio, worst->test.name);
	text_paragraph(page, 2, strbuf_text(&line));
	strbuf_release(&line);
}

static void bits_print(const struct text_page *page, const struct judgement *item)
{
	char line[BITS_TEXT];
	if (bits_say(&item->bits, line)[0] != '\0')
		text_paragraph(page, 2, line);
}

static void hints_print(const struct text_page *page, const struct judgement *item)
{
	for (size_t i = 0; i < item->hint_count; i++) {
		struct strbuf line = {0};
		strbuf_addf(&line, "hint: %s", item->hints[i]);
		text_paragraph(page, 2, strbuf_text(&line));
		strbuf_release(&line);
	}
}

/* Prints the calls that the file's code tried and the jail denied, or why nobody knows them. */
static void denied_show(const struct text_page *page, const struct judgement *item)
{
	struct strbuf line = {0};
	if (item->denied.count > 0 || item->denied.more > 0) {
		strbuf_add(&line, "denied by the jail: ");
		denied_add_text(&item->denied, &line);
		text_paragraph(page, 2, strbuf_text(&line));
	}
	if (item->denied.unrecorded[0] != '\0') {
		strbuf_setf(&line, "what the jail denied was not recorded: %s", item->denied.unrecorded);
		text_paragraph(page, 2, strbuf_text(&line));
	}
	strbuf_release(&line);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;
	for (; *text != '\0'; count++)
		text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
	return count;
}

/* Prints nvcc's messages: of a file that it refused the first lines, of others how many there are.
 */
static void log_print(const struct text_page *page, const struct judgement *item)
{
	const bool refused = facts_refused(item);
	const char *log = item->compile_log != NULL ? item->compile_log : "", *rest = log;
	const size_t lines = count_lines(log), shown = refused ? LOG_LINES_SHOWN : 0;
	if (page->verbose || lines <= shown) {
		text_block(page, "  ", log, 0);
		return;
	}
	for (size_t i = 0; i < shown; i++)
		rest = strchr(rest, '\n') + 1;
	char *first = strndup(log, (size_t)(rest - log));
	if (first != NULL)
		text_block(page, "  ", first, 0);
	free(first);
	fprintf(page->out, "  nvcc says %zu%s line%s (--verbose shows %s)\n", lines - shown,
			refused ? " more" : "", text_plural(lines - shown), lines - shown == 1 ? "it" : "them");
}

/* Prints all that follows the line of the verdict. */
static void judgement_print(const struct text_page *page, const struct judgement *item)
{
	summary_print(page, item);
	bits_print(page, item);
	if (item->detail[0] != '\0' && facts_failed_cases(item) == 0)
		text_paragraph(page, 2, item->detail); /* else it repeats what the cases say */
	log_print(page, item);
	text_schedule(page, "", item->schedule);
	text_cases(page, item);
	if (page->verbose)
		kernels_uses_print(page->out, page->width, item);
	if (page->verbose)
		denied_show(page, item);
	hints_print(page, item);
	if (item->tool_report != NULL) {
		fputs("  the tool printed:\n", page->out);
		text_block(page, "  | ", item->tool_report, page->verbose ? 0 : REPORT_LINES_SHOWN);
	}
	counters_print(page->out, item);
	if (item->has_timing)
		text_timing(page, &item->timing);
	if (item->has_larger)
		text_timing(page, &item->larger);
	if (item->has_timing)
		return;
	if (item->timing_note[0] != '\0' && item->verdict == VERDICT_ACCEPTED)
		text_paragraph(page, 2, item->timing_note);
}

#define VERDICT_COLUMNS 16

/* A bad file has nothing but a reason, which fits the line that begins `column`s to the left. */
static void bad_file_print(const struct text_page *page, int column, const struct judgement *item)
{
	char reason[sizeof item->detail + 1];
	snprintf(reason, sizeof reason, " %s", item->detail); /* a blank before the first word */
	verdict_print(page, item->verdict, item->file);
	fputc(':', page->out);
	column += VERDICT_COLUMNS + wrap_columns(item->file, strlen(item->file)) + 1;
	wrap_print(page->out, page->width, column, 2, reason);
}

/* The line of a verdict alone. */
static void quiet_print(const struct text_page *page, const struct judgement *item)
{
	if (item->verdict == VERDICT_BAD_FILE) {
		bad_file_print(page, 0, item);
		return;
	}
	verdict_print(page, item->verdict, item->file);
	fputc('\n', page->out);
}

/* The line of a verdict behind `place`, and what follows it unless that goes without saying. True
 * where something does. */
static bool file_print(const struct text_page *page, const struct judgement *item,
					   const char *place, bool brief)
{
	fputs(place, page->out);
	if (item->verdict == VERDICT_BAD_FILE) {
		bad_file_print(page, (int)strlen(place), item);
		return false;
	}
	verdict_print(page, item->verdict, item->file);
	bool whole = !brief || page->verbose || item->verdict != VERDICT_ACCEPTED ||
				 item->tool_report != NULL || item->has_counters;
	if (!whole && item->too_large > 0)
		fprintf(page->out, " (%zu cases not run: too large)", item->too_large);
	fputc('\n', page->out);
	if (whole)
		judgement_print(page, item);
	else
		hints_print(page, item);
	return whole;
}

/* ---- all files --------------------------------------------------------- */

static void gpu_warning_print(const struct text_page *page, const struct judgement_list *list)
{
	char warning[256];
	if (!overall_gpu_wrong(warning, sizeof warning, list))
		return;
	text_paint(page, TEXT_BAD, "warning: ");
	wrap_print(page->out, page->width, (int)strlen("warning: "), 0, warning);
}

/* Whether an earlier file was closed by the same layers. */
static bool layers_met(const struct judgement_list *list, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (list->items[j].was_run && list->items[j].layers == list->items[i].layers)
			return true;
	return false;
}

/* What closed the files' processes: one line where it is the same for all that were run, else one
 * for all files that have the same. */
static void guarantees_print(const struct text_page *page, const struct judgement_list *list)
{
	size_t run = 0;
	for (size_t i = 0; i < list->count; i++)
		run += list->items[i].was_run;
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		char names[LAYERS_TEXT];
		size_t same = 0;
		if (!item->was_run || layers_met(list, i))
			continue;
		for (size_t j = i; j < list->count; j++)
			same += list->items[j].was_run && list->items[j].layers == item->layers;
		fputs("guarantees", page->out);
		if (same == 1 && run > 1) {
			fputs(" for ", page->out);
			clean_print_line(page->out, item->file);
		} else if (same < run) {
			fprintf(page->out, " for %zu files", same);
		}
		fprintf(page->out, ": %s\n", layers_print(item->layers, names));
	}
}

/* The first case that failed, where it is not the only one of its file: what --case repeats. */
static const char *failed_case(const struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->items[i].count && list->items[i].count > 1; k++) {
			const struct case_result *result = &list->items[i].cases[k];
			if (result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN)
				return result->test.name;
		}
	return NULL;
}

static void again_print(const struct text_page *page, const struct judgement_list *list)
{
	fputs("again: ", page->out);
	clean_print_line(page->out, list->facts.command);
	fputc('\n', page->out);
	const char *failed = failed_case(list);
	if (failed != NULL) {
		fputs("one case alone: the same with --case ", page->out);
		clean_print_line(page->out, failed);
		fputc('\n', page->out);
	}
}

static struct text_page page_of(const struct report_style *style, FILE *out)
{
	return (struct text_page){.out = out,
							  .width = style->width > 0 ? style->width : 80,
							  .color = style->color,
							  .verbose = style->verbose};
}

/* Some file was worth a device. */
static bool was_begun(const struct judgement_list *list)
{
	return list->facts.device.name[0] != '\0';
}

/* "[ 7/50] " */
static void place_fill(char out[64], size_t done, size_t count)
{
	char most[24];
	int digits = snprintf(most, sizeof most, "%zu", count);
	snprintf(out, 64, "[%*zu/%zu] ", digits, done, count);
}

void report_text_file(const struct judgement_list *list, size_t i, const struct report_style *style,
					  struct report_written *written, FILE *out)
{
	struct text_page page = page_of(style, out);
	const struct judgement *item = &list->items[i];
	bool first = written->files++ == 0;
	char place[64] = "";
	if (written->shown == NULL)
		written->shown = calloc(list->count, sizeof *written->shown);
	if (written->shown != NULL)
		written->shown[i] = true;
	if (style->quiet) {
		quiet_print(&page, item);
		return;
	}
	if (first && was_begun(list)) {
		head_print(&page, &list->facts);
		written->apart = true;
	}
	bool side_by_side = list->bench_count > 0;
	if (side_by_side && item->verdict == VERDICT_ACCEPTED)
		return; /* its times follow: no need to say that it is right */
	if (list->count > 1 && !side_by_side)
		place_fill(place, written->files, list->count);
	if (written->apart)
		fputc('\n', out);
	written->apart = file_print(&page, item, place, list->count >= RANKING_FILES);
}

static bool was_shown(const struct report_written *written, size_t i)
{
	return written->shown != NULL && written->shown[i];
}

/* Files that were not shown yet; of many that never had their turn, a line for all. */
static void rest_print(const struct judgement_list *list, const struct report_style *style,
					   struct report_written *written, FILE *out)
{
	struct text_page page = page_of(style, out);
	const struct judgement *last = NULL;
	size_t never = 0;
	for (size_t i = 0; i < list->count; i++)
		never += !was_shown(written, i) && facts_never_run(&list->items[i]);
	bool together = never >= RANKING_FILES && !style->quiet;
	for (size_t i = 0; i < list->count; i++) {
		if (was_shown(written, i))
			continue;
		if (together && facts_never_run(&list->items[i]))
			last = &list->items[i];
		else
			report_text_file(list, i, style, written, out);
	}
	if (last == NULL)
		return;
	char line[sizeof last->detail + 64];
	snprintf(line, sizeof line, "%zu files: %s", never, last->detail);
	fputs(written->apart ? "\n" : "", out);
	verdict_print(&page, last->verdict, line);
	fputc('\n', out);
}

void report_text_end(const struct judgement_list *list, const struct report_style *style,
					 struct report_written *written, FILE *out)
{
	struct text_page page = page_of(style, out);
	size_t accepted = 0;
	rest_print(list, style, written, out);
	free(written->shown);
	*written = (struct report_written){0};
	if (style->quiet)
		return;
	for (size_t i = 0; i < list->count; i++)
		accepted += list->items[i].verdict == VERDICT_ACCEPTED;
	text_bench(&page, list);
	if (was_begun(list))
		ranking_text(list, page.width, out);
	if (was_begun(list) || list->count > 1)
		fputc('\n', out);
	gpu_warning_print(&page, list);
	if (list->facts.interrupted)
		fputs("interrupted: this is what was done until then\n", out);
	if (list->count > 1)
		fprintf(out, "%zu of %zu solutions accepted\n", accepted, list->count);
	guarantees_print(&page, list);
	if (was_begun(list))
		again_print(&page, list);
}

void report_text(const struct judgement_list *list, const struct report_style *style, FILE *out)
{
	struct report_written written = {0};
	report_text_end(list, style, &written, out);
}
