/* The command line of each subcommand, from one table (options.c): parsing,
 * strict numbers, errors with a suggestion, and the option part of --help. */
#ifndef GEMMJUDGE_CLI_OPTIONS_H
#define GEMMJUDGE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "testcases/case.h"

#define OPTIONS_SUITES_MAX 32
#define OPTIONS_SHAPES_MAX 256
/* Sizes that can be asked for; 32768^2 elements still fit 4-byte indices. */
#define OPTIONS_DIM_MAX 32768

enum command {
	COMMAND_JUDGE = 1 << 0,
	COMMAND_BENCH = 1 << 1,
	COMMAND_LIST = 1 << 2,
	COMMAND_NEW = 1 << 3,
	COMMAND_DOCTOR = 1 << 4,
	COMMAND_COMPARE = 1 << 5,
};

/* What was asked for. Strings point into argv. Absent: NULL, 0 or false, but
 * for what options_parse() names below. */
struct options {
	const char *const *arguments; /* what is no option, in order */
	size_t argument_count;
	const char *problem;
	const char *epilogue;  /* a chain of stages */
	const char *device;    /* "auto" when absent */
	const char *emulate;   /* name of a GPU */
	const char *tolerance; /* "bound" when absent */
	const char *json, *junit, *markdown, *svg;
	bool has_cases, has_seed;
	size_t cases;
	uint64_t seed;
	const char *suites[OPTIONS_SUITES_MAX];
	size_t suite_count;
	struct shape shapes[OPTIONS_SHAPES_MAX];
	size_t shape_count;
	bool no_timing; /* --time none */
	bool has_alpha, has_beta;
	double alpha, beta;
	int max_dim, multiple;
	enum case_sizes sizes;  /* of generated cases; mixed when absent */
	double timeout, budget; /* seconds */
	size_t memory_mib;
	bool check_race, counters;
	const char *sanitize, *under;
	bool verbose, no_color, help;
};

/* Reads argv[1..] (argv[0] is the subcommand) and moves what is no option to
 * its end. */
bool options_parse(enum command command, int argc, char **argv, struct options *out,
				   struct error *err);

/* The options of a command, a line or two each, in 80 columns. */
void options_help(enum command command, FILE *out);

/* Decimal digits, or 0x and hexadecimal digits; nothing before or after. */
bool options_number(const char *text, uint64_t max, uint64_t *out);

/* A finite decimal number; nothing before or after. */
bool options_real(const char *text, double *out);

#endif
