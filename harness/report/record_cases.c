/* Members of a case and of what was checked in it that are made of others, or that its problem
 * names (record_functions.h). */
#include <stdlib.h>
#include <string.h>

#include "report/record_functions.h"

/* Rows of a matrix of the case; at least 1. */
static int rows_of(const struct record_at *at)
{
	const struct record_at *result = within(at, &record_case);
	const int rows = ((const struct case_result *)result->of)->test.shape.size[SIZE_M];
	return rows > 0 ? rows : 1;
}

/* Of a batch, the rows of all matrices are counted through. */
static int32_t row_of(const struct record_at *at, const json_t *batch, const json_t *row)
{
	const int64_t all = (int64_t)whole_of(batch, 0) * rows_of(at) + whole_of(row, 0);
	return all > INT32_MAX ? INT32_MAX : (int32_t)all;
}

/* ---- a test case -------------------------------------------------------------------------------
 */

WRITE(test, alpha)
{
	return document_real((double)((const struct test_case *)at->of)->scalar[SCALAR_ALPHA]);
}

WRITE(test, beta)
{
	return document_real((double)((const struct test_case *)at->of)->scalar[SCALAR_BETA]);
}

WRITE(test, scalars)
{
	const struct test_case *test = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	json_t *json = json_object();
	for (size_t i = 0; problem != NULL && problem->file != NULL && problem->sizes[i].name != NULL;
		 i++)
		json_object_set_new(json, problem->sizes[i].name,
							json_integer(test->shape.size[SIZE_NAMED + i]));
	for (size_t i = 0; problem != NULL && problem->scalars[i].name != NULL; i++)
		json_object_set_new(json, problem->scalars[i].name,
							document_real((double)test->scalar[problem->scalars[i].is]));
	return json;
}

READ(test, scalars)
{
	struct test_case *test = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	if (problem == NULL)
		return error_set(err, "no problem has the name '%.40s'", problem_name(at));
	case_neutral_scalars(test);
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		test->scalar[row->is] = (float)record_real(json_object_get(value, row->name));
	for (size_t i = 0; problem->file != NULL && problem->sizes[i].name != NULL; i++)
		test->shape.size[SIZE_NAMED + i] =
			whole_of(json_object_get(value, problem->sizes[i].name), 1);
	return true;
}

static json_t *values(const struct value_spec *values)
{
	json_t *json = json_object();
	json_object_set_new(json, "distribution",
						document_text(distribution_name(values->distribution)));
	json_object_set_new(json, "scale", document_real((double)values->scale));
	if (values->low != 0)
		json_object_set_new(json, "low", document_real((double)values->low));
	if (values->share != 0)
		json_object_set_new(json, "share", document_real((double)values->share));
	return json;
}

WRITE(test, operands)
{
	const struct test_case *test = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	json_t *json = json_object();
	for (size_t i = 0; problem != NULL && problem->operands[i].name != NULL; i++)
		json_object_set_new(json, problem->operands[i].name, values(&test->values[i]));
	return json;
}

READ(test, operands)
{
	struct test_case *test = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	(void)err;
	for (size_t i = 0; problem != NULL && problem->operands[i].name != NULL; i++) {
		const json_t *spec = json_object_get(value, problem->operands[i].name);
		struct value_spec *out = &test->values[i];
		distribution_parse(text_of(json_object_get(spec, "distribution")), &out->distribution);
		out->scale = (float)record_real(json_object_get(spec, "scale"));
		out->low = (float)record_real(json_object_get(spec, "low"));
		out->share = (float)record_real(json_object_get(spec, "share"));
	}
	return true;
}

/* ---- a check -----------------------------------------------------------------------------------
 */

WRITE(element, batch)
{
	return json_integer(((const struct wrong_element *)at->of)->row / rows_of(at));
}

READ(element, batch)
{
	((struct wrong_element *)at->of)->row = row_of(at, value, json_object_get(at->json, "row"));
	(void)err;
	return true;
}

WRITE(element, row)
{
	return json_integer(((const struct wrong_element *)at->of)->row % rows_of(at));
}

WRITE(element, written)
{
	return json_boolean(!((const struct wrong_element *)at->of)->unwritten);
}

READ(element, written)
{
	(void)err;
	((struct wrong_element *)at->of)->unwritten = !json_is_true(value);
	return true;
}

WRITE(check, result_digest)
{
	const uint32_t *word = ((const struct check_summary *)at->of)->result.word;
	char text[4 * 8 + 1];
	if ((word[0] | word[1] | word[2] | word[3]) == 0)
		return NULL;
	snprintf(text, sizeof text, "%08x%08x%08x%08x", word[0], word[1], word[2], word[3]);
	return json_string(text);
}

READ(check, result_digest)
{
	uint32_t *word = ((struct check_summary *)at->of)->result.word;
	const char *text = json_string_value(value);
	if (text == NULL) /* of an older record, or of several products */
		return true;
	if (strlen(text) != 32 ||
		sscanf(text, "%8x%8x%8x%8x", &word[0], &word[1], &word[2], &word[3]) != 4)
		return error_set(err, "result_digest has 32 hexadecimal digits");
	return true;
}

WRITE(check, worst_batch)
{
	return json_integer(((const struct check_summary *)at->of)->worst_row / rows_of(at));
}

READ(check, worst_batch)
{
	((struct check_summary *)at->of)->worst_row =
		row_of(at, value, json_object_get(at->json, "worst_row"));
	(void)err;
	return true;
}

WRITE(check, worst_row)
{
	return json_integer(((const struct check_summary *)at->of)->worst_row % rows_of(at));
}

WRITE(check, changed)
{
	const struct check_summary *check = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	json_t *json = json_object();
	for (size_t i = 0; problem != NULL && problem->operands[i].name != NULL; i++)
		if (problem->operands[i].role == ROLE_INPUT)
			json_object_set_new(json, problem->operands[i].name,
								json_integer((json_int_t)check->changed[i]));
	return json;
}

WRITE(check, extra_changed)
{
	const struct check_summary *check = at->of;
	const struct problem *problem = problem_find(problem_name(at));
	uint64_t changed = 0;
	for (size_t i = problem != NULL ? problem_operands(problem) : 0; i < BUFFERS_MAX; i++)
		changed += check->changed[i];
	return json_integer((json_int_t)changed);
}

/* A row of cells in a text: thousands of numbers would be a line each. */
static json_t *cells(const struct wrong_map *map)
{
	json_t *json = json_array();
	for (size_t row = 0; row < map->rows && row < MAP_CELLS; row++) {
		char line[MAP_CELLS * 11 + 1];
		size_t used = 0;
		for (size_t column = 0; column < map->columns && column < MAP_CELLS; column++)
			used += (size_t)snprintf(line + used, sizeof line - used, "%s%u", column > 0 ? " " : "",
									 map->wrong[row][column]);
		json_array_append_new(json, json_stringn(line, used));
	}
	return json;
}

WRITE(check, map)
{
	const struct wrong_pattern *wrong = ((const struct case_result *)at->parent->of)->wrong;
	if (wrong == NULL || wrong->map.rows == 0)
		return NULL;
	json_t *json = json_object();
	json_object_set_new(json, "rows", json_integer(wrong->map.rows));
	json_object_set_new(json, "columns", json_integer(wrong->map.columns));
	json_object_set_new(json, "height", json_integer(wrong->map.height));
	json_object_set_new(json, "width", json_integer(wrong->map.width));
	json_object_set_new(json, "top", json_integer(wrong->places.top));
	json_object_set_new(json, "bottom", json_integer(wrong->places.bottom));
	json_object_set_new(json, "left", json_integer(wrong->places.left));
	json_object_set_new(json, "right", json_integer(wrong->places.right));
	json_object_set_new(json, "cells", cells(&wrong->map));
	return json;
}

/* Whether the cells are there, and lie within the result: nobody draws what is not. */
static bool is_map(const struct wrong_map *map, const struct shape *shape)
{
	return map->rows > 0 && map->columns > 0 && map->rows <= MAP_CELLS &&
		   map->columns <= MAP_CELLS &&
		   (uint64_t)(map->rows - 1) * map->height < shape_rows(shape) &&
		   (uint64_t)(map->columns - 1) * map->width < shape_columns(shape);
}

READ(check, map)
{
	struct case_result *result = at->parent->of;
	struct wrong_pattern wrong = {
		.wrong = result->check.wrong,
		.map = {.rows = (uint32_t)whole_of(json_object_get(value, "rows"), 0),
				.columns = (uint32_t)whole_of(json_object_get(value, "columns"), 0),
				.height = (uint32_t)whole_of(json_object_get(value, "height"), 0),
				.width = (uint32_t)whole_of(json_object_get(value, "width"), 0)},
		.places = {.top = whole_of(json_object_get(value, "top"), 0),
				   .bottom = whole_of(json_object_get(value, "bottom"), 0),
				   .left = whole_of(json_object_get(value, "left"), 0),
				   .right = whole_of(json_object_get(value, "right"), 0)}};
	if (!is_map(&wrong.map, &result->test.shape))
		return true;
	result->wrong = malloc(sizeof *result->wrong);
	if (result->wrong == NULL)
		return error_set(err, "out of memory");
	for (size_t row = 0; row < wrong.map.rows; row++) {
		const char *at_cell = text_of(json_array_get(json_object_get(value, "cells"), row));
		for (size_t column = 0; column < wrong.map.columns; column++) {
			char *end;
			wrong.map.wrong[row][column] = (uint32_t)strtoul(at_cell, &end, 10);
			at_cell = end;
		}
	}
	*result->wrong = wrong;
	return true;
}
