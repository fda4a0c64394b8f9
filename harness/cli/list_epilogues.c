/* gemmjudge list epilogues: the stages, and what each takes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "chain/chain.h"
#include "cli/file_summary.h"
#include "cli/list_epilogues.h"
#include "report/wrap.h"

#define COLUMNS 80
#define NAME_COLUMNS 15
#define ENDING ".cuh"

static int is_stage(const struct dirent *entry)
{
	const char *name = entry->d_name;
	size_t length = strlen(name), tail = strlen(ENDING);
	return name[0] != '.' && length > tail && strcmp(name + length - tail, ENDING) == 0 &&
		   !chain_is_contract(name);
}

static const char *what_of(const struct chain_member *member)
{
	return member->kind == CHAIN_SUM     ? "sum"
		   : member->kind == CHAIN_MAX   ? "max"
		   : member->kind == CHAIN_EXACT ? "sum, deterministic"
										 : chain_type_name(member->type);
}

/* "clamp:low=0:high=6" and "reads bias (N)". */
static void describe(const struct chain_stage *stage, const char *summary, char *out, size_t size)
{
	static const char *const verbs[] = {[CHAIN_INPUT] = "Reads",
										[CHAIN_OUTPUT] = "Writes",
										[CHAIN_SUM] = "Reduces to",
										[CHAIN_MAX] = "Reduces to",
										[CHAIN_EXACT] = "Reduces to"};
	size_t used = (size_t)snprintf(out, size, "%s", summary);
	for (uint32_t i = 0; i < stage->count && used < size; i++) {
		const struct chain_member *member = &stage->members[i];
		const char *lead = used > 0 ? " " : "", *type = what_of(member);
		char extent[CHAIN_EXTENT_TEXT];
		chain_extent_text(member, extent);
		if (member->kind == CHAIN_ARGUMENT)
			used += (size_t)snprintf(out + used, size - used, "%sArgument %s (%g).", lead,
									 member->name, (double)member->value);
		else
			used += (size_t)snprintf(out + used, size - used, "%s%s %s (%s%s%s).", lead,
									 verbs[member->kind], member->name, extent,
									 type[0] != '\0' ? ", " : "", type);
	}
}

static void list_stage(const char *folder, const char *file)
{
	char path[2 * PATHS_MAX], name[64], summary[FILE_SUMMARY_MAX], line[1024];
	struct chain_stage stage;
	struct error err;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(ENDING)), file);
	file_summary(path, summary);
	if (chain_read_stage(path, &stage, &err))
		describe(&stage, summary, line, sizeof line);
	else
		snprintf(line, sizeof line, "%s", err.message);
	int column = printf("  %-*s ", NAME_COLUMNS, name);
	wrap_print(stdout, COLUMNS, column, column, line);
}

bool list_epilogues(struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	if (!paths_source(source, err) || !paths_join(folder, source, "epilogues", err))
		return false;
	struct dirent **names;
	int count = scandir(folder, &names, is_stage, alphasort);
	puts("epilogues (--epilogue alpha_beta,bias,clamp:0:6)");
	for (int i = 0; i < count; i++) {
		list_stage(folder, names[i]->d_name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return true;
}
