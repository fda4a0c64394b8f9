#include "compile/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/paths.h"
#include "compile/bytes.h"
#include "compile/stand_in.h"

#define EPILOGUES "/epilogues/" /* of the source tree */

/* Calls `visit` with each path of a list, one a line; stops when it says so. */
static bool each_line(char *text, bool (*visit)(const char *path, void *context), void *context)
{
	char *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (!visit(line, context))
			return false;
	return true;
}

/* "target : a \<newline> b\ c" becomes "a<newline>b c<newline>", in place: it only
 * gets shorter. */
static void dependencies_to_lines(char *text)
{
	char *from = strstr(text, ":"), *to = text;
	bool within = false;
	from = from != NULL ? from + 1 : text + strlen(text);
	for (; *from != '\0'; from++) {
		bool escaped = *from == '\\' && (from[1] == ' ' || from[1] == '#' || from[1] == '\\');
		bool doubled = *from == '$' && from[1] == '$';
		bool separator =
			*from == ' ' || *from == '\n' || *from == '\t' || (*from == '\\' && from[1] == '\n');
		if (separator) {
			if (within)
				*to++ = '\n';
			within = false;
			continue;
		}
		if (escaped || doubled)
			from++;
		*to++ = *from;
		within = true;
	}
	*to = '\0';
}

static bool begins_with(const char *path, const char *folder)
{
	return strncmp(path, folder, strlen(folder)) == 0;
}

/* A list in the making. */
struct list {
	FILE *to;
	const char *folder;   /* of the compilation */
	char tree[PATHS_MAX]; /* of sources, "" where there is none */
	bool moved;           /* it was compiled as STAND_IN_PATH: other names are of #line alone */
};

static bool add_line(const char *path, void *context)
{
	const struct list *list = context;
	const size_t folder = strlen(list->folder), tree = strlen(list->tree);
	bool below = begins_with(path, list->folder) && path[folder] == '/';
	bool ours = tree > 0 && begins_with(path, list->tree) && begins_with(path + tree, EPILOGUES);
	bool given = begins_with(path, STAND_IN_FOLDER) || (list->moved && path[0] != '/');
	if (!below && !given)
		fprintf(list->to, "%s%s\n", ours ? "/" : "", ours ? path + tree : path);
	return true;
}

char *inputs_read(const char *folder)
{
	char path[PATHS_MAX], *lines = NULL;
	struct list list = {.folder = folder};
	struct error ignored;
	size_t size;
	if (!paths_source(list.tree, &ignored))
		list.tree[0] = '\0';
	char *text =
		paths_join(path, folder, "dependencies", &ignored) ? bytes_read_file(path, &size) : NULL;
	list.to = text != NULL ? open_memstream(&lines, &size) : NULL;
	if (list.to != NULL) {
		dependencies_to_lines(text);
		list.moved = strstr(text, STAND_IN_PATH "\n") != NULL;
		each_line(text, add_line, &list);
		fclose(list.to);
	}
	free(text);
	return lines;
}

/* Where an input lies here. */
static const char *place_of(const char *input, char path[PATHS_MAX])
{
	struct error ignored;
	char tree[PATHS_MAX];
	bool ours = begins_with(input, "/" EPILOGUES) && paths_source(tree, &ignored) &&
				paths_join(path, tree, input + 2, &ignored);
	return ours ? path : input;
}

static bool hash_input(const char *input, void *context)
{
	char path[PATHS_MAX];
	struct error ignored;
	hash_add_text(context, input);
	return input[0] == '/' && bytes_hash_file(context, place_of(input, path), &ignored);
}

bool inputs_hash(char *inputs, struct hash *hash)
{
	return each_line(inputs, hash_input, hash);
}

struct change {
	double since, until;
	bool found;
};

static bool look_for_change(const char *input, void *context)
{
	struct change *change = context;
	struct stat facts = {0};
	char path[PATHS_MAX];
	if (stat(place_of(input, path), &facts) != 0)
		change->found = true;
	double changed = (double)facts.st_mtim.tv_sec + (double)facts.st_mtim.tv_nsec * 1e-9;
	if (changed >= change->since && changed <= change->until)
		change->found = true;
	return !change->found;
}

bool inputs_changed(const char *folder, double since)
{
	struct change change = {.since = since, .until = (double)time(NULL) + 1.0};
	char *inputs = inputs_read(folder);
	if (inputs == NULL)
		return true;
	each_line(inputs, look_for_change, &change);
	free(inputs);
	return change.found;
}
