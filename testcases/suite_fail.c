/* The first error of a suite that is read. */
#include <stdarg.h>

#include "testcases/suite_inside.h"

int suite_fail(struct suite_loader *loader, int line, const char *format, ...)
{
	if (loader->text_error[0] != '\0')
		return 0;
	va_list args;
	va_start(args, format);
	vsnprintf(loader->text_error, sizeof loader->text_error, format, args);
	va_end(args);
	/* The message may quote the file, and a terminal obeys control characters. */
	for (char *at = loader->text_error; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	loader->error_line = line;
	return 0;
}
