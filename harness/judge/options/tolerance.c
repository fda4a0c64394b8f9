#include "judge/options/tolerance.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"

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
	char first[64], phrase[160];
	size_t length = strcspn(text, ",");
	snprintf(first, sizeof first, "%.*s", (int)length, text);
	return (text[length] == ',' && length < sizeof first && number_real(first, &flat->atol) &&
			number_real(text + length + 1, &flat->rtol) && flat->atol >= 0 && flat->rtol >= 0) ||
		   error_set(err, "--tolerance '%s': bound, leetgpu, or ATOL,RTOL is needed%s", text,
					 suggest_phrase(phrase, text, names, 2));
}

struct tolerance tolerance_of(const struct tolerance_request *request,
							  const struct problem *problem)
{
	if (!request->leetgpu)
		return request->given;
	return (struct tolerance){TOLERANCE_FLAT, problem->leetgpu_atol, problem->leetgpu_rtol};
}
