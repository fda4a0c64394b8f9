#include "chain/cost.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EVERY "alpha_beta"
#define BRANCHES "branches"

struct cost_row {
	char stage[CHAIN_NAME_MAX], element[8], branches[16];
	double instructions, special;
};

static bool row_read(const char *line, struct cost_row *out)
{
	*out = (struct cost_row){.branches = ""};
	int fields = sscanf(line, "%31s %7s %lf %lf %15s", out->stage, out->element, &out->instructions,
						&out->special, out->branches);
	return fields == 4 || (fields == 5 && strcmp(out->branches, BRANCHES) == 0);
}

/* A row may be of several stages: a chain may have one twice. */
static void row_add(const struct cost_row *row, const struct chain *chain, const char *element,
					bool counted[CHAIN_STAGES_MAX], struct chain_cost *out)
{
	if (strcmp(row->element, element) != 0)
		return;
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct chain_stage *stage = &chain->stages[i];
		if (!stage->shipped || strcmp(stage->name, row->stage) != 0)
			continue;
		counted[i] = true;
		out->instructions += row->instructions;
		out->special += row->special;
		out->branches = out->branches || row->branches[0] != '\0';
	}
}

bool chain_cost_read(const struct chain *chain, const char *table, const char *element,
					 struct chain_cost *out, struct error *err)
{
	char line[256];
	struct cost_row row;
	bool counted[CHAIN_STAGES_MAX] = {false}, ok = true;
	*out = (struct chain_cost){0};
	FILE *file = fopen(table, "re");
	if (file == NULL)
		return error_set(err, "%s: %s", table, strerror(errno));
	for (unsigned number = 1; ok && fgets(line, sizeof line, file) != NULL; number++) {
		if (line[0] == '#')
			continue;
		ok = row_read(line, &row) ||
			 error_set(err, "%s:%u: no row; tools/stage-costs write makes the file anew", table,
					   number);
		if (ok)
			row_add(&row, chain, element, counted, out);
	}
	fclose(file);
	for (uint32_t i = 0; i < chain->count && out->uncounted[0] == '\0'; i++)
		if (!counted[i] && strcmp(chain->stages[i].name, EVERY) != 0)
			snprintf(out->uncounted, sizeof out->uncounted, "%s", chain->stages[i].name);
	return ok;
}
