#include "testcases/limits.h"

#include "testcases/rules.h"

static struct draw_limits limits_of(const struct problem_size *size, int max_dim)
{
	struct draw_limits limits = {size->min, size->max};
	if (max_dim < limits.high)
		limits.high = max_dim > limits.low ? max_dim : limits.low;
	return limits;
}

int limits_most(const struct problem *problem, int max_dim)
{
	bool vectors = problem->file != NULL;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		vectors = vectors && operand->rules->rank == 1;
	return !vectors ? max_dim : max_dim < 46341 ? max_dim * max_dim : INT32_MAX;
}

struct draw_all_limits draw_limits_of(const struct problem *problem, int max_dim)
{
	static const enum size products[] = {SIZE_M, SIZE_N, SIZE_K};
	struct draw_all_limits all = {0};
	max_dim = limits_most(problem, max_dim);
	for (int i = 0; problem->file == NULL && i < 3; i++) {
		const struct problem_size *size = problem_size_of(problem, products[i]);
		all.size[i] = products[i];
		all.of[i] = limits_of(size != NULL ? size : problem_size_of(problem, SIZE_M), max_dim);
		all.count++;
	}
	for (int i = 0; problem->file != NULL && problem->sizes[i].name != NULL; i++) {
		const struct size_rules *rules = &problem->rules->sizes[i];
		if (rules->uniform || rules->nonzeros_of >= 0)
			continue;
		all.size[all.count] = (enum size)(SIZE_NAMED + i);
		all.of[all.count++] = limits_of(&problem->sizes[i], max_dim);
	}
	return all;
}
