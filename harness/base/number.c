#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool number_whole(const char *text, uint64_t max, uint64_t *out)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hexadecimal ? text + 2 : text;
	/* strtoull would also take blanks, signs and octal */
	if (!(hexadecimal ? isxdigit((unsigned char)digits[0]) : isdigit((unsigned char)digits[0])))
		return false;
	char *end;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hexadecimal ? 16 : 10);
	if (errno != 0 || *end != '\0' || value > max)
		return false;
	*out = value;
	return true;
}

bool number_real(const char *text, double *out)
{
	/* strtod would also take blanks, "inf", "nan" and hexadecimal */
	if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
		return false;
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(value))
		return false;
	*out = value;
	return true;
}
