/* Lines on stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emulator/runtime/runtime.h"

void runtime_say(const char *format, ...)
{
	char line[2048] = "emulated GPU: ";
	size_t used = strlen(line);
	va_list arguments;
	va_start(arguments, format);
	int wrote = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
	va_end(arguments);
	if (wrote > 0)
		used += (size_t)wrote < sizeof line - used - 1 ? (size_t)wrote : sizeof line - used - 2;
	line[used++] = '\n';
	fflush(stdout); /* keeps a kernel's printf output before the line about its fault */
	ssize_t ignored = write(STDERR_FILENO, line, used);
	(void)ignored;
}
