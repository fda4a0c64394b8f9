#include "compile/source_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/child.h"
#include "process/landlock.h"

#define MARK " at solution.so+"
#define SECONDS 10.0
#define MEMORY_BYTES ((size_t)1 << 30)
#define PROCESSES 4
#define LINE_MAX_TEXT 90 /* "name.cu:12" */

/* Where a distribution has it. */
const char source_line_program[] = "/usr/bin/addr2line";

/* A program of the system, and the library alone of all else. */
static int open_rules(const char *library)
{
	static const char *const folders[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"};
	struct error ignored;
	int rules = landlock_begin(&ignored);
	bool allowed = rules >= 0 && landlock_allow_path(rules, library, LANDLOCK_READS, &ignored);
	for (size_t i = 0; allowed && i < sizeof folders / sizeof *folders; i++)
		allowed = access(folders[i], F_OK) != 0 ||
				  landlock_allow_path(rules, folders[i], LANDLOCK_RUNS, &ignored);
	if (!allowed && rules >= 0)
		close(rules);
	return allowed ? rules : -1;
}

/* "/home/me/mine.cu:7 (discriminator 2)": a name that a message may have, and a number. */
static bool take_line(char *said, char out[LINE_MAX_TEXT])
{
	char *colon = strrchr(said, ':');
	if (colon == NULL || strstr(said, "/include/") != NULL) /* the toolkit's, which was inlined */
		return false;
	*colon = '\0';
	unsigned long line = strtoul(colon + 1, NULL, 10);
	const char *slash = strrchr(said, '/'), *name = slash != NULL ? slash + 1 : said;
	if (line == 0 || *name == '\0' || *name == '?')
		return false;
	for (const char *p = name; *p != '\0'; p++)
		if (!isprint((unsigned char)*p))
			return false;
	return snprintf(out, LINE_MAX_TEXT, "%s:%lu", name, line) < LINE_MAX_TEXT;
}

/* Of the functions that were inlined at the instruction, the innermost that is no header's of the
 * toolkit: addr2line tells that one first. */
static bool first_line(char *said, char out[LINE_MAX_TEXT])
{
	char *rest = NULL;
	for (char *line = strtok_r(said, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (take_line(line, out))
			return true;
	return false;
}

static bool source_line(const char *library, unsigned long long offset, char out[LINE_MAX_TEXT])
{
	char address[32];
	struct error ignored;
	if (access(source_line_program, X_OK) != 0)
		return false;
	int rules = open_rules(library);
	if (rules < 0)
		return false;
	snprintf(address, sizeof address, "0x%llx", offset);
	const char *const argv[] = {source_line_program, "-i", "-e", library, address, NULL};
	struct child *child = child_start(&(struct child_options){.argv = argv,
															  .environment = ENVIRONMENT_NOTHING,
															  .memory_limit_bytes = MEMORY_BYTES,
															  .process_limit = PROCESSES,
															  .rules = rules},
									  &ignored);
	close(rules);
	if (child == NULL)
		return false;
	struct child_result result = child_wait(child, SECONDS);
	char *said = result.outcome == CHILD_EXITED && result.exit_status == 0
					 ? strdup(child_output(child))
					 : NULL;
	bool found = said != NULL && first_line(said, out);
	free(said);
	child_stop(child);
	return found;
}

void source_line_find(struct source_line *line, const char *text, const char *library)
{
	char found[LINE_MAX_TEXT], *behind;
	const char *at = strstr(text, MARK);
	if (at == NULL)
		return;
	const char *number = at + strlen(MARK);
	unsigned long long offset = strtoull(number, &behind, 16);
	int length = (int)(behind - at) + 1;
	if (behind == number || *behind != ')' || length >= (int)sizeof line->said ||
		(strncmp(line->said, at, (size_t)length) == 0 && line->said[length] == '\0'))
		return;
	snprintf(line->said, sizeof line->said, "%.*s", length, at);
	if (source_line(library, offset, found))
		snprintf(line->line, sizeof line->line, " at %s)", found);
	else
		snprintf(line->line, sizeof line->line, ")");
}

char *source_line_in(const struct source_line *line, const char *text)
{
	char *out = NULL;
	size_t size = 0, length = strlen(line->said);
	FILE *stream = open_memstream(&out, &size);
	if (stream == NULL)
		return NULL;
	for (const char *next; length > 0 && (next = strstr(text, line->said)) != NULL;
		 text = next + length) {
		fwrite(text, 1, (size_t)(next - text), stream);
		fputs(line->line, stream);
	}
	fputs(text, stream);
	if (fclose(stream) == 0)
		return out;
	free(out);
	return NULL;
}
