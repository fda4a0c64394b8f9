#define _GNU_SOURCE /* memmem */
#include "judge/run/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch.h"
#include "base/text.h"
#include "base/toolkit.h"

#define SANITIZER "compute-sanitizer"
#define LINE_PREFIX "========= "
#define SUMMARY "SUMMARY: "
#define NOT_PRINTED "were not printed"
#define REPORT_MAX 65536     /* of one process */
#define PRINTED_MAX "20"     /* errors, each with its stack: within REPORT_MAX */
#define REPORT_NAME "%p.txt" /* the tool puts its process's id there */

bool tool_none_around(struct error *err)
{
	const char *preloaded = getenv("LD_PRELOAD"); /* where all three have such libraries */
	return preloaded == NULL ||
		   (strstr(preloaded, "InjectionTarget") == NULL &&
			strstr(preloaded, "TreeLauncher") == NULL) ||
		   error_set(err,
					 "gemmjudge itself runs under a tool (compute-sanitizer, ncu, nsys), which "
					 "its processes do not take; put the solution alone under it, with "
					 "--sanitize CHECK or --under COMMAND");
}

/* ---- finding it ---------------------------------------------------------------- */

/* Words between blanks; no quotes. */
static bool split_words(struct tool *tool, const char *command, struct error *err)
{
	size_t count = 0;
	if (strlen(command) >= sizeof tool->given)
		return error_set(err, "--under: the command is longer than %zu characters",
						 sizeof tool->given - 1);
	strcpy(tool->given, command);
	char *rest = tool->given;
	for (char *word; (word = strtok_r(rest, " \t", &rest)) != NULL;) {
		if (count == TOOL_WORDS)
			return error_set(err, "--under: more than %d words", TOOL_WORDS);
		tool->words[count++] = word;
	}
	if (count == 0)
		return error_set(err, "--under needs a command");
	if (strchr(tool->words[0], '/') != NULL
			? !paths_is_program(tool->words[0]) || realpath(tool->words[0], tool->program) == NULL
			: !paths_program(tool->words[0], tool->program))
		return error_set(err, "--under %s: no such program", tool->words[0]);
	tool->words[0] = tool->program;
	return true;
}

/* initcheck looks at kernels only: the harness's own copies are from memory of the
 * referee, which nothing in this process has written. What is lost by that, an element
 * of C that was left unwritten, the referee finds, as it does a C that was read although
 * beta is 0: that C is NaN. */
static void sanitizer_words(struct tool *tool, const char *check)
{
	static const char *const kernels_only[] = {"--check-api-memory-access", "no"};
	const char *words[] = {tool->program, "--tool",        check,      "--log-file",
						   tool->log,     "--print-limit", PRINTED_MAX};
	memcpy(tool->words, words, sizeof words);
	if (strcmp(check, "initcheck") == 0)
		memcpy(tool->words + sizeof words / sizeof *words, kernels_only, sizeof kernels_only);
}

bool tool_find(struct tool *tool, const struct judge_options *options, struct error *err)
{
	*tool = (struct tool){0};
	if (options->tool.under != NULL)
		return split_words(tool, options->tool.under, err);
	if (options->tool.sanitize == NULL)
		return true;
	if (!toolkit_find_program(SANITIZER, tool->program))
		return error_set(err,
						 "--sanitize needs " SANITIZER ", which is neither on the PATH nor in the "
						 "CUDA toolkit; install it with the toolkit (cuda-sanitizer-13-0)");
	sanitizer_words(tool, options->tool.sanitize);
	tool->check = options->tool.sanitize;
	return true;
}

const char *const *tool_words(const struct tool *tool)
{
	return tool->words[0] != NULL ? tool->words : NULL;
}

bool tool_device(const struct judge_options *options, enum device_kind kind, struct error *err)
{
	return options->tool.sanitize == NULL || kind == DEVICE_CUDA ||
		   error_set(err, "--sanitize is for a GPU: the emulated one looks at every access "
						  "anyway, and for races with --check race");
}

/* ---- its reports --------------------------------------------------------------- */

bool tool_open(struct tool *tool, struct error *err)
{
	if (tool->check == NULL)
		return true;
	return scratch_make(tool->folder, &tool->lock, "sanitizer", err) &&
		   paths_join(tool->log, tool->folder, REPORT_NAME, err);
}

/* The line behind the tool's prefix, or NULL. */
static const char *line_said(const char *line)
{
	size_t prefix = strlen(LINE_PREFIX);
	return strncmp(line, LINE_PREFIX, prefix) == 0 ? line + prefix : NULL;
}

/* Both counts; -1 is none. The solution could have written any number. */
static int errors_add(int errors, int more)
{
	if (errors < 0 || more < 0)
		return errors > more ? errors : more;
	return errors > INT_MAX - more ? INT_MAX : errors + more;
}

/* The number behind "SUMMARY: "; -1 where there is none. */
static int summary_count(const char *at)
{
	const char *digits = at + strlen(SUMMARY);
	if (*digits < '0' || *digits > '9')
		return -1;
	unsigned long count = strtoul(digits, NULL, 10);
	return count < INT_MAX ? (int)count : INT_MAX;
}

int tool_report_errors(const char *report, char first[256])
{
	int errors = -1;
	first[0] = '\0';
	for (const char *line = report; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		const char *said = line_said(line), *end = line + length, *at;
		if (said != NULL && (at = strstr(said, SUMMARY)) != NULL && at < end) {
			/* a second one may tell how many "were not printed", of the same errors */
			if (memmem(at, (size_t)(end - at), NOT_PRINTED, strlen(NOT_PRINTED)) == NULL)
				errors = errors_add(errors, summary_count(at));
		} else if (said != NULL && first[0] == '\0' && said[0] != ' ' &&
				   strncmp(said, "COMPUTE-SANITIZER", strlen("COMPUTE-SANITIZER")) != 0) {
			/* the next line says where */
			const char *next = *end == '\n' ? line_said(end + 1) : NULL;
			snprintf(first, 256, "%.*s", (int)(end - said), said);
			size_t used = strlen(first);
			if (next != NULL && next[0] == ' ' && used < 255)
				snprintf(first + used, 256 - used, " %.*s",
						 (int)(strcspn(next, "\n") - strspn(next, " ")), next + strspn(next, " "));
		}
		line = *end == '\n' ? end + 1 : end;
	}
	return errors;
}

/* The report of one process; false when it cannot be read. The solution's process may have put
 * anything in its place: a pipe that nobody writes to, a link. */
static bool report_read(const char *path, char text[REPORT_MAX + 1])
{
	struct stat facts;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *file =
		fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(fd, "r") : NULL;
	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	size_t got = fread(text, 1, REPORT_MAX, file);
	text[got] = '\0';
	fclose(file);
	return true;
}

static void judge_reports(const struct tool *tool, int errors, size_t silent, const char *first,
						  struct judgement *out)
{
	if (out->verdict != VERDICT_ACCEPTED)
		return; /* it has a reason already */
	if (errors > 0) {
		out->verdict = VERDICT_RUNTIME_ERROR;
		snprintf(out->detail, sizeof out->detail, "%s found %d error%s; the first: %s", tool->check,
				 errors, errors > 1 ? "s" : "", first);
	} else if (errors < 0 || silent > 0) {
		out->verdict = VERDICT_NOT_RUN;
		snprintf(out->detail, sizeof out->detail, "%s ended without its summary", tool->check);
	}
}

static void take_reports(const struct tool *tool, struct judgement *out)
{
	char *text = malloc(REPORT_MAX + 1), first[256] = "", path[PATHS_MAX], one[256];
	int errors = -1;
	size_t silent = 0; /* processes without a summary */
	struct error ignored;
	DIR *folder = opendir(tool->folder);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		if (entry->d_name[0] == '.' || !paths_join(path, tool->folder, entry->d_name, &ignored))
			continue;
		if (text != NULL && report_read(path, text)) {
			int counted = tool_report_errors(text, one);
			silent += counted < 0;
			errors = errors_add(errors, counted);
			if (first[0] == '\0' && counted != 0)
				memcpy(first, one, sizeof first);
			text_append(&out->tool_report, text); /* memory is short: less is shown */
		}
	}
	if (folder != NULL)
		closedir(folder);
	free(text);
	judge_reports(tool, errors, silent, first, out);
}

void tool_close(struct tool *tool, const char *said, struct judgement *out)
{
	if (tool->words[0] == NULL)
		return;
	if (tool->check != NULL)
		take_reports(tool, out);
	else if (said != NULL)
		text_append(&out->tool_report, said);
	scratch_remove(tool->folder, &tool->lock);
}
