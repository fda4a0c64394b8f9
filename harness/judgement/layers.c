#include <stdio.h>
#include <string.h>

#include "judgement/layers.h"

static const struct {
	unsigned layers;
	const char *name;
} names[] = {{LAYER_FILES, "files"},
			 {LAYER_CALLS, "calls"},
			 {LAYER_NAMESPACES, "namespaces"},
			 {LAYER_COMPILER, "compiler"},
			 {LAYER_SEALED, "sealed"}};
#define NAMES (sizeof names / sizeof *names)

const char *layers_name(size_t i, unsigned *layer)
{
	if (i >= NAMES)
		return NULL;
	*layer = names[i].layers;
	return names[i].name;
}

const char *layers_print(unsigned layers, char out[LAYERS_TEXT])
{
	size_t used = 0;
	snprintf(out, LAYERS_TEXT, "none");
	for (size_t i = 0; i < NAMES; i++)
		if ((layers & names[i].layers) != 0)
			used += (size_t)snprintf(out + used, LAYERS_TEXT - used, "%s%s", used > 0 ? ", " : "",
									 names[i].name);
	return out;
}

static unsigned layers_of(const char *word, size_t length)
{
	if (length == 4 && memcmp(word, "jail", 4) == 0)
		return LAYER_ALL;
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i].name) == length && memcmp(word, names[i].name, length) == 0)
			return names[i].layers;
	return 0;
}

bool layers_parse(const char *text, unsigned *layers, struct error *err)
{
	*layers = 0;
	for (const char *word = text;; word++) {
		size_t length = strcspn(word, ",");
		unsigned found = layers_of(word, length);
		if (found == 0)
			return error_set(
				err,
				"'%.*s' is no layer: files, calls, namespaces and compiler are, jail is "
				"all of them, and sealed is that times are sealed",
				(int)length, word);
		*layers |= found;
		word += length;
		if (*word == '\0')
			return true;
	}
}
