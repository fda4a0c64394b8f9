#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/reader.h"
#include "cli/written_files.h"
#include "report/annotate.h"

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

int output_width(FILE *stream)
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
		if (option_row_in(row, options->command).report == NULL)
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
	FILE *stream = written_files_take_stdout(options) ? stderr : stdout;
	*text = (struct output_text){.stream = stream,
								 .style = {.color = output_color(options, stream),
										   .width = output_width(stream),
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
