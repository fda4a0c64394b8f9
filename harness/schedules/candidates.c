#include "schedules/candidates.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TABLE_BYTES ((size_t)1 << 20)
#define BLANKS " \t\r,"

bool candidates_number(const char *text, int64_t *out)
{
	const char *digits = text + (text[0] == '-');
	bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	if (!isdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	*out = strtoll(text, &end, hexadecimal ? 16 : 10);
	return *end == '\0' && errno == 0 && *out != EXPRESSION_UNDEFINED;
}

/* ---- lists ---------------------------------------------------------------------- */

struct numbers {
	int64_t *values; /* owned */
	size_t count;
};

static bool numbers_add(struct numbers *numbers, int64_t value, struct error *err)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->values[i] == value)
			return error_set(err, "%lld is a candidate twice", (long long)value);
	if (numbers->count == SPACE_CANDIDATES_MAX)
		return error_set(err, "more than %d candidates", SPACE_CANDIDATES_MAX);
	if (numbers->values == NULL)
		numbers->values = malloc(SPACE_CANDIDATES_MAX * sizeof *numbers->values);
	if (numbers->values == NULL)
		return error_set(err, "out of memory");
	numbers->values[numbers->count++] = value;
	return true;
}

/* "FROM..TO", "FROM..TO+STEP" or "FROM..TO*FACTOR"; `dots` lies in the text, which is changed. */
static bool numbers_add_range(struct numbers *numbers, char *text, char *dots, struct error *err)
{
	int64_t from, to, step = 1;
	char shown[SPACE_NAME_MAX];
	snprintf(shown, sizeof shown, "%s", text);
	char *sign = strpbrk(dots, "+*");
	bool multiplies = sign != NULL && *sign == '*';
	*dots = '\0';
	if (sign != NULL)
		*sign = '\0';
	if (!candidates_number(text, &from) || !candidates_number(dots + 2, &to) ||
		(sign != NULL && !candidates_number(sign + 1, &step)))
		return error_set(err, "'%s' is no range: 1..16, 8..64+8 and 1..64*2 are", shown);
	if (from > to || step < (multiplies ? 2 : 1) || (multiplies && from < 1))
		return error_set(err, "the range %s does not rise from its first number to its last",
						 shown);
	for (int64_t value = from; value <= to;) {
		if (!numbers_add(numbers, value, err))
			return false;
		if (multiplies ? __builtin_mul_overflow(value, step, &value)
					   : __builtin_add_overflow(value, step, &value))
			break;
	}
	return true;
}

bool candidates_parse(const char *text, int64_t **values, size_t *count, struct error *err)
{
	struct numbers numbers = {0};
	char *copy = strdup(text), *rest = NULL;
	bool ok = copy != NULL || error_set(err, "out of memory");
	for (char *word = ok ? strtok_r(copy, BLANKS, &rest) : NULL; word != NULL && ok;
		 word = strtok_r(NULL, BLANKS, &rest)) {
		int64_t value;
		char *dots = strstr(word, "..");
		if (dots != NULL)
			ok = numbers_add_range(&numbers, word, dots, err);
		else if (candidates_number(word, &value))
			ok = numbers_add(&numbers, value, err);
		else
			ok = error_set(err, "'%.40s' is no whole number of 64 bits", word);
	}
	if (ok && numbers.count == 0)
		ok = error_set(err, "there are no candidates");
	free(copy);
	if (!ok)
		free(numbers.values);
	*values = ok ? numbers.values : NULL;
	*count = ok ? numbers.count : 0;
	return ok;
}

/* ---- tables --------------------------------------------------------------------- */

static bool table_names(struct candidates_table *table, char *line, struct error *err)
{
	char *rest = NULL;
	for (char *word = strtok_r(line, BLANKS, &rest); word != NULL;
		 word = strtok_r(NULL, BLANKS, &rest)) {
		if (table->columns == SPACE_CONSTANTS_MAX)
			return error_set(err, "more than %d columns", SPACE_CONSTANTS_MAX);
		if (strlen(word) >= SPACE_NAME_MAX)
			return error_set(err, "'%.24s...' is longer than names are (%d)", word,
							 SPACE_NAME_MAX - 1);
		strcpy(table->names[table->columns++], word);
	}
	return true;
}

static bool table_row(struct candidates_table *table, char *line, struct error *err)
{
	size_t count = 0;
	char *rest = NULL;
	if (table->rows == SPACE_CANDIDATES_MAX)
		return error_set(err, "more than %d rows", SPACE_CANDIDATES_MAX);
	int64_t *grown =
		realloc(table->values, (table->rows + 1) * table->columns * sizeof *table->values);
	if (grown == NULL)
		return error_set(err, "out of memory");
	table->values = grown;
	for (char *word = strtok_r(line, BLANKS, &rest); word != NULL;
		 word = strtok_r(NULL, BLANKS, &rest), count++)
		if (count < table->columns &&
			!candidates_number(word, &table->values[table->rows * table->columns + count]))
			return error_set(err, "'%.40s' is no whole number of 64 bits", word);
	if (count != table->columns)
		return error_set(err, "%zu value%s for %zu name%s", count, text_plural(count),
						 table->columns, text_plural(table->columns));
	table->rows++;
	return true;
}

bool candidates_read_table(const char *path, struct candidates_table *out, struct error *err)
{
	*out = (struct candidates_table){0};
	char *text = text_read(path, TABLE_BYTES, err), *next;
	if (text == NULL)
		return false;
	bool ok = true;
	int number = 1;
	for (char *line = text; line != NULL && ok; line = next, number++) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		line[strcspn(line, "#")] = '\0';
		if (line[strspn(line, BLANKS)] == '\0')
			continue;
		ok = out->columns == 0 ? table_names(out, line, err) : table_row(out, line, err);
		if (!ok)
			error_prefix(err, "%s:%d", path, number);
	}
	if (ok && out->rows == 0)
		ok = error_set(err, "%s: a line of names and lines of numbers are needed", path);
	free(text);
	if (!ok) {
		free(out->values);
		*out = (struct candidates_table){0};
	}
	return ok;
}
