#include "judge/submission/shapes.h"

#include <stdlib.h>
#include <string.h>

/* What a comparison shows of a problem of three sizes where no shape is asked for: two large ones,
 * one of them with a short K, and then COMPARISON over K. A sweep without a shape is of that, too.
 */
static const struct shape_text large[] = {{3, {8192, 8192, 8192}}, {3, {8192, 8192, 1024}}};
static const struct shape_text comparison = {3, {4096, 4096, 1024}};
#define LARGE (sizeof large / sizeof *large)

bool shapes_fit(const struct judge_options *options, const struct problem *problem,
				const struct shape_text *text, struct shape *out, struct error *err)
{
	const char *file = options->shapes.file;
	if (shape_fit(problem, text, out, err) && shape_is_countable(problem, out, err))
		return true;
	if (file != NULL && text >= options->shapes.items &&
		text < options->shapes.items + options->shapes.count)
		error_prefix(err, "%s:%u", strcmp(file, JUDGE_STDIN) == 0 ? JUDGE_STDIN_SHOWN : file,
					 options->shapes.lines[text - options->shapes.items]);
	return false;
}

bool shapes_case(const struct judge_options *options, const struct problem *problem,
				 const struct shape_text *text, struct test_case *out, struct error *err)
{
	struct shape shape = problem->large;
	float scalars[SCALARS_MAX];
	if (text != NULL && !shapes_fit(options, problem, text, &shape, err))
		return false;
	bool given = options->timing.alpha.given || options->timing.beta.given;
	for (size_t i = 0; problem->scalars[i].name != NULL; i++) {
		enum scalar scalar = problem->scalars[i].is;
		bool factor = scalar == SCALAR_ALPHA || scalar == SCALAR_BETA;
		const struct judge_scalar *asked =
			scalar == SCALAR_BETA ? &options->timing.beta : &options->timing.alpha;
		scalars[i] =
			factor && (text != NULL || given) ? scalar_neutral(scalar) : problem->large_scalars[i];
		if (factor && asked->given)
			scalars[i] = (float)asked->value;
	}
	*out = case_of_shape(problem, &shape, scalars, options->cases.seed);
	return true;
}

/* Which number of a shape's text has the size. False: the problem has no such size. */
static bool place_of(const struct problem *problem, enum size size, size_t *place)
{
	*place = 0;
	while (problem->sizes[*place].name != NULL && (problem->sizes[*place].is & 1u << size) == 0)
		++*place;
	return problem->sizes[*place].name != NULL;
}

/* As it would be written, without a group, which then fits every K. */
static struct shape_text text_of(const struct problem *problem, const struct shape *shape)
{
	struct shape_text text = {.count = 0};
	for (; problem->sizes[text.count].name != NULL; text.count++)
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((problem->sizes[text.count].is & 1u << i) != 0)
				text.number[text.count] = shape->size[i];
	text.count -= problem_size_of(problem, SIZE_GROUP) != NULL;
	return text;
}

/* A shape at each value of the sweep, appended. */
static bool append_sweep(const struct judge_options *options, const struct problem *problem,
						 const struct sweep *sweep, struct shape_text text, struct test_case *cases,
						 size_t *count, struct error *err)
{
	size_t place;
	char written[SWEEP_TEXT], legend[SHAPE_TEXT];
	sweep_print(sweep, written);
	if (!place_of(problem, sweep->over, &place))
		return error_set(err, "--over %s: %s has no such size, but %s", written, problem->name,
						 shape_legend(problem, legend));
	for (size_t i = 0; i < sweep->count; i++) {
		text.number[place] = sweep->values[i];
		if (!shapes_case(options, problem, &text, &cases[(*count)++], err))
			return error_prefix(err, "--over %s", written);
	}
	return true;
}

static bool append(const struct judge_options *options, const struct problem *problem,
				   const struct shape_text *texts, size_t text_count, struct test_case *cases,
				   size_t *count, struct error *err)
{
	for (size_t i = 0; i < text_count; i++)
		if (options->timing.over.count > 0
				? !append_sweep(options, problem, &options->timing.over, texts[i], cases, count,
								err)
				: !shapes_case(options, problem, &texts[i], &cases[(*count)++], err))
			return false;
	return true;
}

static bool fill(const struct judge_options *options, const struct problem *problem,
				 struct test_case *cases, size_t *count, struct error *err)
{
	bool three = problem_sizes(problem) == 3, compares = options->mode == JUDGE_COMPARES;
	struct shape_text own = three ? comparison : text_of(problem, &problem->large);
	struct sweep usual = sweep_of(SIZE_K);
	if (options->shapes.count > 0)
		return append(options, problem, options->shapes.items, options->shapes.count, cases, count,
					  err);
	if (options->timing.over.count > 0)
		return append(options, problem, &own, 1, cases, count, err);
	if (!three || !compares)
		return shapes_case(options, problem, NULL, &cases[(*count)++], err);
	return append(options, problem, large, LARGE, cases, count, err) &&
		   append_sweep(options, problem, &usual, comparison, cases, count, err);
}

struct test_case *shapes_cases(const struct judge_options *options, const struct problem *problem,
							   size_t *count, struct error *err)
{
	size_t values = options->timing.over.count > 0 ? options->timing.over.count : 1;
	size_t room = options->shapes.count * values + LARGE + SWEEP_VALUES_MAX;
	struct test_case *cases = calloc(room, sizeof *cases);
	*count = 0;
	if (cases == NULL)
		error_set(err, "out of memory for %zu cases", room);
	else if (fill(options, problem, cases, count, err))
		return cases;
	free(cases);
	*count = 0;
	return NULL;
}
