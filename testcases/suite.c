#include "testcases/suite.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/paths.h"
#include "base/text.h"
#include "testcases/suite_inside.h"

#define LINE_MAX_BYTES 180 /* inih's own buffer holds 200 */

static int suite_key(struct suite_loader *loader, const char *name, const char *value)
{
	struct suite *suite = loader->suite;
	if (strcmp(name, "summary") == 0) {
		if (strlen(value) >= sizeof suite->summary)
			return suite_fail(loader, loader->line, "summary is longer than %zu characters",
							  sizeof suite->summary - 1);
		snprintf(suite->summary, sizeof suite->summary, "%s", value);
		return 1;
	}
	if (strcmp(name, "problem") != 0)
		return suite_fail(loader, loader->line, "[suite] knows summary and problem, not \"%.40s\"",
						  name);
	if (problem_find(value) == NULL)
		return suite_fail(loader, loader->line, "problem: \"%.40s\" is unknown", value);
	snprintf(suite->problem, sizeof suite->problem, "%s", value);
	if (strcmp(value, loader->problem->name) != 0)
		return suite_fail(loader, loader->line, "this suite is for %s, not for %s", value,
						  loader->problem->name);
	return 1;
}

/* What an operand is called besides its own name. */
static const struct {
	const char *key;
	enum part part;
} parts[] = {{"a", PART_LEFT}, {"b", PART_RIGHT}, {"c", PART_RESULT}};
#define PARTS (sizeof parts / sizeof *parts)

/* Keys of one value each. */
static const struct {
	const char *key;
	int (*parse)(struct suite_loader *loader, const char *value);
} keys[] = {{"scalars", suite_parse_scalars},
			{"shape", suite_parse_shapes},
			{"values", suite_parse_all_values},
			{"only", suite_parse_only}};
#define KEYS (sizeof keys / sizeof *keys)

/* The operand that a key names: by its own name, or as a, b and c. -1: none of this problem's. */
static int operand_of_key(const struct problem *problem, const char *key)
{
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (strcasecmp(problem->operands[i].name, key) == 0)
			return (int)i;
	for (size_t i = 0; i < PARTS; i++)
		if (strcmp(parts[i].key, key) == 0 && problem_part(problem, parts[i].part) != NULL)
			return (int)problem_part_index(problem, parts[i].part);
	return -1;
}

/* Some problem's. */
static bool is_operand_key(const char *key)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	bool known = false;
	for (size_t i = 0; i < count; i++)
		known = known || operand_of_key(&table[i], key) >= 0;
	return known;
}

static int unknown_key(struct suite_loader *loader, const char *name)
{
	const char *names[SUITE_SIZE_KEYS + PARTS + KEYS + 2];
	char known[192];
	size_t count = 0;
	for (size_t i = 0; i < SUITE_SIZE_KEYS; i++)
		names[count++] = suite_size_keys[i].key;
	names[count++] = "w";
	for (size_t i = 0; i < KEYS; i++)
		names[count++] = keys[i].key;
	for (size_t i = 0; i < PARTS; i++)
		names[count++] = parts[i].key;
	names[count++] = "an operand's name";
	return suite_fail(loader, loader->line, "unknown key \"%.40s\"; known: %s", name,
					  text_names(known, sizeof known, names, count, ", "));
}

static int group_key(struct suite_loader *loader, const char *name, const char *value)
{
	struct suite_group *group = &loader->group;
	struct suite_chosen elsewhere;
	if (strcmp(name, "w") == 0)
		return suite_parse_sizes(loader, &group->w, name, value);
	for (size_t i = 0; i < SUITE_SIZE_KEYS; i++)
		if (strcmp(name, suite_size_keys[i].key) == 0)
			return suite_parse_sizes(loader, &group->sizes[suite_size_keys[i].size], name, value);
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(name, keys[i].key) == 0)
			return keys[i].parse(loader, value);
	const struct problem_scalar *scalars = loader->problem->scalars;
	if (problem_scalars(loader->problem) == 1 && strcmp(scalars[0].name, name) == 0)
		return suite_parse_scalars(loader, value);
	int operand = operand_of_key(loader->problem, name);
	if (operand >= 0 || is_operand_key(name))
		return suite_parse_values(loader, name, value,
								  operand >= 0 ? &group->of[operand] : &elsewhere);
	return unknown_key(loader, name);
}

struct reading {
	struct suite_loader *loader;
	size_t place;
};

static int handle_line(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;
	struct suite_loader *loader = reading->loader;
	if (loader->text_error[0] != '\0')
		return 0;
	if (section[0] == '\0')
		return suite_fail(loader, loader->line, "\"%.40s\" stands before any [section]", name);
	if (strcmp(section, "suite") == 0)
		return suite_finish_group(loader, &reading->place) && suite_key(loader, name, value);
	if (!loader->in_group || strcmp(section, loader->group.name) != 0) {
		if (!suite_finish_group(loader, &reading->place) || !suite_start_group(loader, section))
			return 0;
	}
	return group_key(loader, name, value);
}

/* inih's line reader, counting lines; inih itself tells a handler nothing. */
static char *read_line(char *buffer, int capacity, void *stream)
{
	struct suite_loader *loader = ((struct reading *)stream)->loader;
	if (loader->text_error[0] != '\0' || fgets(buffer, capacity, loader->stream) == NULL)
		return NULL;
	loader->line++;
	if (*suite_skip_spaces(buffer) == '[')
		loader->section_line = loader->line;
	size_t length = strlen(buffer);
	if (length > LINE_MAX_BYTES ||
		(length > 0 && buffer[length - 1] != '\n' && !feof(loader->stream)))
		suite_fail(loader, loader->line,
				   "this line is longer than %d characters, or no text: "
				   "write the key again on the next line to continue a list",
				   LINE_MAX_BYTES);
	return buffer;
}

static bool is_file_name(const char *name)
{
	size_t length = strlen(name);
	return strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".ini") == 0);
}

static void name_suite(struct suite *suite, const char *path)
{
	const char *base = strrchr(path, '/');
	base = base != NULL ? base + 1 : path;
	size_t length = strlen(base);
	if (length > 4 && strcmp(base + length - 4, ".ini") == 0)
		length -= 4;
	if (length >= sizeof suite->name)
		length = sizeof suite->name - 1;
	memcpy(suite->name, base, length);
	suite->name[length] = '\0';
}

static bool open_suite(const char *name, const char *folder, char path[PATHS_MAX], FILE **stream,
					   struct error *err)
{
	if (is_file_name(name)) {
		if (snprintf(path, PATHS_MAX, "%s", name) >= PATHS_MAX)
			return error_set(err, "suite: path too long");
	} else if (snprintf(path, PATHS_MAX, "%s/%s.ini", folder, name) >= PATHS_MAX) {
		return error_set(err, "suite: path too long");
	}
	*stream = fopen(path, "re");
	if (*stream != NULL)
		return true;
	if (errno == ENOENT && !is_file_name(name))
		return error_set(err, "no suite \"%.80s\": there is no %s", name, path);
	return error_set(err, "suite %s: %s", path, strerror(errno));
}

static bool read_suite(struct suite_loader *loader, const char *path, struct error *err)
{
	struct reading reading = {loader, 0};
	int rc = ini_parse_stream(read_line, &reading, handle_line, &reading);
	if (ferror(loader->stream))
		return error_set(err, "suite %s: %s", path, strerror(errno));
	if (loader->text_error[0] == '\0' && rc == 0) {
		loader->line++;
		suite_finish_group(loader, &reading.place);
	}
	if (loader->text_error[0] != '\0')
		return error_set(err, "%s:%d: %s", path, loader->error_line, loader->text_error);
	if (rc != 0)
		return error_set(err, "%s:%d: expected [section] or key = value", path, rc);
	if (reading.place == 0)
		return error_set(err, "%s: the suite describes no case", path);
	return true;
}

bool suite_load(const char *name_or_file, const char *suites_folder, const struct problem *problem,
				uint64_t seed, int max_dim, struct suite *out, struct error *err)
{
	char path[PATHS_MAX];
	*out = (struct suite){0};
	struct suite_loader *loader = calloc(1, sizeof *loader);
	if (loader == NULL)
		return error_set(err, "out of memory");
	loader->problem = problem;
	loader->seed = seed;
	loader->max_dim = max_dim;
	loader->suite = out;

	bool good = open_suite(name_or_file, suites_folder, path, &loader->stream, err);
	if (good) {
		name_suite(out, path);
		good = read_suite(loader, path, err);
		fclose(loader->stream);
	}
	free(loader);
	if (!good)
		suite_free(out);
	return good;
}

void suite_free(struct suite *suite)
{
	free(suite->cases);
	*suite = (struct suite){0};
}
