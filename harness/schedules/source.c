#include "schedules/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/content.h"

#define CONDITIONS_MAX 64

/* What is seen of one constant. */
struct seen {
	bool used, defined;
	char other_file[PATHS_MAX]; /* of a definition that is not as it should be */
	int other_line;
	char other[96]; /* its value, or "" where nothing but the #ifndef is missing */
};

struct source {
	const struct space *space;
	struct seen *seen; /* by space->constants */
};

/* ---- text ---------------------------------------------------------------------------- */

/* Blanks in place of comments and of what literals hold, so that what is left of a text are its
 * words. Lines stay lines. */
static void blank_out(char *text)
{
	char inside = '\0'; /* '/': to the line's end, '*': to the mark; or the quote that ends it */
	for (char *p = text; *p != '\0'; p++) {
		if (*p == '\n') {
			inside = inside == '*' ? inside : '\0';
		} else if (inside == '\0') {
			if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
				inside = p[1];
				*p++ = ' ';
				*p = ' ';
			} else if (*p == '"' || (*p == '\'' && (p == text || !isalnum((unsigned char)p[-1])))) {
				inside = *p;
			}
		} else if (inside == '*' && p[0] == '*' && p[1] == '/') {
			inside = '\0';
			*p++ = ' ';
			*p = ' ';
		} else if (*p == inside && (inside == '"' || inside == '\'')) {
			inside = '\0';
		} else {
			bool escapes = *p == '\\' && p[1] != '\0' && p[1] != '\n' && inside != '/';
			*p = ' ';
			if (escapes && inside != '*')
				*++p = ' ';
		}
	}
}

/* Whether the line has the word, at or behind `line`. */
static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);
	for (const char *p = line; (p = strstr(p, word)) != NULL; p++) {
		bool begins = p == line || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
		if (begins && !isalnum((unsigned char)p[length]) && p[length] != '_')
			return true;
	}
	return false;
}

/* What follows `#WORD` in a line, or NULL. */
static const char *behind_directive(const char *line, const char *word)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	size_t length = strlen(word);
	if (strncmp(line, word, length) != 0 || isalnum((unsigned char)line[length]))
		return NULL;
	line += length;
	return line + strspn(line, " \t");
}

/* ---- one file ------------------------------------------------------------------------ */

/* The conditions that a line stands under, the outermost first. */
struct conditions {
	size_t depth;
	const char *lines[CONDITIONS_MAX];
};

static void follow_conditions(struct conditions *conditions, const char *line)
{
	bool opens = behind_directive(line, "if") != NULL || behind_directive(line, "ifdef") != NULL ||
				 behind_directive(line, "ifndef") != NULL;
	if (opens) {
		if (conditions->depth < CONDITIONS_MAX)
			conditions->lines[conditions->depth] = line;
		conditions->depth++;
	} else if (behind_directive(line, "endif") != NULL && conditions->depth > 0) {
		conditions->depth--;
	}
}

/* Whether it stands under "#ifndef NAME" or "#if !defined(NAME)". */
static bool is_guarded(const struct conditions *conditions, const char *name)
{
	for (size_t i = 0; i < conditions->depth && i < CONDITIONS_MAX; i++) {
		const char *line = conditions->lines[i];
		if ((behind_directive(line, "ifndef") != NULL || strchr(line, '!') != NULL) &&
			has_word(line, name))
			return true;
	}
	return false;
}

static bool is_standard(const char *value, int64_t standard)
{
	struct error ignored;
	struct expression expression;
	if (!expression_parse(value, NULL, &expression, &ignored))
		return false;
	bool same = expression_value(&expression, NULL) == standard;
	expression_free(&expression);
	return same;
}

/* A line of a file. */
struct line {
	const char *path;
	int number;
	const char *text;
};

/* A line that defines the constant. */
static void see_definition(struct seen *seen, const struct line *line, const char *value,
						   int64_t standard, bool guarded)
{
	bool standard_here = is_standard(value, standard);
	if (standard_here && guarded) {
		seen->defined = true;
	} else if (seen->other_line == 0) {
		snprintf(seen->other_file, sizeof seen->other_file, "%s", line->path);
		seen->other_line = line->number;
		snprintf(seen->other, sizeof seen->other, "%s", standard_here ? "" : value);
	}
}

static void see_line(const struct source *source, const struct conditions *conditions,
					 const struct line *line)
{
	const char *text = line->text, *defines = behind_directive(text, "define");
	bool asks = behind_directive(text, "ifdef") != NULL ||
				behind_directive(text, "ifndef") != NULL ||
				behind_directive(text, "undef") != NULL || strstr(text, "defined") != NULL;
	for (size_t i = 0; i < source->space->constant_count; i++) {
		const struct space_constant *constant = &source->space->constants[i];
		const char *name = source->space->names[constant->place].name;
		size_t length = strlen(name);
		if (defines != NULL && strncmp(defines, name, length) == 0 &&
			(defines[length] == ' ' || defines[length] == '\t'))
			see_definition(&source->seen[i], line,
						   defines + length + strspn(defines + length, " \t"), constant->standard,
						   is_guarded(conditions, name));
		else if (!asks && !source->seen[i].used)
			source->seen[i].used = has_word(text, name);
	}
}

static bool see_file(void *context, const char *path, struct error *err)
{
	const struct source *source = context;
	struct conditions conditions = {0};
	char *text = text_read(path, SOURCE_BYTES, err), *next;
	int number = 1;
	if (text == NULL)
		return false;
	blank_out(text);
	for (char *line = text; line != NULL; line = next, number++) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		for (size_t end = strlen(line); end > 0 && isspace((unsigned char)line[end - 1]); end--)
			line[end - 1] = '\0';
		follow_conditions(&conditions, line);
		see_line(source, &conditions, &(struct line){path, number, line});
	}
	free(text);
	return true;
}

/* ---- all of it ----------------------------------------------------------------------- */

/* Paths of included files are absolute; shorter is enough beside the solution. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

static bool judge(const struct space *space, size_t i, const struct seen *seen, struct error *err)
{
	const struct space_name *name = &space->names[space->constants[i].place];
	long long standard = space->constants[i].standard;
	if (!seen->used)
		return error_set(err, "%s:%d: %s is used nowhere in the source", space->file, name->line,
						 name->name);
	if (seen->defined)
		return true;
	if (seen->other_line == 0)
		return error_set(err,
						 "%s:%d: the source does not define %s; its default stands there as "
						 "'#ifndef %s', '#define %s %lld', '#endif'",
						 space->file, name->line, name->name, name->name, name->name, standard);
	if (seen->other[0] == '\0')
		return error_set(err,
						 "%s:%d: %s is defined in line %d of %s whatever was chosen: '#ifndef %s' "
						 "is missing before it",
						 space->file, name->line, name->name, seen->other_line,
						 base_of(seen->other_file), name->name);
	return error_set(err, "%s:%d: the default of %s is %lld, and line %d of %s defines it as '%s'",
					 space->file, name->line, name->name, standard, seen->other_line,
					 base_of(seen->other_file), seen->other);
}

bool source_keeps_to(const struct space *space, struct error *err)
{
	struct seen *seen = calloc(SPACE_CONSTANTS_MAX, sizeof *seen);
	struct source source = {.space = space, .seen = seen};
	const struct content_visitor visitor = {.file = see_file, .context = &source};
	if (seen == NULL)
		return error_set(err, "out of memory");
	bool ok = content_walk(space->file, &visitor, err);
	for (size_t i = 0; i < space->constant_count && ok; i++)
		ok = judge(space, i, &seen[i], err);
	free(seen);
	return ok;
}
