#include "judgement/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(char out[BITS_TEXT], const char *format, ...)
{
	const size_t used = strlen(out);
	va_list args;
	va_start(args, format);
	vsnprintf(out + used, BITS_TEXT - used, format, args);
	va_end(args);
}

static const char *mark(const char *name)
{
	uint32_t word = BITS_NOT_ASKED;
	names_find(&names_of_bits_word, name, &word);
	return word == BITS_YES ? "yes" : word == BITS_NO ? "no" : "-";
}

const char *bits_marks(const char *repeatable, const char *batch_invariant, char out[BITS_MARKS])
{
	const char *again = mark(repeatable), *rows = mark(batch_invariant);
	const bool none = strcmp(again, "-") == 0 && strcmp(rows, "-") == 0;
	snprintf(out, BITS_MARKS, "%s%s%s", again, none ? "" : "/", none ? "" : rows);
	return out;
}

static void say_repeated(const struct judged_bits *bits, char out[BITS_TEXT])
{
	const struct bits_difference *at = &bits->difference;
	if (bits->repeatable == BITS_NOT_ASKED)
		add(out, "same bits: not asked (%s)", bits->why);
	else if (bits->repeatable == BITS_YES)
		add(out, "same bits: yes in %u calls", bits->calls);
	else
		add(out, "same bits: no (%u of %u calls differ at %s; first at %s row %d, column %d)",
			bits->differing, bits->calls, bits->shape, at->output, at->row, at->column);
}

static int32_t least_rows(const struct judged_bits *bits)
{
	int32_t least = bits->rows[0];
	for (uint32_t i = 1; i < bits->row_count && i < BITS_ROWS_MAX; i++)
		least = bits->rows[i] < least ? bits->rows[i] : least;
	return least;
}

static int32_t most_rows(const struct judged_bits *bits)
{
	int32_t most = bits->rows[0];
	for (uint32_t i = 1; i < bits->row_count && i < BITS_ROWS_MAX; i++)
		most = bits->rows[i] > most ? bits->rows[i] : most;
	return most;
}

static void say_rows(const struct judged_bits *bits, char out[BITS_TEXT])
{
	const struct bits_difference *at = &bits->rows_difference;
	if (strcmp(bits->why, BITS_NO_ROWS) == 0)
		return;
	add(out, "; rows independent of M: ");
	if (bits->batch_invariant == BITS_NOT_ASKED)
		add(out, "not asked (%s)", bits->why);
	else if (bits->batch_invariant == BITS_YES)
		add(out, "yes (M = %d to %d)", least_rows(bits), most_rows(bits));
	else if (at->between == BITS_BETWEEN_PLACES)
		add(out, "no (a row of %s differs as row %d of M = %d)", at->shape, at->row, at->m);
	else
		add(out, "no (row %d of %s differs at M = %d)", at->row, at->shape, at->m);
}

const char *bits_say(const struct judged_bits *bits, char out[BITS_TEXT])
{
	out[0] = '\0';
	if (bits->repeatable == BITS_NOT_ASKED && bits->batch_invariant == BITS_NOT_ASKED)
		return out;
	say_repeated(bits, out);
	say_rows(bits, out);
	return out;
}
