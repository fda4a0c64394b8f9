/* What main() and the subcommands share. */
#ifndef GEMMJUDGE_CLI_CLI_H
#define GEMMJUDGE_CLI_CLI_H

#include "cli/options.h"

/* Exit statuses, the same for every subcommand. */
enum {
	EXIT_ACCEPTED = 0,     /* all that was asked for went well */
	EXIT_NOT_ACCEPTED = 1, /* a solution was not accepted */
	EXIT_BAD_INPUT = 2,    /* usage, a file that cannot be read or written */
	EXIT_CANNOT_RUN = 3,   /* no compiler or device, the run cannot go on, a full disk */
};

/* A subcommand. Its options are those that options.c gives to its name. */
struct subcommand {
	const char *name;
	const char *also;            /* words of other tools for it (base/suggest.h); NULL: none */
	const char *takes, *summary; /* for the list of subcommands */
	const char *usage;           /* the head of its --help (options_usage()) */
	/* The exit status; `program` is how the user started us. */
	int (*run)(const char *program, struct options *options);
};

/* Each is the file of its name, and a row of subcommands.def. */
#define SUBCOMMAND(name) extern const struct subcommand subcommand_##name;
#include "cli/subcommands.def"
#undef SUBCOMMAND

/* All of them, as --help shows them; NULL after the last. */
extern const struct subcommand *const subcommands[];

/* "gemmjudge: " and the text, made clean and one line, to stderr. */
void cli_tell(const char *text);

/* Tells the error's line, as cli_tell(). Returns `status`, so that a command can
 * end with `return cli_fail(EXIT_BAD_INPUT, &err)`. */
int cli_fail(int status, const struct error *err);

/* Flushes stdout; a full disk or a closed pipe turns `status` into a failure. */
int cli_finish(int status);

#endif
