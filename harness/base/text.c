#include "base/text.h"

#include <stdlib.h>
#include <string.h>

bool text_append(char **text, const char *more)
{
	size_t used = *text != NULL ? strlen(*text) : 0, length = strlen(more);
	char *both = realloc(*text, used + length + 1);
	if (both == NULL)
		return false;
	memcpy(both + used, more, length + 1);
	*text = both;
	return true;
}
