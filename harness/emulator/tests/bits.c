/* Hashes of what instructions give, bit for bit: on a GPU, or on the emulated one.
 *
 *   bits list
 *       the names of what there is
 *   bits functions BLOCKS [NAME...]
 *       functions of one operand: of those of 32 bits, or of the upper word of f64, every
 *       256 / BLOCKS-th block of 2^24 inputs; of 16 bits all inputs
 *   bits forms ROUNDS [SUITE...]
 *       ROUNDS launches of a suite's kernel (model.h) in each range
 *   bits record [NAME...]
 *       the rows of a file, of functions and suites of these names or of all
 *   bits check FILE [--all] [NAME...]
 *       compares with the first hash of its rows, or with both
 *   bits dump FUNCTION FIRST COUNT FILE, bits dump SUITE RANGE ROUND FILE
 *       results of COUNT inputs of a function, or of one launch of a suite
 *
 * A line of `functions` and `forms` is a name, the first input or a range, and a hash of 64 bits.
 * Exit status 1: check found a difference, or what has no row; 2: it cannot be run here. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct model_suite *suite_named(const char *name)
{
	for (size_t i = 0; i < bits_suite_count; i++)
		if (strcmp(bits_suites[i].suite->name, name) == 0)
			return bits_suites[i].suite;
	return NULL;
}

static const struct bits_function *function_named(const char *name)
{
	for (size_t i = 0; i < bits_function_count; i++)
		if (strcmp(bits_functions[i].name, name) == 0)
			return &bits_functions[i];
	return NULL;
}

static int list(void)
{
	char name[BITS_NAME];
	for (size_t i = 0; i < bits_function_count; i++)
		printf("%s\n", bits_functions[i].name);
	for (size_t i = 0; i < bits_suite_count; i++)
		for (size_t j = 0; j < bits_form_count(bits_suites[i].suite); j++) {
			bits_form_name(bits_suites[i].suite, j, name);
			printf("%s %s\n", bits_suites[i].suite->name, name);
		}
	return 0;
}

static bool are_known(bool functions, bool suites, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (!(functions && function_named(names[i])) && !(suites && suite_named(names[i]))) {
			fprintf(stderr, "bits: there is no %s here; `bits list` has the names\n", names[i]);
			return false;
		}
	return true;
}

static bool is_chosen(const char *name, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return count == 0;
}

static bool print_function(const struct bits_function *function, unsigned blocks)
{
	uint64_t hashes[BITS_BLOCKS];
	const unsigned step = BITS_BLOCKS / blocks, count = bits_is_half(function) ? 1 : blocks;
	if (!bits_hash_function(function, 0, step, count, hashes))
		return false;
	for (unsigned i = 0; i < count; i++)
		printf("%s %08x %016llx\n", function->name, i * step << 24, (unsigned long long)hashes[i]);
	return true;
}

static int print_functions(unsigned blocks, int count, char **names)
{
	if (!are_known(true, false, count, names))
		return 2;
	for (size_t i = 0; i < bits_function_count; i++)
		if (is_chosen(bits_functions[i].name, count, names) &&
			!print_function(&bits_functions[i], blocks))
			return 2;
	return 0;
}

static bool print_suite(const struct model_suite *suite, unsigned rounds)
{
	char name[BITS_NAME];
	const size_t forms = bits_form_count(suite);
	uint64_t *hashes = calloc(forms, MODEL_RANGES * sizeof *hashes);
	bool good = hashes && bits_hash_forms(suite, rounds, hashes);
	for (size_t i = 0; good && i < MODEL_RANGES * forms; i++) {
		bits_form_name(suite, i % forms, name);
		printf("%s %zu %016llx\n", name, i / forms, (unsigned long long)hashes[i]);
	}
	free(hashes);
	return good;
}

static int print_forms(unsigned rounds, int count, char **names)
{
	if (!are_known(false, true, count, names))
		return 2;
	for (size_t i = 0; i < bits_suite_count; i++)
		if (is_chosen(bits_suites[i].suite->name, count, names) &&
			!print_suite(bits_suites[i].suite, rounds))
			return 2;
	return 0;
}

static int dump(char **arguments)
{
	const struct model_suite *suite = suite_named(arguments[0]);
	const struct bits_function *function = function_named(arguments[0]);
	unsigned long first = strtoul(arguments[1], NULL, 0), count = strtoul(arguments[2], NULL, 0);
	if (!are_known(true, true, 1, arguments))
		return 2;
	bool good = suite ? bits_dump_suite(suite, (unsigned)first, (unsigned)count, arguments[3])
					  : bits_dump_function(function, (uint32_t)first, count, arguments[3]);
	return good ? 0 : 2;
}

/* Of bits check, behind its FILE. */
static int check(int count, char **arguments)
{
	const bool all = count > 1 && strcmp(arguments[1], "--all") == 0;
	const int options = all ? 2 : 1;
	if (!are_known(true, true, count - options, arguments + options))
		return 2;
	return bits_check(arguments[0], all, count - options, arguments + options);
}

static bool is_usage(int count, char **arguments)
{
	const char *verb = count > 1 ? arguments[1] : "";
	const unsigned long number = count > 2 ? strtoul(arguments[2], NULL, 10) : 0;
	return strcmp(verb, "list") == 0 || strcmp(verb, "record") == 0 ||
		   (strcmp(verb, "dump") == 0 && count == 6) || (strcmp(verb, "check") == 0 && count > 2) ||
		   (strcmp(verb, "functions") == 0 && number > 0 && number <= BITS_BLOCKS &&
			BITS_BLOCKS % number == 0) ||
		   (strcmp(verb, "forms") == 0 && number > 0);
}

int main(int count, char **arguments)
{
	if (!is_usage(count, arguments)) {
		fprintf(stderr, "usage: bits list | functions BLOCKS [NAME...] | forms ROUNDS [SUITE...] | "
						"record [NAME...] | check FILE [--all] [NAME...] | "
						"dump NAME FIRST COUNT FILE\n");
		return 2;
	}
	const char *verb = arguments[1];
	if (strcmp(verb, "list") == 0)
		return list();
	if (!bits_open())
		return 2;
	if (strcmp(verb, "record") == 0)
		return are_known(true, true, count - 2, arguments + 2)
				   ? bits_record(count - 2, arguments + 2)
				   : 2;
	if (strcmp(verb, "check") == 0)
		return check(count - 2, arguments + 2);
	if (strcmp(verb, "dump") == 0)
		return dump(arguments + 2);
	return (strcmp(verb, "forms") == 0 ? print_forms : print_functions)(
		(unsigned)strtoul(arguments[2], NULL, 10), count - 3, arguments + 3);
}
