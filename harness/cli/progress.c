#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/output.h"
#include "report/clean.h"

#define PROGRESS_SECONDS 0.1
#define LEFT_SECONDS 2.0 /* of steps before what is left of them is foreseen */

void progress_open(struct progress *progress, const struct options *options)
{
	const char *terminal = getenv("TERM");
	double now = clock_seconds();
	*progress = (struct progress){.on = !options->output.quiet && isatty(STDERR_FILENO) &&
										terminal != NULL && strcmp(terminal, "dumb") != 0,
								  .width = output_width(stderr),
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
static void steps_left_format(const struct progress *progress, double now, size_t done,
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
static void all_files_format(const struct progress *progress, double now, char out[128])
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

void progress_line(void *context, const char *text)
{
	struct progress *progress = context;
	if (!progress->on)
		return;
	char *clean = clean_line(text); /* a file name must not steer the terminal */
	fprintf(stderr, "\r\033[K%.*s", progress->width - 1, clean != NULL ? clean : "");
	fflush(stderr);
	free(clean);
	progress->drawn = true;
}

void progress_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	struct progress *progress = context;
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
	progress_line(progress, line);
}

void progress_close(struct progress *progress)
{
	if (!progress->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->drawn = false;
}
