/* The table of chosen schedules, for a solution to include. */
#include "tuning/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "schedules/given.h"

struct table {
	const struct tuning *tuning;
	const struct tuned_choices *choices;
};

static const struct problem_size *size_at(const struct problem *problem, size_t i)
{
	return problem->sizes[i].name != NULL ? &problem->sizes[i] : NULL;
}

/* A macro of rows: the constants are macros themselves, and could be no members of a struct. */
static void table_write(const void *what, FILE *out)
{
	const struct table *table = what;
	const struct space *space = &table->tuning->space;
	const struct problem *problem = table->tuning->plan.problem;
	const struct problem_size *size;
	fprintf(out,
			TUNING_TABLE_MARK " on %s for %s\n"
							  " * with the content %s. Each row is\n *   ROW(",
			table->tuning->gpu.name, problem->name, table->tuning->plan.content);
	for (size_t i = 0; (size = size_at(problem, i)) != NULL; i++)
		fprintf(out, "%s, ", size->name);
	fputs("beta is 0", out);
	for (size_t i = 0; i < space->constant_count; i++)
		fprintf(out, ", %s", space->names[space->constants[i].place].name);
	fputs(") */\n#define TUNED_SCHEDULES(ROW)", out);
	for (size_t row = 0; row < table->choices->count; row++) {
		const struct tuned_choice *choice = &table->choices->items[row];
		int64_t values[SPACE_CONSTANTS_MAX];
		struct error ignored;
		if (!given_parse(space, choice->constants, values, &ignored))
			continue;
		fputs(" \\\n\tROW(", out);
		for (size_t i = 0; (size = size_at(problem, i)) != NULL; i++)
			fprintf(out, "%d, ", (int)choice->shape.size[__builtin_ctz(size->is)]);
		fprintf(out, "%d", choice->beta_is_0);
		for (size_t i = 0; i < space->constant_count; i++)
			fprintf(out, ", %" PRId64, values[i]);
		fputc(')', out);
	}
	fputc('\n', out);
}

bool tuning_export(const struct tuning *tuning, const char *store, const char *file, FILE *out,
				   struct error *err)
{
	const struct tuned_key key = tuning_key(tuning, tuning->shapes[0].test);
	struct tuned_choices choices;
	if (!tuned_choices(store, &key, &choices, err))
		return error_prefix(err, "--export");
	bool ok = choices.count > 0 ||
			  error_set(err, "--export: no schedule was chosen for this file on %s yet",
						tuning->gpu.name);
	const struct table table = {.tuning = tuning, .choices = &choices};
	ok = ok && report_save_any(file, table_write, &table, err);
	if (ok && strcmp(file, "-") != 0)
		fprintf(out, "wrote %zu schedule%s to %s\n", choices.count, text_plural(choices.count),
				file);
	tuned_choices_free(&choices);
	return ok;
}
