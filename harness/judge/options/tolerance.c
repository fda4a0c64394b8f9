#include "judge/options/tolerance.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"

#define NUMBERS_MAX 3

/* How many numbers the text is, with commas between them; 0: it is something else. */
static size_t take_numbers(const char *text, double out[NUMBERS_MAX])
{
	for (size_t count = 0; count < NUMBERS_MAX;) {
		char word[64];
		size_t length = strcspn(text, ",");
		snprintf(word, sizeof word, "%.*s", (int)length, text);
		if (length >= sizeof word || !number_real(word, &out[count++]))
			return 0;
		if (text[length] == '\0')
			return count;
		text += length + 1;
	}
	return 0;
}

bool tolerance_parse(const char *text, struct tolerance_request *out, struct error *err)
{
	static const char *const names[] = {"bound", "leetgpu"};
	*out = (struct tolerance_request){.text = NULL};
	if (strcmp(text, names[0]) == 0)
		return true;
	out->text = text;
	out->leetgpu = strcmp(text, names[1]) == 0;
	if (out->leetgpu)
		return true;
	struct tolerance *flat = &out->given;
	flat->kind = TOLERANCE_FLAT;
	double numbers[NUMBERS_MAX] = {0, 0, 1};
	char phrase[160];
	const size_t count = take_numbers(text, numbers);
	flat->atol = numbers[0];
	flat->rtol = numbers[1];
	flat->beyond = 1 - numbers[2];
	return (count >= 2 && flat->atol >= 0 && flat->rtol >= 0 && numbers[2] > 0 &&
			numbers[2] <= 1) ||
		   error_set(err,
					 "--tolerance '%s': bound, leetgpu, ATOL,RTOL, or ATOL,RTOL,SHARE with a share "
					 "above 0 and up to 1 is needed%s",
					 text, suggest_phrase(phrase, text, names, 2));
}

struct tolerance tolerance_of(const struct tolerance_request *request,
							  const struct problem *problem)
{
	if (!request->leetgpu)
		return request->given;
	return (struct tolerance){
		.kind = TOLERANCE_FLAT, .atol = problem->leetgpu_atol, .rtol = problem->leetgpu_rtol};
}
