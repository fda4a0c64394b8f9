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

const char *bits_mark(enum bits_word word)
{
	return word == BITS_YES ? "yes" : word == BITS_NO ? "no" : "-";
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

/* "M = 16, 33, 192" */
static void say_sizes(const struct judged_bits *bits, char out[BITS_TEXT])
{
	for (uint32_t i = 0; i < bits->row_count && i < BITS_ROWS_MAX; i++)
		add(out, "%s%d", i == 0 ? "M = " : ", ", bits->rows[i]);
}

static void say_rows(const struct judged_bits *bits, char out[BITS_TEXT])
{
	const struct bits_difference *at = &bits->rows_difference;
	add(out, "; rows independent of M: ");
	switch (bits->batch_invariant) {
	case BITS_NOT_ASKED: add(out, "not asked (%s)", bits->why); break;
	case BITS_YES:
		add(out, "yes (");
		say_sizes(bits, out);
		add(out, " beside %s)", bits->rows_shape);
		break;
	case BITS_NO:
		add(out, "no (row %d, column %d of %s %s at M = %d)", at->row, at->column, bits->rows_shape,
			at->between == BITS_BETWEEN_PLACES ? "is another one in another place" : "is another one",
			at->m);
		break;
	}
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
