#include "judge/options/sweep.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define FIRST 64
#define LAST 8192

static const char names[SIZE_COUNT] = {[SIZE_M] = 'M', [SIZE_N] = 'N', [SIZE_K] = 'K'};

struct sweep sweep_of(enum size over)
{
	struct sweep sweep = {.over = over};
	for (int32_t value = FIRST; value <= LAST; value *= 2)
		sweep.values[sweep.count++] = value;
	return sweep;
}

static bool name_parse(char name, enum size *over)
{
	for (size_t i = 0; i < SIZE_COUNT; i++)
		if (names[i] != '\0' && toupper((unsigned char)name) == names[i]) {
			*over = (enum size)i;
			return true;
		}
	return false;
}

/* "64,128": each value between commas. */
static bool values_parse(const char *text, struct sweep *out)
{
	for (const char *at = text;; at++) {
		char number[16];
		uint64_t value;
		size_t length = strcspn(at, ",");
		if (length >= sizeof number || out->count == SWEEP_VALUES_MAX)
			return false;
		snprintf(number, sizeof number, "%.*s", (int)length, at);
		if (!number_whole(number, SIZE_LARGEST, &value) || value == 0)
			return false;
		out->values[out->count++] = (int32_t)value;
		at += length;
		if (*at == '\0')
			return true;
	}
}

bool sweep_parse(const char *text, struct sweep *out, struct error *err)
{
	enum size over;
	bool named = name_parse(text[0], &over) && (text[1] == '\0' || text[1] == '=');
	if (!named)
		return error_set(
			err, "--over '%s': M, N or K is needed, or values of it, as in K=64,128,256", text);
	if (text[1] == '\0') {
		*out = sweep_of(over);
		return true;
	}
	*out = (struct sweep){.over = over};
	return values_parse(text + 2, out) ||
		   error_set(err,
					 "--over '%s': whole numbers from 1 to %d are needed, commas between them, %d "
					 "at most",
					 text, SIZE_LARGEST, SWEEP_VALUES_MAX);
}

void sweep_print(const struct sweep *sweep, char out[SWEEP_TEXT])
{
	const struct sweep whole = sweep_of(sweep->over);
	size_t used = 0;
	out[0] = '\0';
	if (sweep->count == 0)
		return;
	used += (size_t)snprintf(out, SWEEP_TEXT, "%c", names[sweep->over]);
	if (sweep->count == whole.count &&
		memcmp(sweep->values, whole.values, whole.count * sizeof *whole.values) == 0)
		return;
	for (size_t i = 0; i < sweep->count; i++)
		used += (size_t)snprintf(out + used, SWEEP_TEXT - used, "%c%d", i == 0 ? '=' : ',',
								 (int)sweep->values[i]);
}
