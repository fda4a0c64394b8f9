#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof err->message];
	memcpy(old, err->message, sizeof old);

	va_list args;
	va_start(args, format);
	int length = vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);

	if (length >= 0 && (size_t)length < sizeof err->message)
		snprintf(err->message + length, sizeof err->message - (size_t)length, ": %s", old);
	return false;
}
