#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

bool error_set(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	text_vformat(err->message, sizeof err->message, format, args);
	va_end(args);
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof err->message];
	memcpy(old, err->message, sizeof old);

	va_list args;
	va_start(args, format);
	bool fits = text_vformat(err->message, sizeof err->message, format, args);
	va_end(args);

	size_t length = strlen(err->message);
	if (fits)
		text_format(err->message + length, sizeof err->message - length, ": %s", old);
	return false;
}
