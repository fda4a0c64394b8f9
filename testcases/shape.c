#include "testcases/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/derive.h"
#include "testcases/limits.h"
#include "testcases/rules.h"

bool shape_parse(const char *text, int max, struct shape_text *out, struct error *err)
{
	const char *at = text;
	out->count = 0;
	while (*at >= '0' && *at <= '9' && out->count < SIZES_MAX) {
		char *rest;
		errno = 0;
		long value = strtol(at, &rest, 10);
		if (errno != 0 || value < 1 || value > max || (*rest != 'x' && *rest != '\0'))
			break;
		out->number[out->count++] = (int32_t)value;
		if (*rest == '\0')
			return true;
		at = rest + 1;
	}
	return error_set(
		err,
		"\"%.80s\" is no shape: write MxNxK, each from 1 to %d, such as 1024x512x64, or "
		"the sizes of a problem that has others, such as MxN or BxMxNxK",
		text, max);
}

void shape_text_print(const struct shape_text *text, char out[SHAPE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < text->count; i++)
		used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%d", i > 0 ? "x" : "",
								 (int)text->number[i]);
}

static void set_size(const struct problem_size *row, int32_t number, struct shape *out)
{
	for (int i = 0; i < SIZE_COUNT; i++)
		if ((row->is & 1u << i) != 0)
			out->size[i] = number;
}

/* Sizes of a problem of a file that depend on one another, and buffers that have an element. */
static bool named_sizes_hold(const struct problem *problem, const struct shape *shape,
							 const char *text, struct error *err)
{
	const int32_t *named = &shape->size[SIZE_NAMED];
	for (int i = 0; i < SIZES_MAX && problem->sizes[i].name != NULL; i++) {
		const struct size_rules *rules = &problem->rules->sizes[i];
		const struct problem_size *row = &problem->sizes[i];
		for (int j = 0; j < SIZE_LIMITS_MAX && rules->at_most[j] >= 0; j++)
			if (named[i] > named[rules->at_most[j]])
				return error_set(err, "%s is no shape of %s: %s is at most %s", text, problem->name,
								 row->name, problem->sizes[rules->at_most[j]].name);
		if (rules->multiple_of >= 0 && named[i] % named[rules->multiple_of] != 0)
			return error_set(err, "%s is no shape of %s: %s is a multiple of %s", text,
							 problem->name, row->name, problem->sizes[rules->multiple_of].name);
	}
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		if (operand_elements(operand, shape) == 0)
			return error_set(err, "%s is no shape of %s: %s has no element", text, problem->name,
							 operand->name);
	for (const struct step_rules *step = problem->rules->steps; step->name != NULL; step++)
		for (size_t i = 0; i < step->shape.rank; i++)
			if (extent_of(&step->shape, i, shape) == 0)
				return error_set(err, "%s is no shape of %s: the step %s has no element", text,
								 problem->name, step->name);
	return true;
}

bool shape_holds(const struct problem *problem, const struct shape *shape, struct error *err)
{
	char text[SHAPE_TEXT];
	const struct problem_size *k = problem_size_of(problem, SIZE_K);
	const struct problem_size *group = problem_size_of(problem, SIZE_GROUP);
	shape_print(problem, shape, text);
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((row->is & 1u << i) != 0 && row->multiple > 1 &&
				shape->size[i] % row->multiple != 0)
				return error_set(err, "%s is no shape of %s: %s is a multiple of %d", text,
								 problem->name, row->name, row->multiple);
	if (problem->file != NULL && !named_sizes_hold(problem, shape, text, err))
		return false;
	if (group != NULL && shape->size[SIZE_K] % shape->size[SIZE_GROUP] != 0)
		return error_set(err, "%s is no shape of %s: %s is a multiple of %s", text, problem->name,
						 k->name, group->name);
	return true;
}

bool shape_is_countable(const struct problem *problem, const struct shape *shape, struct error *err)
{
	char text[SHAPE_TEXT];
	struct shape matrix = *shape;
	matrix.size[SIZE_BATCH] = 1;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		uint64_t elements = operand_elements(operand, &matrix);
		if (elements <= INT32_MAX)
			continue;
		shape_print(problem, shape, text);
		return error_set(
			err, "%s is too large: %s has %" PRIu64 " elements, and an int counts %d at most", text,
			operand->name, elements, INT32_MAX);
	}
	return true;
}

/* A size that somebody writes, and not one that is counted. */
static bool is_written(const struct problem *problem, const struct problem_size *row)
{
	return problem->file == NULL || problem->rules->sizes[row - problem->sizes].nonzeros_of < 0;
}

bool shape_fit(const struct problem *problem, const struct shape_text *text, struct shape *out,
			   struct error *err)
{
	char written[SHAPE_TEXT], legend[SHAPE_TEXT];
	const struct problem_size *written_rows[SIZES_MAX];
	size_t sizes = 0;
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		if (is_written(problem, row))
			written_rows[sizes++] = row;
	bool grouped = problem_size_of(problem, SIZE_GROUP) != NULL;
	*out = SHAPE_OF_ONES;
	if (text->count != sizes && !(grouped && text->count + 1 == sizes)) {
		shape_text_print(text, written);
		return error_set(err, "%s is no shape of %s, which takes %s", written, problem->name,
						 shape_legend(problem, legend));
	}
	for (size_t i = 0; i < text->count && i < sizes; i++)
		set_size(written_rows[i], text->number[i], out);
	if (text->count < sizes) {
		int group = 128;
		while (group > 2 && out->size[SIZE_K] % group != 0)
			group /= 2;
		out->size[SIZE_GROUP] = group;
	}
	shape_derive(problem, out);
	return shape_holds(problem, out, err);
}

bool shape_double(const struct problem *problem, struct shape *shape, int most)
{
	struct draw_all_limits all = draw_limits_of(problem, most);
	struct error unused;
	bool grew = false;
	for (int i = 0; i < all.count; i++) {
		int32_t *size = &shape->size[all.size[i]];
		grew = grew || *size <= all.of[i].high / 2;
		*size = *size <= all.of[i].high / 2 ? 2 * *size : *size;
	}
	shape_derive(problem, shape);
	return grew && shape_holds(problem, shape, &unused) &&
		   shape_is_countable(problem, shape, &unused);
}

void shape_print(const struct problem *problem, const struct shape *shape, char out[SHAPE_TEXT])
{
	struct shape_text text = {0};
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		for (int i = 0; i < SIZE_COUNT && is_written(problem, row); i++)
			if ((row->is & 1u << i) != 0) {
				text.number[text.count++] = shape->size[i];
				break;
			}
	shape_text_print(&text, out);
}

const char *shape_legend(const struct problem *problem, char out[SHAPE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		if (is_written(problem, row))
			used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%s",
									 used == 0               ? ""
									 : problem->file != NULL ? " x "
															 : "x",
									 row->shown);
	return out;
}
