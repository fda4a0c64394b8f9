/* What a problem's page says beside the prototype: an example with numbers, and what counts as
 * right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "serve/page.h"
#include "testcases/example.h"
#include "testcases/rules.h"
#include "testcases/shape.h"

#define REFERENCE_MOST 65536 /* bytes */

/* ---- the example -------------------------------------------------------------------------- */

/* One number of a matrix; codes below a byte as the bytes that they lie in. */
static int number_text(char out[24], const struct operand *operand, const uint32_t *bits,
					   const double *numbers, size_t index)
{
	if (type_of(operand->type)->format.bits < 8)
		return snprintf(out, 24, "0x%X%X", bits[2 * index], bits[2 * index + 1]);
	return snprintf(out, 24, "%g", numbers[index]);
}

static void matrix_print(FILE *out, const struct example *example, size_t operand, const char *when,
						 const double *numbers)
{
	const struct operand *of = &example->problem->operands[operand];
	const struct shape *shape = &example->test.shape;
	const size_t packed = type_of(of->type)->format.bits < 8 ? 2 : 1;
	const size_t columns = (size_t)operand_columns(of, shape) / packed;
	const size_t count = (size_t)operand_elements(of, shape) / packed;
	const size_t of_one = count / (size_t)shape->size[SIZE_BATCH];
	char text[24];
	int width = 0;
	for (size_t i = 0; i < count; i++) {
		const int length = number_text(text, of, example->bits[operand], numbers, i);
		width = length > width ? length : width;
	}
	fprintf(out, "<figure><figcaption>%s%s, %zu x %zu %s</figcaption>\n<pre>", of->name, when,
			count / columns, columns, packed > 1 ? "bytes" : type_of(of->type)->name);
	for (size_t i = 0; i < count; i++) {
		number_text(text, of, example->bits[operand], numbers, i);
		fprintf(out, "%s%*s",
				i == 0             ? ""
				: i % of_one == 0  ? "\n\n"
				: i % columns == 0 ? "\n"
								   : "  ",
				width, text);
	}
	fputs("</pre></figure>\n", out);
}

/* "M = 2, N = 3, K = 4, alpha = 2, beta = -1" */
static void given_print(FILE *out, const struct example *example)
{
	const struct problem *problem = example->problem;
	struct argument argument;
	const char *between = "<p>";
	for (size_t i = 0; problem_argument(problem, i, &argument); i++) {
		double value = 0;
		const char *name = "";
		if (argument.kind == ARGUMENT_OPERAND)
			continue;
		if (argument.kind == ARGUMENT_SCALAR) {
			name = problem->scalars[argument.index].name;
			value = (double)example->test.scalar[problem->scalars[argument.index].is];
		}
		for (int k = 0; argument.kind == ARGUMENT_SIZE && k < SIZE_COUNT; k++)
			if ((problem->sizes[argument.index].is & 1u << k) != 0) {
				name = problem->sizes[argument.index].name;
				value = example->test.shape.size[k];
			}
		fprintf(out, "%s%s = %g", between, name, value);
		between = ", ";
	}
	fputs("</p>\n", out);
}

/* Of a problem of a file: its reference says what an element is, and the bound follows from it. */
static void reference_print(FILE *out, const struct problem *problem)
{
	struct error ignored;
	char *text = text_read(problem->rules->reference, REFERENCE_MOST, &ignored);
	html_heading(out, 2, "example", "What an element is");
	html_paragraph(out, NULL,
				   "In steps, over any type of number R. What a solution keeps between its "
				   "kernels may be other steps.");
	if (text != NULL)
		html_block(out, text);
	free(text);
}

static void steps_print(FILE *out)
{
	html_paragraph(
		out, NULL,
		"A result need not be equal to what is wanted to the last bit: an honest kernel rounds, "
		"and sums in an order of its own. How far it may be off follows from the steps above: "
		"each sum, function and division adds what honest f32 arithmetic may lose there, errors "
		"of earlier steps go on by the first derivative, and those of many terms add up as "
		"independent ones do. Where two ways to the same number are honest, the larger error "
		"counts.");
	html_paragraph(out, NULL,
				   "All elements together have a bound, too: a result whose errors are larger on "
				   "the whole than those of f32 sums is wrong, even where each element is within "
				   "its own.");
}

void page_example(FILE *out, const struct problem *problem)
{
	if (problem->file != NULL) {
		reference_print(out, problem);
		return;
	}
	const struct example example = example_make(problem);
	char line[EXAMPLE_TEXT];
	html_heading(out, 2, "example", "Example");
	given_print(out, &example);
	fputs("<div class=\"matrices\">\n", out);
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (problem->operands[i].role == ROLE_INPUT)
			matrix_print(out, &example, i, "", example.before[i]);
		else if (problem->operands[i].role == ROLE_BOTH)
			matrix_print(out, &example, i, " before", example.before[i]);
	const size_t result = problem_part_index(problem, PART_RESULT);
	matrix_print(out, &example, result,
				 problem->operands[result].role == ROLE_BOTH ? " after" : " after the call",
				 example.want);
	fputs("</div>\n", out);
	example_explain(&example, line);
	html_paragraph(out, NULL, line);
}

/* ---- what counts as right -------------------------------------------------------------------- */

static void rounded_print(FILE *out, const struct problem *problem)
{
	char line[512], reference[32];
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	const bool factors = problem_takes(problem, SCALAR_BETA);
	html_paragraph(
		out, NULL,
		"A result need not be equal to what is wanted to the last bit: an honest kernel "
		"rounds, and sums in an order of its own. Each element has a bound, which is the "
		"most that rounding can explain there:");
	snprintf(reference, sizeof reference, "%s", factors ? "(|alpha| |A||B| + |beta C|)" : "|A||B|");
	snprintf(line, sizeof line, "|got - want| <= 2^%d |want| + c sqrt(%s) 2^-24 %s",
			 (int)lrint(log2(type->unit_roundoff)), problem_size_of(problem, SIZE_K)->name,
			 reference);
	html_block(out, line);
	snprintf(line, sizeof line,
			 "The first part is the one rounding of the result to %s. The second is what f32 sums "
			 "lose, with |A||B| the product of the absolute values and c a small constant; tensor "
			 "cores and underflow have a little more. So sums in a narrower type, an operand that "
			 "is rounded first, or a last product that is left out are found. In cases of whole "
			 "numbers nothing is rounded, and every bit counts.",
			 type->name);
	html_paragraph(out, NULL, line);
	html_paragraph(
		out, NULL,
		"All elements together have a bound, too, as most sums err by much less than the worst of "
		"many may: a result whose errors are larger on the whole than those of f32 sums in any "
		"order is wrong, even where each element is within its own bound.");
}

static void equal_print(FILE *out, const struct problem *problem)
{
	html_paragraph(
		out, NULL,
		problem->algebra == ALGEBRA_MIN_PLUS
			? "Each sum is rounded once and a minimum rounds nothing, so that every right "
			  "kernel gives the same bits, in any order: they are demanded."
			: "The sum of the products is exact. Scaling it takes a few roundings in f32, "
			  "in any order: an integer that one of these orders rounds to is right, and "
			  "no other. That is a single one, but where the scaled sum lies just between "
			  "two.");
}

void page_tolerance(FILE *out, const struct problem *problem)
{
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	html_heading(out, 2, "tolerance", "What counts as right");
	if (problem->file != NULL)
		steps_print(out);
	else if (problem->algebra == ALGEBRA_SHORTEST_PATHS)
		html_paragraph(
			out, NULL,
			"Edges may be added in any order, and each addition rounds once: a length may "
			"be off by 2^-24 of the path's length for each of the edges of the longest "
			"shortest path. What has no path has to be infinite.");
	else if (problem->algebra == ALGEBRA_MIN_PLUS || type->format.is_integer)
		equal_print(out, problem);
	else
		rounded_print(out, problem);
}
