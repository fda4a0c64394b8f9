#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/reader.h"
#include "report/annotate.h"
#include "report/clean.h"

#define PROGRESS_SECONDS 0.1
#define LEFT_SECONDS 2.0 /* of steps before what is left of them is foreseen */

void cli_tell(const char *text)
{
	fputs("gemmjudge: ", stderr);
	clean_print_line(stderr, text);
	fputc('\n', stderr);
}

int cli_fail(int status, const struct error *err)
{
	cli_tell(err->message);
	return status;
}

int cli_finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* who wrote before us may have told already; errno tells only once */
	if (errno != 0)
		fprintf(stderr, "gemmjudge: cannot write to standard output: %s\n", strerror(errno));
	return status == EXIT_CANNOT_RUN ? status : EXIT_BAD_INPUT;
}

bool output_color(const struct options *options, FILE *stream)
{
	const char *terminal = getenv("TERM"), *force = getenv("FORCE_COLOR");
	const char *none = getenv("NO_COLOR");
	if (options->output.color != COLOR_AUTO)
		return options->output.color == COLOR_ALWAYS;
	if (none != NULL && none[0] != '\0')
		return false;
	if (force != NULL && force[0] != '\0')
		return strcmp(force, "0") != 0;
	if (terminal == NULL || strcmp(terminal, "dumb") == 0)
		return false;
	return isatty(fileno(stream));
}

/* Columns of the terminal; 80 where there is none. */
static int width_of(FILE *stream)
{
	struct winsize size;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col < 40 ? 40 : size.ws_col > 120 ? 120 : size.ws_col;
}

/* ---- reports ------------------------------------------------------------ */

/* Whether a file is a place where a report can be replaced by a better one. */
static bool is_regular(const char *path)
{
	struct stat facts;
	return strcmp(path, "-") != 0 && (stat(path, &facts) != 0 || S_ISREG(facts.st_mode));
}

/* Writes those that the options name, all of them though one fails. */
static bool reports_write(const struct options *options, const struct judgement_list *list,
						  bool only_regular, struct error *err)
{
	bool ok = true;
	for (size_t i = 0; i < option_row_count; i++) {
		const struct row *row = &option_rows[i];
		struct error later;
		if (row->report == NULL || !option_row_is_of(row, options->command))
			continue;
		const char *path = *(const char *const *)((const char *)options + row->at);
		report_writer write = options->output.verbose && row->report_verbose != NULL
								  ? row->report_verbose
								  : row->report;
		if (path != NULL && (!only_regular || is_regular(path)) &&
			!report_save(path, write, list, ok ? err : &later))
			ok = false;
	}
	return ok;
}

/* ---- text --------------------------------------------------------------- */

void output_text_open(struct output_text *text, const struct options *options)
{
	FILE *stream = outputs_take_stdout(options) ? stderr : stdout;
	*text = (struct output_text){.stream = stream,
								 .style = {.color = output_color(options, stream),
										   .width = width_of(stream),
										   .verbose = options->output.verbose,
										   .quiet = options->output.quiet}};
}

/* errno tells only once. */
static void text_flush(struct output_text *text)
{
	if ((fflush(text->stream) != 0 || ferror(text->stream)) && text->failed == 0)
		text->failed = errno;
}

void output_text_file(struct output_text *text, const struct judgement_list *list, size_t i)
{
	if (list->count == 1)
		return;
	errno = 0;
	report_text_file(list, i, &text->style, &text->written, text->stream);
	text_flush(text);
}

bool output_write(const struct options *options, struct output_text *text,
				  const struct judgement_list *list, struct error *err)
{
	errno = 0;
	report_text_end(list, &text->style, &text->written, text->stream);
	if (options->output.annotate != NULL)
		report_annotate(list, text->stream);
	text_flush(text);
	bool printed = text->stream != stdout || text->failed == 0 ||
				   error_set(err, "cannot write to standard output: %s", strerror(text->failed));
	struct error later;
	return reports_write(options, list, false, printed ? err : &later) && printed;
}

void output_save(const struct options *options, const struct judgement_list *list)
{
	struct error ignored;
	reports_write(options, list, true, &ignored);
}

/* ---- progress ----------------------------------------------------------- */

void output_progress_open(struct output_progress *progress, const struct options *options)
{
	const char *terminal = getenv("TERM");
	double now = clock_seconds();
	*progress = (struct output_progress){.on = !options->output.quiet && isatty(STDERR_FILENO) &&
											   terminal != NULL && strcmp(terminal, "dumb") != 0,
										 .width = width_of(stderr),
										 .begun = now,
										 .last = -1.0,
										 .files = options->judge.file_count};
}

/* "1:07", "2:03:09" */
static void duration_format(char out[32], double seconds)
{
	long all = seconds > 0.0 ? lround(seconds) : 0;
	if (all < 3600)
		snprintf(out, 32, "%ld:%02ld", all / 60, all % 60);
	else
		snprintf(out, 32, "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
}

/* ", about 0:40 left" of the steps of one kind; "" until there is something to judge by. */
static void steps_left_format(const struct output_progress *progress, double now, size_t done,
							  size_t total, char out[64])
{
	char left[32];
	const double seconds = now - progress->what_begun;
	const size_t since = done - progress->what_done;
	out[0] = '\0';
	if (done <= progress->what_done || done >= total || seconds < LEFT_SECONDS)
		return;
	duration_format(left, seconds / (double)since * (double)(total - done));
	snprintf(out, 64, ", about %s left", left);
}

/* "[17/50, 1:20, about 2:35 left] "; "" of a single file. */
static void all_files_format(const struct output_progress *progress, double now, char out[128])
{
	char elapsed[32], left[32];
	double seconds = now - progress->begun;
	size_t done = progress->files_done;
	out[0] = '\0';
	if (progress->files < 2)
		return;
	duration_format(elapsed, seconds);
	int used = snprintf(out, 128, "[%zu/%zu, %s", done, progress->files, elapsed);
	if (done > 0) {
		duration_format(left, seconds / (double)done * (double)(progress->files - done));
		used += snprintf(out + used, 128 - (size_t)used, ", about %s left", left);
	}
	snprintf(out + used, 128 - (size_t)used, "] ");
}

void output_progress_line(void *context, const char *text)
{
	struct output_progress *progress = context;
	if (!progress->on)
		return;
	char *clean = clean_line(text); /* a file name must not steer the terminal */
	fprintf(stderr, "\r\033[K%.*s", progress->width - 1, clean != NULL ? clean : "");
	fflush(stderr);
	free(clean);
	progress->drawn = true;
}

void output_progress_step(void *context, const char *file, const char *what, size_t done,
						  size_t total)
{
	struct output_progress *progress = context;
	if (!progress->on)
		return;
	double now = clock_seconds();
	const char *slash = strrchr(file, '/');
	const char *name = slash != NULL ? slash + 1 : file;
	bool same = strncmp(progress->last_file, name, sizeof progress->last_file - 1) == 0 &&
				strncmp(progress->last_what, what, sizeof progress->last_what - 1) == 0;
	if (!same) {
		progress->what_begun = now;
		progress->what_done = done;
	}
	if (same && now - progress->last < PROGRESS_SECONDS)
		return;
	snprintf(progress->last_file, sizeof progress->last_file, "%s", name);
	snprintf(progress->last_what, sizeof progress->last_what, "%s", what);
	progress->last = now;

	char line[384], all[128], left[64] = "";
	all_files_format(progress, now, all);
	if (progress->files < 2)
		steps_left_format(progress, now, done, total, left);
	if (total <= 1)
		snprintf(line, sizeof line, "%s%s: %s", all, progress->last_file, progress->last_what);
	else
		snprintf(line, sizeof line, "%s%s: %s %zu of %zu%s", all, progress->last_file,
				 progress->last_what, done < total ? done + 1 : total, total, left);
	output_progress_line(progress, line);
}

void output_progress_close(struct output_progress *progress)
{
	if (!progress->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->drawn = false;
}
