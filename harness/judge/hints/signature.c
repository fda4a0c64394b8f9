#include "judge/hints/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_BYTES ((size_t)1 << 20) /* what is looked at */

/* ---- tokens --------------------------------------------------------------------------- */

struct token {
	const char *at;
	size_t length; /* 0: the end of the text */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool token_is(struct token token, const char *text)
{
	return token.length == strlen(text) && strncmp(token.at, text, token.length) == 0;
}

/* Behind a string or a character, whose opening quote this is. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;
	while (*at != '\0' && *at != quote && *at != '\n')
		at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	return *at == quote ? at + 1 : at;
}

/* Behind a line that ends without a backslash. */
static const char *skip_line(const char *at)
{
	while (*at != '\0' && *at != '\n')
		at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	return at;
}

/* Behind blanks, comments and lines of the preprocessor. */
static const char *skip_blank(const char *at)
{
	for (;;) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (*at == '#' || (at[0] == '/' && at[1] == '/')) {
			at = skip_line(at);
		} else if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");
			at = end != NULL ? end + 2 : at + strlen(at);
		} else {
			return at;
		}
	}
}

static struct token next_token(const char **at)
{
	const char *begin = skip_blank(*at), *end = begin;
	if (*end == '"' || *end == '\'')
		end = skip_quoted(end);
	else if (is_word(*end))
		while (is_word(*end))
			end++;
	else if (*end != '\0')
		end++;
	*at = end;
	return (struct token){begin, (size_t)(end - begin)};
}

/* ---- parameters ----------------------------------------------------------------------- */

static bool is_one_of(struct token token, const char *const words[])
{
	while (*words != NULL && !token_is(token, *words))
		words++;
	return *words != NULL;
}

/* Words that can only be a part of a type. */
static const char *const type_words[] = {"unsigned", "signed", "int",    "long", "short",
										 "char",     "float",  "double", "void", "bool",
										 "half",     "size_t", "__half", "auto", NULL};
static const char *const qualifiers[] = {"const",      "volatile",     "struct",   "restrict",
										 "__restrict", "__restrict__", "register", NULL};

static void add_word(char out[SIGNATURE_WORD], struct token token)
{
	size_t used = strlen(out);
	snprintf(out + used, SIGNATURE_WORD - used, "%s%.*s", used > 0 ? " " : "", (int)token.length,
			 token.at);
}

/* The parameter between two places of the text. */
static void read_parameter(const char *at, const char *end, struct signature_parameter *out)
{
	struct token last = {at, 0};
	*out = (struct signature_parameter){.pointer = false};
	for (struct token token = next_token(&at); token.length > 0 && token.at < end;
		 token = next_token(&at)) {
		if (token_is(token, "="))
			break;
		if (token_is(token, "*") || token_is(token, "&") || token_is(token, "["))
			out->pointer = true;
		if (!is_word(*token.at) || isdigit((unsigned char)*token.at) ||
			is_one_of(token, qualifiers))
			continue;
		if (last.length > 0)
			add_word(out->type, last);
		last = token;
	}
	/* the last word is its name, unless it has none */
	if (out->type[0] == '\0' || is_one_of(last, type_words))
		add_word(out->type, last);
	else
		add_word(out->name, last);
}

/* Whether the preprocessor has a directive with this word as its first one: "if" also stands for
 * "ifdef" and "ifndef". Behind it; NULL: there is none before `end`. */
static const char *find_directive(const char *at, const char *end, const char *word)
{
	size_t length = strlen(word);
	while ((at = memchr(at, '#', (size_t)(end - at))) != NULL) {
		at++;
		at += strspn(at, " \t");
		if (strncmp(at, word, length) == 0)
			return at + length;
	}
	return NULL;
}

static size_t count_directives(const char *text, const char *end, const char *word)
{
	size_t count = 0;
	for (const char *at = text; (at = find_directive(at, end, word)) != NULL;)
		count++;
	return count;
}

/* Whether the text makes a macro of the word. */
static bool is_macro(const char *text, struct token token)
{
	const char *end = text + strlen(text);
	for (const char *at = text; (at = find_directive(at, end, "define")) != NULL;) {
		at += strspn(at, " \t");
		if (strncmp(at, token.at, token.length) == 0 && !is_word(at[token.length]))
			return true;
	}
	return false;
}

/* Whether what stands between two places of the text is one parameter for every compiler: a type
 * and perhaps a name, of words that are no macros here. One unknown word may be anything. */
static bool is_plain(const char *text, const char *at, const char *end)
{
	size_t unknown = 0;
	bool pointer = false, known = false;
	for (struct token token = next_token(&at); token.length > 0 && token.at < end;
		 token = next_token(&at)) {
		if (token_is(token, "="))
			break;
		if (strchr("(){}.\"", *token.at) != NULL || is_macro(text, token))
			return false;
		pointer = pointer || token_is(token, "*") || token_is(token, "&") || token_is(token, "[");
		known = known || is_one_of(token, type_words);
		unknown +=
			is_word(*token.at) && !is_one_of(token, type_words) && !is_one_of(token, qualifiers);
	}
	return known || unknown >= 2 || (pointer && unknown == 1);
}

/* From behind the parenthesis that opens the list to behind the one that closes it. `text` is all
 * of the file's. */
static const char *read_parameters(const char *text, const char *at, struct signature *out)
{
	const char *begin = at;
	bool has_default = false;
	int depth = 0;
	out->count = out->defaults = 0;
	out->is_certain = true;
	for (;;) {
		struct token token = next_token(&at);
		if (token.length == 0)
			return at;
		char c = token.length == 1 ? *token.at : 'a';
		bool closes = c == ')' && depth == 0;
		if ((closes || (c == ',' && depth == 0)) && skip_blank(begin) < token.at) {
			if (out->count < SIGNATURE_PARAMETERS)
				read_parameter(begin, token.at, &out->parameters[out->count]);
			out->is_certain = out->is_certain && is_plain(text, begin, token.at);
			out->count++;
			out->defaults += has_default;
			has_default = false;
			begin = at;
		}
		has_default = has_default || (c == '=' && depth == 0);
		if (closes)
			return at;
		depth += c == '(' || c == '<' || c == '[' || c == '{';
		depth -= (c == ')' || c == '>' || c == ']' || c == '}') && depth > 0;
	}
}

/* ---- declarations --------------------------------------------------------------------- */

/* The words that a declaration begins with. */
struct head {
	bool is_extern, extern_c, is_static, is_kernel, is_template;
};

/* A block of extern "C" or of a namespace, within which functions are looked for. */
#define BLOCKS 16
struct blocks {
	struct head at[BLOCKS];
	int depth;
};

/* Behind the block whose brace was opened. */
static const char *skip_block(const char *at)
{
	for (int depth = 1; depth > 0;) {
		struct token token = next_token(&at);
		if (token.length == 0)
			break;
		depth += token_is(token, "{");
		depth -= token_is(token, "}");
	}
	return at;
}

static void note_word(struct head *head, struct token token)
{
	head->extern_c = head->extern_c || (head->is_extern && token_is(token, "\"C\""));
	head->is_extern = token_is(token, "extern");
	head->is_static = head->is_static || token_is(token, "static");
	head->is_kernel = head->is_kernel || token_is(token, "__global__");
	head->is_template = head->is_template || token_is(token, "template");
}

/* Within which nothing is what it looks like. */
static bool has_raw_string(const char *text)
{
	for (const char *at = text; (at = strstr(at, "R\"")) != NULL; at += 2)
		if (at == text || !is_word(at[-1]))
			return true;
	return false;
}

/* Whether the preprocessor takes what stands at this place as it is, and always. */
static bool is_unconditional(const char *text, const char *from, const char *to)
{
	return count_directives(text, from, "if") == count_directives(text, from, "endif") &&
		   memchr(from, '#', (size_t)(to - from)) == NULL;
}

/* A function of the text, whose parameters begin here; behind its parameters. */
static const char *take_function(const char *text, struct token name, const char *at,
								 const struct head *head, const struct head *block,
								 struct signature *out)
{
	const char *list = at;
	struct signature found = {.found = true,
							  .extern_c = head->extern_c || block->extern_c,
							  .is_static = head->is_static || block->is_static,
							  .is_kernel = head->is_kernel,
							  .is_template = head->is_template};
	at = read_parameters(text, at, &found);
	found.is_certain = found.is_certain && is_unconditional(text, list, at) &&
					   !is_macro(text, name) && !has_raw_string(text);
	if (found.count == 1 && !found.parameters[0].pointer &&
		strcmp(found.parameters[0].type, "void") == 0)
		found.count = 0;
	const char *behind = at;
	struct token token = next_token(&behind);
	while (is_word(*token.at)) /* noexcept */
		token = next_token(&behind);
	found.has_body = token_is(token, "{");
	found.definitions = out->definitions + found.has_body;
	if (!out->found || (found.has_body && !out->has_body))
		*out = found;
	out->definitions = found.definitions;
	return at;
}

void signature_find(const char *text, const char *function, struct signature *out)
{
	const char *all = text;
	struct token name = {function, strlen(function)};
	struct blocks blocks = {.depth = 0};
	struct head head = {.is_extern = false};
	bool named = false, space = false, nameless = false;
	*out = (struct signature){.found = false};
	for (struct token token = next_token(&text); token.length > 0; token = next_token(&text)) {
		if (token_is(token, "{")) {
			bool enter = (space || (head.extern_c && !head.is_kernel && nameless)) &&
						 blocks.depth + 1 < BLOCKS;
			if (!enter) {
				text = skip_block(text);
			} else {
				struct head *block = &blocks.at[blocks.depth + 1];
				*block = blocks.at[blocks.depth];
				block->extern_c = block->extern_c || head.extern_c;
				block->is_static = block->is_static || (space && !named);
				blocks.depth++;
			}
		} else if (token_is(token, "}")) {
			blocks.depth -= blocks.depth > 0;
		} else if (named && token_is(token, "(") && !space) {
			text = take_function(all, name, text, &head, &blocks.at[blocks.depth], out);
		}
		if (token_is(token, ";") || token_is(token, "{") || token_is(token, "}")) {
			head = (struct head){.is_extern = false};
			named = space = nameless = false;
			continue;
		}
		note_word(&head, token);
		nameless = token_is(token, "\"C\"");
		named = space ? named || is_word(*token.at) : token_is(token, function);
		space = space || token_is(token, "namespace");
	}
}

/* The beginning of a file; NULL where it cannot be read, else the caller frees it. */
static char *read_source(const char *path)
{
	struct stat facts;
	FILE *file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? fopen(path, "re") : NULL;
	char *text = file != NULL ? calloc(1, SOURCE_BYTES + 1) : NULL;
	if (text != NULL)
		text[fread(text, 1, SOURCE_BYTES, file)] = '\0';
	if (file != NULL)
		fclose(file);
	return text;
}

bool signature_read(const char *path, const char *function, struct signature *out)
{
	char *text = read_source(path);
	bool read = text != NULL;
	if (read)
		signature_find(text, function, out);
	free(text);
	return read;
}

bool signature_read_nearest(const char *path, const char *function, const struct signature *asked,
							char name[SIGNATURE_WORD])
{
	char *text = read_source(path);
	bool found = text != NULL && signature_find_nearest(text, function, asked, name);
	free(text);
	return found;
}

/* Whether the text behind the blanks of some line is these words, or a directive with them. */
static bool has_line(const char *text, const char *words)
{
	for (const char *at = text; (at = strstr(at, words)) != NULL; at++) {
		const char *line = at;
		while (line > text && line[-1] != '\n')
			line--;
		line += strspn(line, " \t");
		if (line == at || *line == '#')
			return true;
	}
	return false;
}

bool signature_has(const char *path, const char *words)
{
	char *text = read_source(path);
	bool has = text != NULL && strstr(text, words) != NULL;
	free(text);
	return has;
}

bool signature_has_line(const char *path, const char *words)
{
	char *text = read_source(path);
	bool has = text != NULL && has_line(text, words);
	free(text);
	return has;
}

/* ---- comparing -------------------------------------------------------------------------- */

/* Kinds of numbers, by the words that a type may have for them. What is not here, bytes and
 * anything that points to them, may hold whatever the file makes of it. */
static const struct {
	const char *word, *kind;
} kinds[] = {{"half", "f16"},         {"__half", "f16"},
			 {"_Float16", "f16"},     {"__nv_bfloat16", "bf16"},
			 {"nv_bfloat16", "bf16"}, {"float", "f32"},
			 {"double", "f64"},       {"int", "integer"},
			 {"unsigned", "integer"}, {"unsigned int", "integer"},
			 {"long", "integer"},     {"long long", "integer"},
			 {"size_t", "integer"},   {"int32_t", "integer"},
			 {"int64_t", "integer"},  {"uint32_t", "integer"}};

static const char *kind_of(const struct signature_parameter *parameter)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].word, parameter->type) == 0)
			return kinds[i].kind;
	return NULL;
}

bool signature_differs(const struct signature_parameter *own,
					   const struct signature_parameter *asked)
{
	const char *kind = kind_of(own), *wanted = kind_of(asked);
	return own->pointer != asked->pointer ||
		   (kind != NULL && wanted != NULL && strcmp(kind, wanted) != 0);
}

bool signature_counts_differ(const struct signature *own, const struct signature *asked)
{
	bool is_called = own->has_body && own->definitions == 1 && own->extern_c && !own->is_kernel &&
					 !own->is_template;
	size_t least = own->count - own->defaults;
	return is_called && own->is_certain && (asked->count > own->count || asked->count < least);
}

bool signature_fits(const struct signature *own, const struct signature *asked)
{
	bool fits = own->count == asked->count && own->count <= SIGNATURE_PARAMETERS;
	for (size_t i = 0; fits && i < own->count; i++)
		fits = !signature_differs(&own->parameters[i], &asked->parameters[i]);
	return fits;
}

/* ---- names that are nearly the one ------------------------------------------------------- */

#define LETTERS_APART 2

static char lower(char c)
{
	return (char)tolower((unsigned char)c);
}

/* Letters to be left out, put in or replaced, two neighbours exchanged counting as two, to make one
 * word of the other; case does not matter. More than LETTERS_APART: whatever. */
static int letters_apart(const char *one, const char *other)
{
	int rows[2][SIGNATURE_WORD + 1];
	size_t length = strlen(other);
	for (size_t j = 0; j <= length; j++)
		rows[0][j] = (int)j;
	for (size_t i = 1; i <= strlen(one); i++) {
		const int *above = rows[(i - 1) % 2];
		int *row = rows[i % 2];
		row[0] = (int)i;
		for (size_t j = 1; j <= length; j++) {
			int least = above[j - 1] + (lower(one[i - 1]) != lower(other[j - 1]));
			least = above[j] + 1 < least ? above[j] + 1 : least;
			row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
		}
	}
	return rows[strlen(one) % 2][length];
}

/* Whether the text defines a function of that name that the host could call. */
static bool is_host_function(const char *text, const char *name, struct signature *out)
{
	signature_find(text, name, out);
	return out->has_body && !out->is_kernel && !out->is_template && !out->is_static;
}

#define TRIED_MOST 64 /* functions; each takes a walk through the text */

bool signature_find_nearest(const char *text, const char *function, const struct signature *asked,
							char name[SIGNATURE_WORD])
{
	struct token last = {text, 0}, before = last;
	bool found = false;
	const char *at = text;
	int tried = 0;
	for (struct token token = next_token(&at); token.length > 0 && tried < TRIED_MOST;
		 before = last, last = token, token = next_token(&at)) {
		char word[SIGNATURE_WORD];
		struct signature own;
		if (!token_is(token, "(") || !token_is(before, "void") || last.length >= sizeof word)
			continue;
		snprintf(word, sizeof word, "%.*s", (int)last.length, last.at);
		tried++;
		if (strcmp(word, function) == 0 || !is_host_function(text, word, &own))
			continue;
		bool near = letters_apart(word, function) <= LETTERS_APART;
		if (near || (!found && own.extern_c && signature_fits(&own, asked)))
			memcpy(name, word, sizeof word);
		found = found || near || (own.extern_c && signature_fits(&own, asked));
		if (near)
			break;
	}
	return found;
}
