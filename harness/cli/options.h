/* The command line of each subcommand, from one table (options.c): parsing, errors with
 * a suggestion, the option part of --help, and the command that does the same again. */
#ifndef GEMMJUDGE_CLI_OPTIONS_H
#define GEMMJUDGE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "judge/judge.h"

/* What was asked for. Strings point into argv. Absent: NULL, 0 or false. */
struct options {
	struct judge_options judge;
	const char *command;          /* the subcommand */
	const char *const *arguments; /* what is no option, in order */
	size_t argument_count;
	const char *json, *junit, *markdown, *svg;
	const char *store;       /* the file of judgements that are remembered */
	const char *device_name; /* leaderboard: part of it */
	bool no_store, as_json;
	bool has_seed, verbose, no_color, help;
};

/* Reads argv[1..] (argv[0] is the subcommand) and moves what is no option to its end. */
bool options_parse(int argc, char **argv, struct options *out, struct error *err);

/* The options of a subcommand, a line or two each, in 80 columns. */
void options_help(const char *command, FILE *out);

/* The command line that does the same again, quoted for a shell; "..." ends it where it
 * does not fit. */
void options_again(const struct options *options, const char *program, char *out, size_t capacity);

#endif
