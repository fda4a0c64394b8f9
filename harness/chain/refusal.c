/* Why nvcc refused a chain, where a stage's class or its operator() has not the contract's form:
 * one line a stage in place of nvcc's, most of which are about code of ours. What nvcc found is in
 * its log, through the assertions of chain_header(); what the file has instead is read from its
 * text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "chain/chain.h"
#include "chain/declaration.h"

#define SOURCE_BYTES ((size_t)1 << 20) /* of a stage's file */
#define FOUND 160                      /* characters of a declaration that are shown */

/* ---- the text of a stage's file -------------------------------------------------------- */

/* Comments and strings become blanks, so that places and lines stay. */
static void blank(char *text)
{
	for (char *at = text; *at != '\0';) {
		char *end = at + 1;
		if (at[0] == '/' && at[1] == '/')
			end = at + strcspn(at, "\n");
		else if (at[0] == '/' && at[1] == '*')
			end = (end = strstr(at + 2, "*/")) != NULL ? end + 2 : at + strlen(at);
		else if (at[0] == '"')
			end += strcspn(end, "\"\n");
		else
			at = end;
		for (; at < end; at++)
			*at = *at == '\n' ? '\n' : ' ';
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next place of a whole word, or NULL. */
static const char *word_find(const char *text, const char *begin, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = begin; (at = strstr(at, word)) != NULL; at += length)
		if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
			return at;
	return NULL;
}

static int line_of(const char *text, const char *at)
{
	int line = 1;
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* Appends [from, to) with single blanks; what does not fit is left out. */
static void copy_line(char out[FOUND], const char *from, const char *to)
{
	size_t used = 0;
	for (; from < to && used + 1 < FOUND; from++)
		if (!isspace((unsigned char)*from))
			out[used++] = *from;
		else if (used > 0 && out[used - 1] != ' ')
			out[used++] = ' ';
	while (used > 0 && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
}

/* The first operator() as it is declared, up to its body, without what says where it runs. */
static bool operator_find(const char *text, char out[FOUND], int *line)
{
	static const char *const skipped[] = {"__host__", "__device__", "__forceinline__", "inline",
										  "public:"};
	const char *name = word_find(text, text, "operator");
	while (name != NULL && name[8 + strspn(name + 8, " \t")] != '(')
		name = word_find(text, name + 1, "operator");
	if (name == NULL)
		return false;
	const char *begin = name, *end = name + strcspn(name, "{;");
	while (begin > text && strchr("{};", begin[-1]) == NULL)
		begin--;
	for (bool again = true; again;) {
		again = false;
		begin += strspn(begin, " \t\n\r");
		for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
			if (strncmp(begin, skipped[i], strlen(skipped[i])) == 0 && begin < name) {
				begin += strlen(skipped[i]);
				again = true;
			}
	}
	copy_line(out, begin, end);
	*line = line_of(text, name);
	return true;
}

/* What stands where the class should: the first class or function. */
static bool class_find(const char *text, const char *wanted, char out[FOUND], int *line)
{
	static const char *const words[] = {"struct", "class"};
	const char *first = NULL;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (const char *at = text; (at = word_find(text, at, words[i])) != NULL; at++) {
			const char *name = at + strlen(words[i]) + strspn(at + strlen(words[i]), " \t\n");
			const char *behind = name;
			while (is_word(*behind))
				behind++;
			behind += strspn(behind, " \t\r\n");
			bool is_it =
				strncmp(name, wanted, strlen(wanted)) == 0 && !is_word(name[strlen(wanted)]);
			if (strchr("{:;f", *behind) == NULL || *behind == '\0' || !is_word(*name))
				continue; /* a parameter of a template */
			if (first == NULL || is_it || at < first)
				first = at;
			if (is_it)
				break;
		}
	if (first == NULL)
		return false;
	copy_line(out, first, first + strcspn(first, "{:;"));
	*line = line_of(text, first);
	return true;
}

/* ---- nvcc's log ------------------------------------------------------------------------- */

/* Whether a line of the log has both texts. */
static bool log_line(const char *log, const char *one, const char *other)
{
	for (const char *at = log; (at = strstr(at, one)) != NULL; at++) {
		const char *begin = at, *found;
		while (begin > log && begin[-1] != '\n')
			begin--;
		found = strstr(begin, other);
		if (found != NULL && found < begin + strcspn(begin, "\n"))
			return true;
	}
	return false;
}

static bool lacks_class(const char *log, const char *name)
{
	char undefined[64], plain[96];
	snprintf(undefined, sizeof undefined, "error: stage_%s is not a template", name);
	snprintf(plain, sizeof plain, "\"stage_%s\" may not have a template argument list", name);
	return strstr(log, undefined) != NULL || strstr(log, plain) != NULL;
}

/* The text of the first assertion about the stage that failed; false: none did. */
static bool failed_assertion(const char *log, const char *name, char out[256])
{
	static const char begins[] = "static assertion failed with \"";
	char ends[64];
	snprintf(ends, sizeof ends, " (stage %s)\"", name);
	for (const char *at = log; (at = strstr(at, begins)) != NULL;) {
		at += sizeof begins - 1;
		const char *end = strstr(at, ends);
		if (end == NULL || end > at + strcspn(at, "\n"))
			continue;
		snprintf(out, 256, "%.*s", (int)(end - at), at);
		return true;
	}
	return false;
}

/* ---- the line --------------------------------------------------------------------------- */

static bool explain(const struct chain_stage *stage, const char *path, const char *log, FILE *out)
{
	struct error ignored;
	char found[FOUND] = "", wanted[64], host[64], why[256];
	int line = 1;
	char *text = text_read(path, SOURCE_BYTES, &ignored);
	if (text != NULL)
		blank(text);
	snprintf(wanted, sizeof wanted, "stage_%s", stage->name);
	snprintf(host, sizeof host, "stage_%s<", stage->name);
	bool known = true;
	if (lacks_class(log, stage->name)) {
		bool has = text != NULL && class_find(text, wanted, found, &line);
		fprintf(out,
				"%s(%d): error: the file defines %s%s%s, and a stage of this file's name is "
				"'template <class Element> struct %s'\n",
				path, line, has ? "'" : "no class", found, has ? "'" : "", wanted);
	} else if (failed_assertion(log, stage->name, why)) {
		bool form = strncmp(why, CHAIN_FORM, strlen(CHAIN_FORM)) == 0;
		bool has = form && text != NULL && operator_find(text, found, &line);
		bool accesses = strncmp(why, CHAIN_MEMORY, strlen(CHAIN_MEMORY)) == 0;
		const char *memory = accesses && text != NULL ? strstr(text, "memory(") : NULL;
		if (memory != NULL)
			line = line_of(text, memory);
		fprintf(out, "%s(%d): error: %s%s%s%s\n", path, line, has ? "'" : "", found,
				has    ? "' cannot be called with a value: "
				: form ? "the class has no operator(): "
					   : "",
				why);
	} else if (log_line(log, "calling a __host__", host)) {
		if (text != NULL)
			operator_find(text, found, &line);
		fprintf(out,
				"%s(%d): error: operator() of %s is a function of the host: it begins with "
				"__device__\n",
				path, line, wanted);
	} else {
		known = false;
	}
	free(text);
	return known;
}

/* Where the kernel hands over single values, and the chain needs pairs: the last of the places that
 * nvcc has come from, "at line 39 of FILE". */
static bool explain_pairs(const struct chain *chain, const char *log, FILE *out)
{
	static const char at_line[] = "at line ";
	const char *at = strstr(log, CHAIN_PAIRS), *place = NULL;
	if (at == NULL)
		return false;
	const char *end = strstr(at, "\n\n");
	for (const char *next = at; (next = strstr(next, at_line)) != NULL && (!end || next < end);)
		place = next += sizeof at_line - 1;
	char *path = NULL;
	long line = place != NULL ? strtol(place, &path, 10) : 0;
	if (path != NULL && strncmp(path, " of ", 4) == 0) {
		path += 4 + (path[4] == '"');
		fprintf(out, "%.*s(%ld): ", (int)strcspn(path, "\"\n"), path, line);
	}
	fputs("error: the kernel hands over single values", out);
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain_columns(&chain->stages[i]) > 1) {
			fprintf(out, ", and the stage %s needs two neighbouring columns at once",
					chain->stages[i].name);
			break;
		}
	fputs(": where neighbouring lanes have them, out.by_lanes().store() shares them\n", out);
	return true;
}

char *chain_refusal(const struct chain *chain, const struct chain_files *files, const char *log)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	bool any = explain_pairs(chain, log, out);
	for (uint32_t i = 0; i < chain->count; i++) {
		bool again = false;
		for (uint32_t j = 0; j < i; j++)
			again = again || strcmp(files->paths[j], files->paths[i]) == 0;
		any = (!again && explain(&chain->stages[i], files->paths[i], log, out)) || any;
	}
	if (fclose(out) != 0 || !any) {
		free(text);
		return NULL;
	}
	return text;
}
