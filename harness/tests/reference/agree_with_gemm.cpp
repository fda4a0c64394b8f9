/* The bound that follows from matmul-by-reference/ is that of the referee for the problem
 * matmul-f32 of the table: 200 generated cases, every element. Exit status 1 where one
 * differs by more than 5 %. */
#include <stdio.h>
#include <vector>

#include "reference/host.cuh"
#include <Random123/philox.h> /* C++ that values.h includes */

extern "C" {
#include "referee/check.h"
#include "testcases/values.h"
}

using reference::bounded;

#define CASES 200
#define LARGEST 96
#define ALLOWED 0.05

struct operands {
	std::vector<float> left, right;
};

static std::vector<float> operand_of(const struct problem *problem, const struct test_case *test,
									 enum part part)
{
	const struct operand *operand = problem_part(problem, part);
	struct values values =
		values_of_operand(problem, test, test->seed, problem_part_index(problem, part));
	std::vector<float> numbers(operand_elements(operand, &test->shape));
	for (size_t i = 0; i < numbers.size(); i++)
		numbers[i] = (float)values_number_at(&values, i);
	return numbers;
}

/* The problem's own N is summed over: testcases/README.md. */
static std::vector<bounded> by_reference(const struct test_case *test, const struct operands *of)
{
	reference::problem<bounded> p = {};
	reference::host_memory<bounded> memory;
	p.M = test->shape.size[SIZE_M];
	p.N = test->shape.size[SIZE_K];
	p.K = test->shape.size[SIZE_N];
	p.A.data = of->left.data();
	p.B.data = of->right.data();
	reference::host_run(p, memory, {1, 0});
	return memory.steps.back();
}

/* Sums of element (i, j), as the referee's device makes them. */
static struct check_element element_of(const struct test_case *test, const struct operands *of,
									   size_t i, size_t j)
{
	size_t n = test->shape.size[SIZE_N], depth = test->shape.size[SIZE_K];
	struct check_element element = {};
	for (size_t k = 0; k < depth; k++) {
		double term = (double)of->left[i * depth + k] * of->right[k * n + j];
		element.product += term;
		element.magnitude += fabs(term);
		element.squares += term * term;
	}
	element.out = element.product;
	return element;
}

static double apart(double a, double b)
{
	return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* How far both bounds, and both deviations, are apart at most. */
struct difference {
	double bound, deviation;
};

static struct difference difference_of(const struct problem *problem, struct test_case test)
{
	struct check_input input = {};
	struct difference most = {0, 0};
	test.exact = false;
	input.problem = problem;
	input.test = &test;
	input.product.unit_roundoff = 0x1p-53;
	struct check_rule rule = check_rule_of(&input);
	struct operands of = {operand_of(problem, &test, PART_LEFT),
						  operand_of(problem, &test, PART_RIGHT)};
	std::vector<bounded> mine = by_reference(&test, &of);
	size_t n = test.shape.size[SIZE_N];
	for (size_t at = 0; at < mine.size(); at++) {
		struct check_element element = element_of(&test, &of, at / n, at % n);
		struct check_finding finding = check_one(&rule, &element);
		double deviation = sqrt(mine[at].spread.own + mine[at].bias * mine[at].bias);
		most.bound = fmax(most.bound, apart(finding.bound, mine[at].error));
		if (finding.deviation > 0x1p-100) /* far above what underflows */
			most.deviation = fmax(most.deviation, apart(finding.deviation, deviation));
	}
	return most;
}

int main()
{
	const struct problem *problem = problem_find("matmul-f32");
	struct difference most = {0, 0};
	for (size_t i = 0; i < CASES; i++) {
		struct difference found =
			difference_of(problem, case_generate(problem, 1, i, CASE_SIZES_MIXED, LARGEST, 1));
		most = {fmax(most.bound, found.bound), fmax(most.deviation, found.deviation)};
	}
	printf("%d cases: bounds are at most %.2g apart, deviations %.2g\n", CASES, most.bound,
		   most.deviation);
	return most.bound <= ALLOWED && most.deviation <= ALLOWED ? 0 : 1;
}
