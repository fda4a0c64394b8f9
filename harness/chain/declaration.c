#include "chain/declaration.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMENT_MAX 16384
#define WORDS_MAX 8
#define BLOCK_MAX 65536

bool declaration_number(const char *text, float *out)
{
	if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
		*out = text[0] == '-' ? -INFINITY : INFINITY;
		return true;
	}
	/* strtof would also take blanks, nan and hexadecimal */
	if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
		return false;
	char *end;
	*out = strtof(text, &end);
	return end != text && *end == '\0' && isfinite(*out);
}

bool declaration_name(const char *text)
{
	if (!isalpha((unsigned char)text[0]) && text[0] != '_')
		return false;
	for (const char *p = text; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return true;
}

/* ---- the first comment ------------------------------------------------------ */

/* Opening a pipe or a terminal would wait for ever. */
static bool read_head(const char *path, char head[COMMENT_MAX], struct error *err)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	if (!S_ISREG(facts.st_mode))
		return error_set(err, "%s: is no regular file", path);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return error_set(err, "%s: %s", path, strerror(errno));
	size_t got = fread(head, 1, COMMENT_MAX - 1, file);
	bool failed = ferror(file) != 0;
	fclose(file);
	head[got] = '\0';
	return !failed || error_set(err, "%s: %s", path, strerror(errno));
}

/* The lines of the comment that the file opens with, one after the other, without
 * what marks them as a comment. NULL after the last one. */
struct comment {
	char *rest;
	bool block; /* slash and star, rather than two slashes a line */
	int line;
};

static struct comment comment_begin(char *text)
{
	struct comment comment = {.line = 0};
	char *start = text;
	while (isspace((unsigned char)*start))
		comment.line += *start++ == '\n';
	if (start[0] != '/' || (start[1] != '*' && start[1] != '/'))
		return comment;
	comment.block = start[1] == '*';
	comment.rest = comment.block ? start + 2 : start;
	char *end = comment.block ? strstr(comment.rest, "*/") : NULL;
	if (end != NULL)
		*end = '\0';
	return comment;
}

static char *comment_line(struct comment *comment)
{
	if (comment->rest == NULL)
		return NULL;
	char *line = comment->rest;
	size_t length = strcspn(line, "\n");
	comment->rest = line[length] == '\n' ? line + length + 1 : NULL;
	line[length] = '\0';
	comment->line++;
	for (size_t end = length; end > 0 && isspace((unsigned char)line[end - 1]); end--)
		line[end - 1] = '\0';
	line += strspn(line, " \t");
	if (!comment->block) {
		if (strncmp(line, "//", 2) != 0)
			return NULL;
		line += 2;
	}
	return line + strspn(line, " \t*");
}

/* ---- declarations ------------------------------------------------------------ */

static size_t split(char *line, char *words[WORDS_MAX])
{
	size_t count = 0;
	char *rest = NULL;
	for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && count < WORDS_MAX;
		 word = strtok_r(NULL, " \t\r", &rest))
		words[count++] = word;
	return count;
}

static const char *const type_names[CHAIN_TYPES] = {
	[CHAIN_ELEMENT] = "",          [CHAIN_FLOAT] = "float", [CHAIN_HALF] = "half",
	[CHAIN_BFLOAT16] = "bfloat16", [CHAIN_INT8] = "int8",   [CHAIN_E4M3] = "e4m3",
};

const char *chain_type_name(uint32_t type)
{
	return type_names[type];
}

/* "M" or "M/128", of the size `name`: one element for so many. False: another word. */
static bool size_of(const char *word, char name, uint32_t *block)
{
	if (word[0] != name || (word[1] != '\0' && word[1] != '/'))
		return false;
	*block = 1;
	if (word[1] == '\0')
		return true;
	char *end;
	unsigned long number = strtoul(word + 2, &end, 10);
	*block = (uint32_t)number;
	return isdigit((unsigned char)word[2]) && *end == '\0' && number > 0 && number <= BLOCK_MAX;
}

/* How many of the words say how long it is; 0: none does. */
static size_t extent_of(char *const *words, size_t count, struct chain_member *out)
{
	if (count > 0 && strcmp(words[0], "1") == 0)
		return 1;
	size_t used = count > 0 && size_of(words[0], 'M', &out->rows);
	return used + (used < count && size_of(words[used], 'N', &out->columns));
}

/* Reads the words that follow a member's length. */
static bool ending_of(char *const *words, size_t count, struct chain_member *out)
{
	if (out->kind == CHAIN_SUM) {
		out->type = CHAIN_FLOAT;
		out->finish = count > 1 && strcmp(words[count - 1], "finish") == 0;
		count -= out->finish;
		bool sum = count > 0 && strcmp(words[0], "sum") == 0;
		bool largest = count == 1 && strcmp(words[0], "max") == 0;
		bool exact = sum && count == 2 && strcmp(words[1], "deterministic") == 0;
		out->kind = largest ? CHAIN_MAX : exact ? CHAIN_EXACT : CHAIN_SUM;
		return largest || exact || (sum && count == 1);
	}
	for (uint32_t i = 1; count == 1 && i < CHAIN_TYPES; i++)
		if (strcmp(words[0], type_names[i]) == 0)
			out->type = i;
	return count == (out->type != CHAIN_ELEMENT);
}

static bool member_parse(char *const *words, size_t count, struct chain_member *out)
{
	bool argument = strcmp(words[0], "argument") == 0;
	*out = (struct chain_member){.kind = argument                          ? CHAIN_ARGUMENT
										 : strcmp(words[0], "output") == 0 ? CHAIN_OUTPUT
										 : strcmp(words[0], "reduce") == 0 ? CHAIN_SUM
																		   : CHAIN_INPUT};
	if (count < 2 || !declaration_name(words[1]) || strlen(words[1]) >= sizeof out->name)
		return false;
	strcpy(out->name, words[1]);
	if (argument)
		return count == 4 && strcmp(words[2], "=") == 0 &&
			   declaration_number(words[3], &out->value);
	size_t used = extent_of(words + 2, count - 2, out);
	if (used == 0 || !ending_of(words + 2 + used, count - 2 - used, out))
		return false;
	return out->kind != CHAIN_OUTPUT ||
		   (out->rows == 1 && (out->columns == 1 || out->columns == 2));
}

/* Appends the member, laid out as a C++ compiler lays out the members of a struct. */
static bool stage_add(struct chain_stage *stage, const struct chain_member *member)
{
	uint32_t size = member->kind == CHAIN_ARGUMENT ? sizeof(float) : sizeof(void *);
	uint32_t offset = (stage->bytes + size - 1) / size * size;
	if (stage->count == CHAIN_MEMBERS_MAX || offset + size > CHAIN_BYTES_MAX)
		return false;
	struct chain_member *added = &stage->members[stage->count++];
	*added = *member;
	added->offset = offset;
	stage->bytes = offset + size;
	for (uint32_t i = 0; i + 1 < stage->count; i++)
		added->buffer += stage->members[i].kind != CHAIN_ARGUMENT;
	return true;
}

static bool ends_in(const char *line, const char *ending)
{
	size_t length = strlen(line), tail = strlen(ending);
	return length >= tail && strcmp(line + length - tail, ending) == 0;
}

static bool is_declaration(const char *line)
{
	static const char *const words[] = {"argument", "input", "output"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);
		if (strncmp(line, words[i], length) == 0 && strchr(" \t\r", line[length]) != NULL)
			return true;
	}
	/* other lines may begin with this word */
	return strncmp(line, "reduce ", 7) == 0 &&
		   (ends_in(line, " max") || ends_in(line, " sum") || ends_in(line, " deterministic") ||
			ends_in(line, " finish"));
}

static bool read_declarations(const char *path, char *text, struct chain_stage *out,
							  struct error *err)
{
	struct comment comment = comment_begin(text);
	for (char *line; (line = comment_line(&comment)) != NULL;) {
		char copy[120], *words[WORDS_MAX] = {NULL};
		struct chain_member member;
		if (!is_declaration(line))
			continue;
		snprintf(copy, sizeof copy, "%s", line);
		size_t count = split(line, words);
		if (!member_parse(words, count, &member))
			return error_set(err,
							 "%s:%d: '%s' is no declaration: it is 'argument NAME = NUMBER', "
							 "'input NAME N', 'input NAME M', 'input NAME M N' or "
							 "'output NAME M N' (epilogues/README.md has more lengths, and types)",
							 path, comment.line, copy);
		for (uint32_t i = 0; i < out->count; i++)
			if (strcmp(out->members[i].name, member.name) == 0)
				return error_set(err, "%s:%d: '%s' is declared twice", path, comment.line,
								 member.name);
		if (!stage_add(out, &member))
			return error_set(err,
							 "%s:%d: the members of a stage take at most %d bytes (4 for an "
							 "argument, 8 for an input or output)",
							 path, comment.line, CHAIN_BYTES_MAX);
	}
	return true;
}

bool chain_stage_name(const char *path, char out[CHAIN_NAME_MAX], struct error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
	snprintf(out, CHAIN_NAME_MAX, "%.*s", length, name);
	if (length < CHAIN_NAME_MAX && declaration_name(out))
		return true;
	return error_set(err,
					 "%s: '%.*s' cannot be the name of a stage: letters, digits and _ can, %d at "
					 "most",
					 path, length, name, CHAIN_NAME_MAX - 1);
}

bool chain_read_stage(const char *path, struct chain_stage *out, struct error *err)
{
	char text[COMMENT_MAX];
	*out = (struct chain_stage){0};
	return chain_stage_name(path, out->name, err) && read_head(path, text, err) &&
		   read_declarations(path, text, out, err);
}
