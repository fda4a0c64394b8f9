#include "testcases/shape_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SHOWN 60

const char *shape_file_name(const char *name)
{
	return strcmp(name, "-") == 0 ? "stdin" : name;
}

/* Without a comment and without blanks at either end; of the first line also without a mark of
 * UTF-8. */
static char *trim(char *line, bool first)
{
	if (first && strncmp(line, "\xEF\xBB\xBF", 3) == 0)
		line += 3;
	line[strcspn(line, "#\r\n")] = '\0';
	line += strspn(line, " \t");
	size_t length = strlen(line);
	while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		line[--length] = '\0';
	return line;
}

/* "1024, 512 64" as "1024x512x64": between two sizes stand blanks, or a ',', ';' or 'x' with or
 * without blanks. What is no number stays what it is. False where it is too long to be a shape. */
static bool unify(const char *line, char out[SHAPE_TEXT])
{
	size_t used = 0;
	while (*line != '\0') {
		const char *rest = line + strspn(line, " \t");
		if (*rest != '\0' && strchr(",;xX", *rest) != NULL)
			rest += 1 + strspn(rest + 1, " \t");
		if (used + 2 > SHAPE_TEXT)
			return false;
		out[used++] = rest > line ? 'x' : *line++;
		if (rest > line)
			line = rest;
	}
	out[used] = '\0';
	return true;
}

static bool is_header(const char *line)
{
	return isalpha((unsigned char)line[0]) || line[0] == '"' || line[0] == '_';
}

static bool take_line(struct shape_file *file, const char *line, uint32_t number, struct error *err)
{
	const char *name = shape_file_name(file->name);
	char text[SHAPE_TEXT];
	struct shape_text *out = &file->shapes[file->count], usual;
	struct error ignored;
	if (file->count == file->capacity)
		return error_set(err, "%s:%u: more than %zu shapes: split the file", name, number,
						 file->capacity);
	if (!unify(line, text) || !shape_parse(text, file->most, out, &ignored))
		return error_set(
			err,
			"%s:%u: \"%.*s%s\" is no shape: write M,N,K or M N K or MxNxK, each from 1 "
			"to %d",
			name, number, LINE_SHOWN, line, strlen(line) > LINE_SHOWN ? "..." : "", file->most);
	file->lines[file->count++] = number;
	if (file->large == 0 && !shape_parse(text, file->usual, &usual, &ignored))
		file->large = number;
	return true;
}

static bool take_lines(struct shape_file *file, FILE *in, struct error *err)
{
	char *line = NULL;
	size_t room = 0;
	uint32_t number = 0;
	bool ok = true;
	while (ok && getline(&line, &room, in) >= 0) {
		number++;
		const char *text = trim(line, number == 1);
		if (text[0] == '\0')
			continue;
		if (file->count == 0 && file->header == 0 && is_header(text))
			file->header = number;
		else
			ok = take_line(file, text, number, err);
	}
	free(line);
	return ok;
}

bool shape_file_read(struct shape_file *file, struct error *err)
{
	const char *name = shape_file_name(file->name);
	bool is_stdin = strcmp(file->name, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(name, "re");
	if (in == NULL)
		return error_set(err, "--shapes %s: %s", name, strerror(errno));
	errno = 0;
	bool ok = take_lines(file, in, err);
	if (ok && ferror(in))
		ok = error_set(err, "--shapes %s: %s", name, strerror(errno));
	else if (ok && file->count == 0)
		ok = error_set(err, "--shapes %s: there is no shape in it", name);
	if (!is_stdin)
		fclose(in);
	return ok;
}
