/* What main() and the subcommands share. */
#ifndef GEMMJUDGE_CLI_CLI_H
#define GEMMJUDGE_CLI_CLI_H

#include "cli/options.h"

/* Exit statuses, the same for every subcommand. */
enum {
	EXIT_ACCEPTED = 0,     /* all that was asked for went well */
	EXIT_NOT_ACCEPTED = 1, /* a solution was not accepted */
	EXIT_BAD_INPUT = 2,    /* usage, a file that cannot be read or written */
	EXIT_CANNOT_RUN = 3,   /* no compiler, no such device */
};

/* A subcommand: argv[0] is its name. `program` is how the user started us. */
int command_judge(const char *program, int argc, char **argv);
int command_bench(const char *program, int argc, char **argv);
int command_compare(const char *program, int argc, char **argv);
int command_list(const char *program, int argc, char **argv);
int command_new(const char *program, int argc, char **argv);
int command_doctor(const char *program, int argc, char **argv);

/* "gemmjudge: " and the line to stderr. Returns `status`, so that a command can
 * end with `return cli_fail(EXIT_BAD_INPUT, &err)`. */
int cli_fail(int status, const struct error *err);

/* Flushes stdout; a full disk or a closed pipe turns `status` into a failure. */
int cli_finish(int status);

void help_program(FILE *out);
void help_command(enum command command, FILE *out);

#endif
