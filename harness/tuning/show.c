/* The ranked and checked schedules, as text and as JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/document.h"
#include "report/wrap.h"
#include "tuning/tuning.h"

#define TUNING_JSON_SCHEMA_VERSION 1
#define WIDTH 80
#define LINE_TEXT (SCHEDULE_TEXT + 256)

/* ---- text -------------------------------------------------------------------------------- */

/* The constants of a schedule: those that all shown ones share, or the others. */
static void print_constants(const struct tuning *tuning, const struct tuning_shape *shape,
							size_t schedule, bool shared, char out[SCHEDULE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < tuning->space.constant_count && used < SCHEDULE_TEXT; i++)
		if ((shape->shared >> i & 1) == shared)
			used += (size_t)snprintf(out + used, SCHEDULE_TEXT - used, "%s%s=%" PRId64,
									 used > 0 ? " " : "",
									 tuning->space.names[tuning->space.constants[i].place].name,
									 shape->ranking.list.items[schedule].values[i]);
}

/* Where the file's own constants stand. */
static void show_standard(const struct tuning_shape *shape, FILE *out)
{
	const struct ranked *ranking = &shape->ranking;
	const size_t standard = ranking->list.standard, count = ranking->list.count;
	if (standard == count)
		fprintf(out, "the file's defaults do not meet the constraint in line %d at this shape\n",
				ranking->list.standard_line);
	else if (ranking->has_model && ranking->has_thesis)
		fprintf(out, "the file's defaults: %zu by the model, %zu by the thesis, of %zu\n",
				ranking->model_place[standard] + 1, ranking->thesis_place[standard] + 1, count);
	else if (ranking->has_thesis)
		fprintf(out, "the file's defaults are number %zu of %zu in this order\n",
				ranking->thesis_place[standard] + 1, count);
}

/* The constraints that refused something, where everything is asked for. */
static void show_refused(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	static const char *const kinds[] = {
		[RULE_LET] = "let", [RULE_WHERE] = "where", [RULE_ROLE] = "role"};
	const struct schedule_list *list = &shape->ranking.list;
	char line[LINE_TEXT];
	for (size_t i = 0; i < tuning->space.rule_count; i++) {
		const struct space_rule *rule = &tuning->space.rules[i];
		if (!(list->refused[i] > 0))
			continue;
		int used = fprintf(out, "  %5.1f%% refused by line %d: ",
						   list->refused[i] / list->combinations * 100, rule->line);
		snprintf(line, sizeof line, "%s %s%s%s%s", kinds[rule->kind],
				 rule->kind == RULE_ROLE ? tune_role_name((enum tune_role)rule->place) : "",
				 rule->kind == RULE_ROLE ? " = " : "", rule->text,
				 list->undefined[i] > 0 ? " (some have no value)" : "");
		wrap_print(out, WIDTH, used, 4, line);
	}
}

/* The columns before the schedule. */
static void show_row_head(const struct ranked *ranking, FILE *out)
{
	if (ranking->has_model)
		fprintf(out, "%6s ", "model");
	if (ranking->has_thesis)
		fprintf(out, "%6s %7s %7s %7s", "thesis", "cores", "global", "shared");
	if (ranking->has_model)
		fprintf(out, " %9s", "us");
	if (!ranking->has_model && !ranking->has_thesis)
		fprintf(out, "%6s  %s\n%8s%s\n", "number",
				"schedule, in the file's order: without the roles block_m and block_n", "",
				"the thesis' order cannot be told");
	else
		fprintf(out, "  schedule\n");
}

static void show_row(const struct tuning *tuning, const struct tuning_shape *shape, size_t place,
					 FILE *out)
{
	const struct ranked *ranking = &shape->ranking;
	const size_t schedule = ranked_at(ranking, place);
	char text[SCHEDULE_TEXT], global[16], shared[16] = "-";
	int column = 0;
	print_constants(tuning, shape, schedule, false, text);
	if (ranking->has_model)
		column += fprintf(out, "%6zu ", ranking->model_place[schedule] + 1);
	if (ranking->has_thesis) {
		const struct thesis_cost *cost = &ranking->thesis[schedule];
		if (cost->shared_volume > 0)
			tuning_short_number(cost->shared_volume, shared);
		column += fprintf(out, "%6zu %7.0f %7s %7s", ranking->thesis_place[schedule] + 1,
						  cost->cores, tuning_short_number(cost->global_volume, global), shared);
	}
	if (ranking->has_model)
		column += fprintf(out, " %9.4g", ranking->seconds[schedule] * 1e6);
	else if (!ranking->has_thesis)
		column += fprintf(out, "%6zu", place + 1);
	column += fprintf(out, "  ");
	wrap_print(out, WIDTH, column, column, text);
}

static void show_shape(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	char text[SCHEDULE_TEXT];
	tuning_show_head(tuning, shape, out);
	if (!shape->fits)
		return;
	if (tuning->request.verbose)
		show_refused(tuning, shape, out);
	print_constants(tuning, shape, ranked_at(&shape->ranking, 0), true, text);
	if (text[0] != '\0') {
		int column = fprintf(out, "in all of these: ");
		wrap_print(out, WIDTH, column, column, text);
	}
	show_row_head(&shape->ranking, out);
	for (size_t i = 0; i < shape->shown; i++)
		show_row(tuning, shape, i, out);
	show_standard(shape, out);
}

void tuning_show(const struct tuning *tuning, FILE *out)
{
	for (size_t i = 0; i < tuning->shape_count; i++) {
		if (i > 0)
			fputc('\n', out);
		show_shape(tuning, &tuning->shapes[i], out);
	}
}

void tuning_show_check_head(const struct tuning *tuning, FILE *out)
{
	char text[SCHEDULE_TEXT];
	const struct tuning_shape *shape = &tuning->shapes[0];
	tuning_show_head(tuning, shape, out);
	print_constants(tuning, shape, ranked_at(&shape->ranking, 0), true, text);
	if (text[0] != '\0') {
		int column = fprintf(out, "in all of these: ");
		wrap_print(out, WIDTH, column, column, text);
	}
	fprintf(out, "%6s  %-15s %7s  %s\n",
			shape->ranking.has_model    ? "model"
			: shape->ranking.has_thesis ? "thesis"
										: "number",
			"verdict", "cases", "schedule");
	fflush(out); /* the first verdict takes seconds */
}

void tuning_show_check(const struct tuning *tuning, const struct tuning_check *check, FILE *out)
{
	char text[SCHEDULE_TEXT], cases[48];
	print_constants(tuning, &tuning->shapes[0], check->schedule, false, text);
	snprintf(cases, sizeof cases, "%zu/%zu", check->accepted, check->count);
	int column =
		fprintf(out, "%6zu  %-15s %7s  ", check->place + 1, verdict_name(check->verdict), cases);
	wrap_print(out, WIDTH, column, column, text);
	if (check->detail[0] != '\0')
		wrap_print(out, WIDTH, 0, 8, check->detail);
	fflush(out);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *gpu_json(const struct tune_gpu *gpu)
{
	return json_pack("{s:s, s:o, s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:i, s:i}", "id", gpu->id,
					 "name", document_text(gpu->name), "compute", gpu->compute, "multiprocessors",
					 gpu->multiprocessors, "l2_bytes", (json_int_t)gpu->l2_bytes,
					 "shared_per_multiprocessor", (json_int_t)gpu->shared_per_multiprocessor,
					 "shared_per_block", (json_int_t)gpu->shared_per_block,
					 "registers_per_multiprocessor", gpu->registers_per_multiprocessor,
					 "registers_per_thread", gpu->registers_per_thread, "threads_per_block",
					 gpu->threads_per_block, "threads_per_multiprocessor",
					 gpu->threads_per_multiprocessor);
}

static json_t *schedule_json(const struct tuning *tuning, const struct ranked *ranking,
							 size_t number)
{
	const struct schedule *schedule = &ranking->list.items[number];
	json_t *json = json_object(), *roles = json_object();
	json_object_set_new(json, "constants", tuning_constants_json(&tuning->space, schedule->values));
	for (int i = 0; i < TUNE_ROLES; i++)
		if (roles_have(&schedule->roles, (enum tune_role)i))
			json_object_set_new(roles, tune_role_name((enum tune_role)i),
								json_integer(schedule->roles.value[i]));
	json_object_set_new(json, "roles", roles);
	if (ranking->has_thesis) {
		const struct thesis_cost *cost = &ranking->thesis[number];
		json_object_set_new(json, "thesis",
							json_pack("{s:I, s:f, s:f, s:f}", "rank",
									  (json_int_t)ranking->thesis_place[number] + 1, "cores",
									  cost->cores, "global_volume", cost->global_volume,
									  "shared_volume", cost->shared_volume));
	}
	if (ranking->has_model)
		json_object_set_new(
			json, "model",
			json_pack("{s:I, s:o}", "rank", (json_int_t)ranking->model_place[number] + 1, "seconds",
					  isfinite(ranking->seconds[number]) ? json_real(ranking->seconds[number])
														 : json_string("inf")));
	return json;
}

static json_t *refused_json(const struct tuning *tuning, const struct schedule_list *list)
{
	json_t *json = json_array();
	for (size_t i = 0; i < tuning->space.rule_count; i++)
		if (list->refused[i] > 0)
			json_array_append_new(
				json, json_pack("{s:i, s:o, s:f, s:f}", "line", tuning->space.rules[i].line, "text",
								document_text(tuning->space.rules[i].text), "combinations",
								list->refused[i], "without_value", list->undefined[i]));
	return json;
}

static json_t *shape_json(const struct tuning *tuning, const struct tuning_shape *shape)
{
	const struct ranked *ranking = &shape->ranking;
	json_t *json = json_object(), *schedules = json_array();
	char sizes[SHAPE_TEXT];
	shape_print(tuning->plan.problem, &shape->test->shape, sizes);
	json_object_set_new(json, "shape", json_string(sizes));
	if (!shape->fits) {
		json_decref(schedules);
		json_object_set_new(json, "error", document_text(shape->why));
		return json;
	}
	json_object_set_new(json, "combinations", json_real(ranking->list.combinations));
	json_object_set_new(json, "schedules", json_integer((json_int_t)ranking->list.count));
	json_object_set_new(json, "refused", refused_json(tuning, &ranking->list));
	if (ranking->has_thesis && ranking->list.standard < ranking->list.count)
		json_object_set_new(
			json, "defaults_rank",
			json_integer((json_int_t)ranking->thesis_place[ranking->list.standard] + 1));
	for (size_t i = 0; i < shape->shown; i++)
		json_array_append_new(schedules, schedule_json(tuning, ranking, ranked_at(ranking, i)));
	json_object_set_new(json, "ranked", schedules);
	if (ranking->has_thesis) /* not among the ranked ones where the model has others first */
		json_object_set_new(json, "thesis_first",
							schedule_json(tuning, ranking, ranking->by_thesis[0]));
	if (shape->found.begun)
		json_object_set_new(json, "measured", tuning_found_json(tuning, shape));
	return json;
}

static json_t *checks_json(const struct tuning *tuning)
{
	const struct schedule_list *list = &tuning->shapes[0].ranking.list;
	json_t *json = json_array();
	for (size_t i = 0; i < tuning->check_count; i++) {
		const struct tuning_check *check = &tuning->checks[i];
		json_array_append_new(
			json,
			json_pack(
				"{s:I, s:o, s:s, s:o, s:I, s:I}", "rank", (json_int_t)check->place + 1, "constants",
				tuning_constants_json(&tuning->space, list->items[check->schedule].values),
				"verdict", verdict_name(check->verdict), "detail", document_text(check->detail),
				"accepted", (json_int_t)check->accepted, "cases", (json_int_t)check->count));
	}
	return json;
}

void tuning_json(const void *what, FILE *out)
{
	const struct tuning *tuning = what;
	json_t *json = document_of_file("tune", TUNING_JSON_SCHEMA_VERSION, tuning->file,
									tuning->plan.content, tuning->plan.problem->name);
	json_t *shapes = json_array(), *standard = json_object();
	if (tuning->request.judge->epilogue != NULL)
		json_object_set_new(json, "epilogue", document_text(tuning->request.judge->epilogue));
	json_object_set_new(json, "gpu", gpu_json(&tuning->gpu));
	for (size_t i = 0; i < tuning->space.constant_count; i++)
		json_object_set_new(standard, tuning->space.names[tuning->space.constants[i].place].name,
							json_integer(tuning->space.constants[i].standard));
	json_object_set_new(json, "defaults", standard);
	for (size_t i = 0; i < tuning->shape_count; i++)
		json_array_append_new(shapes, shape_json(tuning, &tuning->shapes[i]));
	json_object_set_new(json, "shapes", shapes);
	if (tuning->common.values != NULL)
		json_object_set_new(json, "common",
							json_pack("{s:o, s:f, s:f}", "constants",
									  tuning_constants_json(&tuning->space, tuning->common.values),
									  "gain", tuning->common.gain, "over_best_of_each",
									  tuning->common.loss));
	json_t *worth = tuning->request.mode == TUNING_MEASURES ? tuning_worth_json(tuning) : NULL;
	if (worth != NULL)
		json_object_set_new(json, "orders", worth);
	if (tuning->request.mode == TUNING_CHECKS) {
		json_object_set_new(json, "device", document_text(tuning->device));
		json_object_set_new(json, "checks", checks_json(tuning));
	}
	document_print(json, out);
}
