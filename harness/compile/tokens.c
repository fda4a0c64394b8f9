#include "compile/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "compile/bytes.h"
#include "compile/content.h"

/* Where reading and writing stand. What is written is never longer than what was read, but for the
 * line's end before a directive. */
struct tokens {
	const char *in;
	char *out;
	bool begins;    /* nothing of this line was written */
	bool directive; /* this line is one */
	bool apart;     /* something lay between the last token and the next one */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Behind what is no token: blanks, a line that goes on, a comment. NULL: a token is here. */
static const char *between_end(const char *in)
{
	if (in[0] == '\\' && (in[1] == '\n' || (in[1] == '\r' && in[2] == '\n')))
		return in + (in[1] == '\n' ? 2 : 3);
	if (isspace((unsigned char)in[0]))
		return in + 1;
	if (in[0] != '/' || (in[1] != '/' && in[1] != '*'))
		return NULL;
	if (in[1] == '*') {
		const char *end = strstr(in + 2, "*/");
		return end != NULL ? end + 2 : in + strlen(in);
	}
	while (*in != '\0' && *in != '\n') /* also a comment goes on behind a backslash */
		in += in[0] == '\\' && in[1] != '\0' ? 2 : 1;
	return in;
}

/* Behind a literal that begins with this quote. */
static const char *literal_end(const char *in)
{
	const char quote = *in++;
	while (*in != '\0' && *in != quote && *in != '\n')
		in += in[0] == '\\' && in[1] != '\0' ? 2 : 1;
	return in + (*in == quote);
}

/* Behind R"mark(...)mark", whose quote this is. */
static const char *raw_end(const char *in)
{
	char close[20] = ")";
	const size_t mark = strcspn(in + 1, "( \n\\");
	if (in[1 + mark] != '(' || mark + 3 > sizeof close)
		return literal_end(in);
	memcpy(close + 1, in + 1, mark);
	close[1 + mark] = '"';
	close[2 + mark] = '\0';
	const char *end = strstr(in, close);
	return end != NULL ? end + mark + 2 : in + strlen(in);
}

static void copy(struct tokens *at, const char *end)
{
	memcpy(at->out, at->in, (size_t)(end - at->in));
	at->out += end - at->in;
	at->in = end;
}

/* A name or a number with what hangs on it: a literal behind its prefix, digits behind a '. */
static void copy_word(struct tokens *at)
{
	const bool number = isdigit((unsigned char)at->in[0]);
	const char *end = at->in;
	while (is_word(*end) || (number && (end[0] == '.' || (end[0] == '\'' && is_word(end[1])))))
		end++;
	const bool raw = end[0] == '"' && end[-1] == 'R';
	copy(at, !number && raw ? raw_end(end) : end);
}

static void take_token(struct tokens *at, const char *first)
{
	if (at->begins && *at->in == '#') {
		at->directive = true;
		*at->out++ = '\n';
	} else if (at->apart && at->out > first && is_word(at->out[-1]) && is_word(*at->in)) {
		*at->out++ = ' ';
	}
	at->begins = at->apart = false;
	if (is_word(*at->in))
		copy_word(at);
	else
		copy(at, *at->in == '"' || *at->in == '\'' ? literal_end(at->in) : at->in + 1);
}

char *tokens_text(const char *source)
{
	char *text = malloc(2 * strlen(source) + 2);
	struct tokens at = {.in = source, .out = text, .begins = true};
	while (text != NULL && *at.in != '\0') {
		const char *end = between_end(at.in);
		if (end == NULL) {
			take_token(&at, text);
			continue;
		}
		at.apart = true;
		if (*at.in == '\n') {
			if (at.directive)
				*at.out++ = '\n';
			at.directive = false;
			at.begins = true;
		}
		at.in = end;
	}
	if (text != NULL)
		*at.out = '\0';
	return text;
}

static bool hash_file(void *context, const char *path, struct error *err)
{
	size_t size;
	char *source = bytes_read_file(path, &size);
	char *text = source != NULL ? tokens_text(source) : NULL;
	if (source == NULL)
		error_set(err, "%s: %s", path, strerror(errno));
	else if (text == NULL)
		error_set(err, "out of memory");
	if (text != NULL)
		hash_add_text(context, text);
	const bool ok = text != NULL;
	free(source);
	free(text);
	return ok;
}

bool tokens_hash(const char *file, char out[CONTENT_TEXT], struct error *err)
{
	struct hash hash;
	hash_begin(&hash);
	const struct content_visitor visitor = {.file = hash_file, .context = &hash};
	const bool ok = content_walk(file, &visitor, err);
	hash_end(&hash, out);
	return ok;
}

void tokens_and_content(const char *file, char content[CONTENT_TEXT], char tokens[CONTENT_TEXT])
{
	struct error ignored;
	if (!content_hash(file, content, &ignored))
		content[0] = '\0';
	if (!tokens_hash(file, tokens, &ignored))
		tokens[0] = '\0';
}
