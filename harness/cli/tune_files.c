#include "cli/tune_files.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/schedules.h"
#include "cli/stored.h"
#include "report/report.h"
#include "report/wrap.h"
#include "store/place.h"
#include "tune/exchange.h"
#include "tune/given.h"

#define T4_VERSION "1.0.0"
#define WIDTH 80

/* Outcomes by the names of T4, the first of each as it is written. */
static const struct {
	const char *name;
	enum search_outcome outcome;
} invalidities[] = {
	{"correct", SEARCH_MEASURED}, {"compile", SEARCH_NOT_COMPILED},
	{"runtime", SEARCH_NOT_RUN},  {"correctness", SEARCH_WRONG},
	{"timeout", SEARCH_NOT_RUN},  {"constraints", SEARCH_NOT_RUN},
};
#define INVALIDITIES (sizeof invalidities / sizeof *invalidities)

bool tune_files_hold(const struct options *options, struct error *err)
{
	const char *one = options->export_space != NULL     ? "--export-space"
					  : options->export_results != NULL ? "--export-results"
					  : options->import_results != NULL ? "--import-results"
														: NULL;
	const char *any = one != NULL ? one : options->export_table != NULL ? "--export" : NULL;
	if (any != NULL && options->judge_ranked)
		return error_set(err, "%s and --judge: give one of them", any);
	if (any != NULL && one != any && options->no_store)
		return error_set(err, "--export writes what is in the store: it does not go with "
							  "--no-store");
	return one == NULL || (options->judge.shape_count <= 1 && options->judge.suite_count == 0) ||
		   error_set(err, "%s is about one shape: give one --shape", one);
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
	if (options->no_store)
		return error_set(err, "results are in the store: it does not go with --no-store");
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

/* ---- T4 ---------------------------------------------------------------------------------- */

static json_t *measurement(const char *name, double microseconds)
{
	return json_pack("{s:s, s:f, s:s}", "name", name, "value", microseconds / 1000, "unit", "ms");
}

static json_t *result_json(const struct space *space, const struct tuned_trial *trial)
{
	int64_t values[SPACE_CONSTANTS_MAX];
	struct error ignored;
	const char *name = "runtime";
	if (!schedule_parse(space, trial->constants, values, &ignored))
		return NULL; /* of a file that declared others: it had this hash by chance */
	for (size_t i = INVALIDITIES; i-- > 0;)
		if (strcmp(trial->outcome, search_outcome_names[invalidities[i].outcome]) == 0)
			name = invalidities[i].name;
	json_t *measurements = json_array(), *runtimes = json_array();
	if (trial->median > 0) {
		json_array_append_new(runtimes, json_real(trial->median / 1000));
		json_array_append_new(measurements, measurement("time", trial->median));
		json_array_append_new(measurements, measurement("time_low", trial->low));
		json_array_append_new(measurements, measurement("time_high", trial->high));
	}
	return json_pack("{s:s, s:o, s:[s], s:{s:o}, s:s, s:i, s:o}", "timestamp", trial->when,
					 "configuration", tune_constants_json(space, values), "objectives", "time",
					 "times", "runtimes", runtimes, "invalidity", name, "correctness",
					 strcmp(name, "correctness") != 0, "measurements", measurements);
}

json_t *tune_results_json(const struct space *space, const struct tuned_trials *trials)
{
	json_t *results = json_array();
	for (size_t i = 0; i < trials->count; i++)
		json_array_append_new(results, result_json(space, &trials->items[i]));
	return json_pack("{s:s, s:o}", "schema_version", T4_VERSION, "results", results);
}

/* Microseconds of {"value", "unit"}; 0: not above 0, or no unit that is known. */
static double read_time(const json_t *json)
{
	static const struct {
		const char *unit;
		double microseconds;
	} units[] = {{"ms", 1e3}, {"us", 1}, {"ns", 1e-3}, {"s", 1e6}, {"", 1e3}};
	const char *unit = json_string_value(json_object_get(json, "unit"));
	const double value = json_number_value(json_object_get(json, "value"));
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit != NULL ? unit : "ms", units[i].unit) == 0)
			return value > 0 && isfinite(value) ? value * units[i].microseconds : 0;
	return 0;
}

/* The measurement "time", else the mean of the run times (milliseconds). */
static double find_time(const json_t *json, const char *name)
{
	const json_t *measurements = json_object_get(json, "measurements");
	const json_t *runtimes = json_object_get(json_object_get(json, "times"), "runtimes");
	double sum = 0;
	for (size_t i = 0; i < json_array_size(measurements); i++) {
		const json_t *one = json_array_get(measurements, i);
		const char *called = json_string_value(json_object_get(one, "name"));
		if (called != NULL && strcmp(called, name) == 0)
			return read_time(one);
	}
	if (strcmp(name, "time") != 0 || json_array_size(runtimes) == 0)
		return 0;
	for (size_t i = 0; i < json_array_size(runtimes); i++)
		sum += json_number_value(json_array_get(runtimes, i));
	return sum > 0 && isfinite(sum) ? sum / (double)json_array_size(runtimes) * 1e3 : 0;
}

bool tune_result_read(const json_t *json, const struct space *space, struct tuned_trial *out,
					  struct error *err)
{
	const json_t *configuration = json_object_get(json, "configuration");
	const char *invalidity = json_string_value(json_object_get(json, "invalidity"));
	int64_t values[SPACE_CONSTANTS_MAX];
	size_t known = 0;
	*out = (struct tuned_trial){0};
	for (size_t i = 0; i < space->constant_count; i++) {
		const char *name = space->names[space->constants[i].place].name;
		const json_t *value = json_object_get(configuration, name);
		if (!json_is_integer(value))
			return error_set(err, "its configuration has no whole number %s", name);
		values[i] = json_integer_value(value);
	}
	while (known < INVALIDITIES &&
		   (invalidity == NULL || strcmp(invalidity, invalidities[known].name) != 0))
		known++;
	if (known == INVALIDITIES)
		return error_set(err, "its 'invalidity' is none of T4's");
	enum search_outcome outcome = invalidities[known].outcome;
	if (outcome == SEARCH_MEASURED) {
		out->median = find_time(json, "time");
		out->low = find_time(json, "time_low");
		out->high = find_time(json, "time_high");
		if (!(out->median > 0))
			return error_set(err, "it is correct and has no time");
		out->low = out->low > 0 ? out->low : out->median;
		out->high = out->high > 0 ? out->high : out->median;
		out->samples = 1;
	}
	schedule_print(space, values, out->constants);
	snprintf(out->outcome, sizeof out->outcome, "%s", search_outcome_names[outcome]);
	return true;
}

static json_t *results_load(const char *file, struct error *err)
{
	json_error_t why;
	json_t *json = json_load_file(file, JSON_REJECT_DUPLICATES, &why);
	if (json == NULL && why.line < 1)
		error_set(err, "--import-results: %s", why.text);
	else if (json == NULL)
		error_set(err, "%s:%d: %s", file, why.line, why.text);
	else if (!json_is_array(json_object_get(json, "results")))
		error_set(err, "%s: has no list \"results\": it is no file in the T4 format", file);
	else
		return json;
	json_decref(json);
	return NULL;
}

/* The fastest one, where nothing was chosen at this shape. */
static bool choose_imported(const struct place *place, const struct tuned_trial *best, size_t tried,
							FILE *out, struct error *err)
{
	struct tuned_choices choices;
	struct tuned_choice choice = {.tried = (int64_t)tried, .median = best->median};
	bool exact;
	if (!tuned_choices(place->path, &place->key, &choices, err))
		return false;
	tuned_nearest(&choices, place->key.test, &exact);
	tuned_choices_free(&choices);
	if (exact)
		return true;
	choice.beta_is_0 = place->key.test->scalar[SCALAR_BETA] == 0.0f;
	snprintf(choice.constants, sizeof choice.constants, "%s", best->constants);
	if (!tuned_choose(place->path, &place->key, &choice, err))
		return false;
	char line[TUNED_CONSTANTS + 128];
	snprintf(line, sizeof line, "chose the fastest of them, which was not judged here: %s",
			 best->constants);
	wrap_print(out, WIDTH, 0, 0, line);
	return true;
}

static bool import_all(const struct tuned *tuned, struct place *place, const json_t *results,
					   FILE *out, struct error *err)
{
	const char *file = tuned->options->import_results;
	size_t count = json_array_size(results), kept = 0, best = 0;
	struct tuned_trial *trials = calloc(count + 1, sizeof *trials);
	bool ok = trials != NULL;
	if (!ok)
		return error_set(err, "out of memory for %zu results", count);
	char refused[1024] = "";
	for (size_t i = 0; i < count && ok; i++) {
		struct error why;
		int64_t values[SPACE_CONSTANTS_MAX];
		ok = tune_result_read(json_array_get(results, i), &tuned->space, &trials[kept], err) ||
			 error_prefix(err, "%s: result %zu", file, i + 1);
		if (!ok || !schedule_parse(&tuned->space, trials[kept].constants, values, &why))
			continue;
		if (!schedule_holds(&tuned->space, &tuned->gpu, place->key.test, values, &why)) {
			snprintf(refused, sizeof refused, "%s", why.message);
			continue;
		}
		if (trials[kept].median > 0 &&
			(!(trials[best].median > 0) || trials[kept].median < trials[best].median))
			best = kept;
		kept++;
	}
	ok = ok && (kept > 0 ||
				error_set(err, "%s: none of its %zu results is a schedule of %s: %s", file, count,
						  tuned->file, refused[0] != '\0' ? refused : "there are none"));
	place->key.driver = "";
	ok = ok && tuned_keep(place->path, &place->key, trials, kept, err);
	char line[2048];
	snprintf(line, sizeof line, "imported %zu of %zu results from %.400s%s%s%s", kept, count, file,
			 kept < count ? "; others are no schedules here (" : "", kept < count ? refused : "",
			 kept < count ? ")" : "");
	if (ok)
		wrap_print(out, WIDTH, 0, 0, line);
	if (ok && trials[best].median > 0)
		ok = choose_imported(place, &trials[best], kept, out, err);
	free(trials);
	return ok;
}

bool tune_files_read(const struct tuned *tuned, FILE *out, struct error *err)
{
	const char *file = tuned->options->import_results;
	struct place place;
	if (file == NULL)
		return true;
	if (!place_open(tuned, &place, err))
		return error_prefix(err, "--import-results");
	json_t *json = results_load(file, err);
	bool ok = json != NULL && import_all(tuned, &place, json_object_get(json, "results"), out, err);
	json_decref(json);
	return ok;
}

static void dump(const void *json, FILE *out)
{
	json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
}

static bool export_results(const struct tuned *tuned, FILE *out, struct error *err)
{
	const char *file = tuned->options->export_results;
	struct place place;
	struct tuned_trials trials;
	if (!place_open(tuned, &place, err) || !tuned_trials(place.path, &place.key, &trials, err))
		return error_prefix(err, "--export-results");
	json_t *json = tune_results_json(&tuned->space, &trials);
	bool ok = trials.count > 0 || error_set(err,
											"--export-results: nothing was measured of this "
											"file at this shape on %s yet",
											tuned->gpu.name);
	ok = ok && report_save_any(file, dump, json, err);
	if (ok && strcmp(file, "-") != 0)
		fprintf(out, "wrote %zu results to %s\n", trials.count, file);
	json_decref(json);
	tuned_trials_free(&trials);
	return ok;
}

static bool export_space(const struct tuned *tuned, FILE *out, struct error *err)
{
	const char *file = tuned->options->export_space;
	json_t *json = exchange_space(&tuned->space, &tuned->gpu, tuned->shapes[0].test,
								  tuned->options->judge.nvcc_flags, err);
	bool ok = json != NULL && report_save_any(file, dump, json, err);
	if (ok && strcmp(file, "-") != 0)
		fprintf(out, "wrote the space of %zu constants to %s\n", tuned->space.constant_count, file);
	json_decref(json);
	return ok;
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

static bool export_table(const struct tuned *tuned, FILE *out, struct error *err)
{
	const char *file = tuned->options->export_table;
	struct place place;
	struct tuned_choices choices;
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

bool tune_files_write(const struct tuned *tuned, FILE *out, struct error *err)
{
	const struct options *options = tuned->options;
	return (options->export_table == NULL || export_table(tuned, out, err)) &&
		   (options->export_space == NULL || export_space(tuned, out, err)) &&
		   (options->export_results == NULL || export_results(tuned, out, err));
}
