#include "report/annotate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "report/clean.h"

#define SHOWN 10 /* of one file: a site shows no more of a step */

const char *const annotate_kinds[] = {"github", NULL};

/* GitHub's escapes: of a message, and of a property, where ':' and ',' end something. */
static void put_escaped(FILE *out, const char *text, size_t length, bool property)
{
	char *copy = strndup(text, length), *clean = copy != NULL ? clean_visible(copy) : NULL;
	for (const char *p = clean; p != NULL && *p != '\0'; p++)
		if (*p == '%' || *p == '\n' || (property && (*p == ':' || *p == ',')))
			fprintf(out, "%%%02X", (unsigned char)*p);
		else
			fputc(*p, out);
	free(clean);
	free(copy);
}

/* The path from the root of the repository, if it lies there. */
static const char *path_in_repository(const char *path, char out[PATH_MAX])
{
	char here[PATH_MAX];
	const char *root = getenv("GITHUB_WORKSPACE");
	if (getcwd(here, sizeof here) == NULL)
		return path;
	if (root == NULL || root[0] == '\0')
		root = here;
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	if (path[0] == '/')
		snprintf(out, PATH_MAX, "%s", path);
	else if (snprintf(out, PATH_MAX, "%s/%s", here, path) >= PATH_MAX)
		return path;
	size_t length = strlen(root);
	bool within = strncmp(out, root, length) == 0 && out[length] == '/';
	return within ? out + length + 1 : path;
}

struct annotation {
	const char *level; /* "error", "warning" */
	const char *title;
	const char *file;
	size_t file_length;
	long line, column; /* 0: unknown */
	const char *message;
	size_t message_length;
};

static void put(FILE *out, const struct annotation *one)
{
	char file[PATH_MAX], place[PATH_MAX];
	snprintf(file, sizeof file, "%.*s", (int)one->file_length, one->file);
	const char *shown = path_in_repository(file, place);
	fprintf(out, "::%s file=", one->level);
	put_escaped(out, shown, strlen(shown), true);
	if (one->line > 0)
		fprintf(out, ",line=%ld", one->line);
	if (one->column > 0)
		fprintf(out, ",col=%ld", one->column);
	fputs(",title=", out);
	put_escaped(out, one->title, strlen(one->title), true);
	fputs("::", out);
	put_escaped(out, one->message, one->message_length, false);
	fputc('\n', out);
}

/* "PATH(3): error: ..." of nvcc, "PATH:3:10: fatal error: ..." of the host compiler. */
static bool read_message(const char *line, size_t length, struct annotation *out)
{
	static const char *const levels[] = {"error", "warning"};
	for (const char *p = line + 1; p + 1 < line + length; p++) {
		char *end = NULL;
		bool nvcc = *p == '(';
		if ((!nvcc && *p != ':') || p[1] < '1' || p[1] > '9')
			continue;
		*out = (struct annotation){.file = line, .file_length = (size_t)(p - line)};
		out->line = strtol(p + 1, &end, 10);
		if (nvcc ? end[0] != ')' || end[1] != ':' : end[0] != ':')
			continue;
		if (!nvcc && end[1] >= '1' && end[1] <= '9')
			out->column = strtol(end + 1, &end, 10);
		const char *colon = memchr(end + 2, ':', (size_t)(line + length - end - 2));
		for (size_t i = 0; colon != NULL && i < 2; i++) {
			const char *level = strstr(end, levels[i]);
			if (level == NULL || level > colon)
				continue;
			out->level = levels[i];
			out->message = colon + 1 + strspn(colon + 1, " ");
			out->message_length = (size_t)(line + length - out->message);
			return true;
		}
	}
	return false;
}

/* Whether such a line came before: the preprocessor reads a file twice. */
static bool is_repeated(const char *log, const char *line, size_t length)
{
	for (const char *p = log; p < line; p += strcspn(p, "\n") + 1)
		if (strncmp(p, line, length) == 0 && p[length] == '\n')
			return true;
	return false;
}

/* How many errors were put. */
static size_t put_log(FILE *out, const struct judgement *item)
{
	size_t errors = 0, shown = 0;
	for (const char *line = item->compile_log; line != NULL && *line != '\0' && shown < SHOWN;) {
		size_t length = strcspn(line, "\n");
		struct annotation one;
		if (length > 2 && !is_repeated(item->compile_log, line, length) &&
			read_message(line, length, &one)) {
			one.title = verdict_name(VERDICT_COMPILE_ERROR);
			if (one.level[0] == 'w')
				one.title = "nvcc";
			errors += one.level[0] == 'e';
			shown++;
			put(out, &one);
		}
		line += length + (line[length] == '\n');
	}
	return errors;
}

/* The line that a finding of the emulated GPU names: "mine.cu:36". */
static long line_named(const char *detail, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
	size_t length = strlen(name);
	for (const char *at = detail; length > 0 && (at = strstr(at, name)) != NULL; at += length)
		if (at[length] == ':' && at[length + 1] >= '1' && at[length + 1] <= '9')
			return strtol(at + length + 1, NULL, 10);
	return 0;
}

/* Prints the verdict's reason, and a line for each hint. */
static void put_verdict(FILE *out, const struct judgement *item)
{
	struct strbuf message = {0};
	strbuf_addf(&message, "%s", item->detail);
	for (size_t i = 0; i < item->hint_count; i++)
		strbuf_addf(&message, "\nhint: %s", item->hints[i]);
	const struct annotation one = {.level = item->verdict == VERDICT_NOT_RUN ? "warning" : "error",
								   .title = verdict_name(item->verdict),
								   .file = item->file,
								   .file_length = strlen(item->file),
								   .line = line_named(item->detail, item->file),
								   .message = strbuf_text(&message),
								   .message_length = message.length};
	put(out, &one);
	strbuf_release(&message);
}

void report_annotate(const struct judgement_list *list, FILE *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		size_t errors = put_log(out, item);
		if (item->verdict == VERDICT_ACCEPTED || errors > 0)
			continue;
		put_verdict(out, item);
	}
}
