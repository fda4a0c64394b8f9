#include "judge/submission/serialised.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/ptxas.h"
#include "judgement/layers.h"

/* "... instructions are serialized due to ... in the function '_Z1kv'" */
#define NOTE "wgmma.mma_async instructions are serialized"
#define IN_FUNCTION "function '"

char *serialised_names(const char *log)
{
	char *names = NULL;
	size_t size = 0;
	FILE *to = log != NULL && strstr(log, NOTE) != NULL ? open_memstream(&names, &size) : NULL;
	if (to == NULL)
		return NULL;
	for (const char *at = log; (at = strstr(at, NOTE)) != NULL; at += strcspn(at, "\n")) {
		const char *name = strstr(at, IN_FUNCTION);
		if (name == NULL || name > at + strcspn(at, "\n"))
			continue;
		name += strlen(IN_FUNCTION);
		fprintf(to, "%s%.*s", ftell(to) > 0 ? "," : "", (int)strcspn(name, "'\n"), name);
	}
	fclose(to);
	if (names != NULL && names[0] != '\0')
		return names;
	free(names);
	return NULL;
}

/* "ptxas info    : Compiling entry function '_Z1kv' for 'sm_90a'", and below it "... Used 40
 * registers, ...". */
char *serialised_registers(const char *log)
{
	static const char entry[] = "Compiling entry function '", used[] = "Used ";
	char *numbers = NULL;
	size_t size = 0;
	FILE *to = log != NULL && strstr(log, entry) != NULL ? open_memstream(&numbers, &size) : NULL;
	const char *name = NULL;
	for (const char *line = log; to != NULL && *line != '\0';) {
		const char *end = line + strcspn(line, "\n"), *at = strstr(line, entry);
		if (at != NULL && at < end)
			name = at + sizeof entry - 1;
		at = strstr(line, used);
		int registers = at != NULL && at < end ? (int)strtol(at + sizeof used - 1, NULL, 10) : 0;
		if (registers > 0 && name != NULL) {
			fprintf(to, "%s%.*s=%d", ftell(to) > 0 ? "," : "", (int)strcspn(name, "'\n"), name,
					registers);
			name = NULL;
		}
		line = end + (*end == '\n');
	}
	if (to != NULL)
		fclose(to);
	if (numbers != NULL && numbers[0] != '\0')
		return numbers;
	free(numbers);
	return NULL;
}

/* Behind a kernel's name in a list of them, with commas between and "=..." behind each or not;
 * NULL: it is not there. */
static const char *find_kernel(const char *list, const char *name, size_t length)
{
	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && (strchr(",=", at[length]) != NULL))
			return at + length;
	}
	return NULL;
}

static int registers_of(const char *list, const char *name, size_t length)
{
	const char *behind = find_kernel(list, name, length);
	return behind != NULL && *behind == '=' ? (int)strtol(behind + 1, NULL, 10) : 0;
}

/* The lists of what each of ptxas's reports says. */
struct said {
	size_t count;
	char *serialised[PTXAS_IMAGES], *registers[PTXAS_IMAGES];
};

/* A file can bring PTX of its own beside what nvcc made, with kernels of the same names: one is
 * serialised where all say so, */
static bool all_serialise(const struct said *said, const char *name, size_t length)
{
	bool all = true;
	for (size_t i = 0; i < said->count && all; i++)
		all = find_kernel(said->registers[i], name, length) == NULL ||
			  find_kernel(said->serialised[i], name, length) != NULL;
	return all;
}

/* and takes the most registers that one says. */
static bool takes_most(const struct said *said, size_t which, const char *name, size_t length)
{
	const int own = registers_of(said->registers[which], name, length);
	bool most = true;
	for (size_t i = 0; i < said->count && most; i++) {
		const int other = registers_of(said->registers[i], name, length);
		most = i < which ? other < own : other <= own;
	}
	return most;
}

/* The list of the kernels in `lists` for which that holds; NULL: none. */
static char *merge(const struct said *said, bool serialised)
{
	char *merged = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&merged, &size);
	for (size_t i = 0; i < said->count && to != NULL; i++) {
		const char *at = serialised ? said->serialised[i] : said->registers[i];
		for (size_t item; at != NULL && *at != '\0'; at += item + (at[item] == ',')) {
			const size_t length = strcspn(at, ",=");
			item = strcspn(at, ",");
			if (serialised ? all_serialise(said, at, length) : takes_most(said, i, at, length))
				fprintf(to, "%s%.*s", ftell(to) > 0 ? "," : "", (int)item, at);
		}
	}
	if (to != NULL)
		fclose(to);
	if (merged != NULL && merged[0] != '\0')
		return merged;
	free(merged);
	return NULL;
}

void serialised_of_reports(const char *const *reports, size_t count, char **serialised,
						   char **registers)
{
	struct said said = {.count = count};
	for (size_t i = 0; i < count; i++) {
		said.serialised[i] = serialised_names(reports[i]);
		said.registers[i] = serialised_registers(reports[i]);
	}
	*serialised = merge(&said, true);
	*registers = merge(&said, false);
	for (size_t i = 0; i < count; i++) {
		free(said.serialised[i]);
		free(said.registers[i]);
	}
}

/* The reports go behind nvcc's messages, which the report of the judgement shows. */
static void add_to_log(struct submission *s, const struct ptxas_reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		text_append(&s->compiled.log, reports->at[i]);
}

void serialised_ask(const struct run *run, struct submission *s)
{
	const struct compile_options options = {
		.architecture = s->machine + strlen("sm_"),
		.flags = s->flags,
		.unjailed = (run->options->limits.without & LAYER_COMPILER) != 0,
		.seconds = run_compile_seconds(run->options),
		.control = run->control};
	struct ptxas_reports reports;
	struct error ignored;
	s->ptxas_asked = true;
	if (ptxas_ask(&options, s->compiled.library, &reports, &ignored)) {
		serialised_of_reports((const char *const *)reports.at, reports.count, &s->serialised,
							  &s->registers);
		if (s->serialised != NULL && !run->options->emulation.uses)
			add_to_log(s, &reports);
	}
	ptxas_free(&reports);
}
