#include "cli/tune_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/schedules.h"
#include "report/report.h"
#include "store/place.h"
#include "store/tuned.h"
#include "tune/given.h"

bool tune_files_hold(const struct options *options, struct error *err)
{
	if (options->export_table == NULL)
		return true;
	if (options->check)
		return error_set(err, "--export and --check: give one of them");
	return !options->no_store || error_set(err, "--export writes what is in the store: it does not "
												"go with --no-store");
}

/* ---- the store ------------------------------------------------------------------------ */

struct place {
	char path[PATHS_MAX];
	char flags[4096];
	struct tuned_key key;
};

/* The key of the first shape. False with err where there is no store. */
static bool place_open(const struct tuned *tuned, struct place *out, struct error *err)
{
	const struct options *options = tuned->options;
	const char *epilogue = options->judge.epilogue;
	if (!store_place(options->store, out->path, err))
		return false;
	if (out->path[0] == '\0')
		return error_set(err, "GEMMJUDGE_STORE is 'none', and results are in a store: name it with "
							  "--store");
	schedules_join_flags(&options->judge, out->flags, sizeof out->flags);
	out->key = (struct tuned_key){.device = tuned->gpu.name,
								  .problem = tuned->plan.problem,
								  .content = tuned->plan.content,
								  .epilogue = epilogue != NULL ? epilogue : "",
								  .flags = out->flags,
								  .test = tuned->shapes[0].test};
	return true;
}

/* ---- the table for a solution ------------------------------------------------------------- */

struct table {
	const struct tuned *tuned;
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
	const struct space *space = &table->tuned->space;
	const struct problem *problem = table->tuned->plan.problem;
	const struct problem_size *size;
	fprintf(out,
			TUNE_TABLE_MARK " on %s for %s\n"
							" * with the content %s. Each row is\n *   ROW(",
			table->tuned->gpu.name, problem->name, table->tuned->plan.content);
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
		if (!schedule_parse(space, choice->constants, values, &ignored))
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

bool tune_files_write(const struct tuned *tuned, FILE *out, struct error *err)
{
	const char *file = tuned->options->export_table;
	struct place place;
	struct tuned_choices choices;
	if (file == NULL)
		return true;
	if (!place_open(tuned, &place, err) || !tuned_choices(place.path, &place.key, &choices, err))
		return error_prefix(err, "--export");
	bool ok =
		choices.count > 0 ||
		error_set(err, "--export: no schedule was chosen for this file on %s yet", tuned->gpu.name);
	const struct table table = {.tuned = tuned, .choices = &choices};
	ok = ok && report_save_any(file, table_write, &table, err);
	if (ok && strcmp(file, "-") != 0)
		fprintf(out, "wrote %zu schedule%s to %s\n", choices.count, text_plural(choices.count),
				file);
	tuned_choices_free(&choices);
	return ok;
}
