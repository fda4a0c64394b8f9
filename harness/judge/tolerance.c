#include "judge/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tolerance_parse(const char *text, const struct problem *problem, struct tolerance *out,
					 struct error *err)
{
	if (text == NULL || strcmp(text, "bound") == 0) {
		*out = (struct tolerance){.kind = TOLERANCE_BOUND};
		return true;
	}
	*out = (struct tolerance){.kind = TOLERANCE_FLAT};
	if (strcmp(text, "leetgpu") == 0) {
		out->atol = problem->leetgpu_atol;
		out->rtol = problem->leetgpu_rtol;
		return true;
	}
	char *end;
	out->atol = strtod(text, &end);
	if (end != text && *end == ',') {
		const char *second = end + 1;
		out->rtol = strtod(second, &end);
		if (end != second && *end == '\0' && isfinite(out->atol) && isfinite(out->rtol) &&
			out->atol >= 0.0 && out->rtol >= 0.0)
			return true;
	}
	return error_set(err, "tolerance '%s': use bound, leetgpu or two numbers ATOL,RTOL", text);
}
