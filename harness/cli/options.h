/* The command line of each subcommand, from one table (options.c): parsing, errors with
 * a suggestion, the option part of --help, and the command that does the same again. */
#ifndef GEMMJUDGE_CLI_OPTIONS_H
#define GEMMJUDGE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/paths.h"
#include "judge/judge.h"

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define OPTIONS_SUITES_MAX 32
#define OPTIONS_SHAPES_MAX 4096
#define OPTIONS_ONLY_MAX 64

/* The lists that struct judge_options points to. */
struct option_lists {
	const char *nvcc_flags[JUDGE_FLAGS_MAX + 1];
	const char *suites[OPTIONS_SUITES_MAX + 1];
	const char *only[OPTIONS_ONLY_MAX];
	const char *baselines[JUDGE_BASELINES_MAX];
	struct shape_text shapes[OPTIONS_SHAPES_MAX];
	uint32_t shape_lines[OPTIONS_SHAPES_MAX];
};

/* What was asked for. Strings point into argv. Absent: NULL, 0 or false. Never copied: `judge`
 * points into `lists`. */
struct options {
	struct judge_options judge;
	struct option_lists lists;
	const char *command;          /* the subcommand */
	const char *const *arguments; /* what is no option, in order */
	size_t argument_count;
	const char *json, *jsonl, *junit, *markdown, *html, *svg, *csv;
	const char *stage;     /* new: of an epilogue */
	const char *exercise;  /* the same */
	const char *site;      /* leaderboard: a folder for pages */
	const char *annotate;  /* one of annotate_kinds */
	const char *store;     /* the file of judgements that are remembered */
	const char *stored_as; /* judge: the name that a file is remembered by, instead of its own */
	const char *since;     /* rejudge: a date */
	const char *fastest;   /* history: a folder for the fastest version */
	const char *gpu;       /* a part of its name */
	const char *top;       /* tune */
	double time_limit;     /* the same: seconds for all of it; 0: 60 */
	char oversized[96];    /* where a shape stands that needs large_sizes, and the shape; or "" */
	bool model_only;       /* the same, as are these */
	bool judge_ranked, exhaustive;
	bool tuned;
	const char *batch; /* judge, bench: a file of requests */
	const char *first; /* the same: one of first_names, or NULL */
	const char *export_table;
	const char *listen, *through; /* serve, as are these; through and workers also of a batch */
	size_t workers, queue, queue_of_user;
	double seconds_of_user;
	bool public;
	const char *role; /* user */
	/* submit: where, a file with the token, what was submitted before, "yes" or "no" */
	const char *server, *token_file, *submission, *wait;
	bool no_store, no_sources, large_sizes;
	enum color_when color;
	bool has_seed, verbose, quiet, watch, help;
	struct watched *watched; /* watch: where a run leaves what it came to */
};

/* Reads argv[1..] (argv[0] is the subcommand) and moves what is no option to its end. False with
 * err where an option is none, has no such value, or does not suit another one. */
bool options_parse(int argc, char **argv, struct options *out, struct error *err);

/* The options of a subcommand, a line or two each, in 80 columns; in groups with a heading each
 * where there are more than ten. */
void options_help(const char *command, FILE *out);

/* The words of the options as they are, but for those whose names `but` has, with blanks between
 * them; what is as it would be without an option has none. */
void options_words(const struct options *options, const char *but,
				   void (*take)(void *context, const char *word), void *context);

/* What the value of an option is to a run. */
enum value_use {
	VALUE_PLAIN,   /* no file, or none that matters to what is written */
	VALUE_READ,    /* files that are read */
	VALUE_WRITTEN, /* a file that is written, or "-" */
	VALUE_FOLDER,  /* a folder that files are written into */
	VALUE_STORE,
};

/* The i-th file that the options name for this use. */
struct option_file {
	const char *option, *path;
	const char *mark; /* reader.h */
	char scratch[PATHS_MAX];
};
bool options_file(const struct options *options, enum value_use use, size_t i,
				  struct option_file *out);

/* The i-th option of a subcommand as --help shows them, for whatever else tells of them. */
struct option_facts {
	const char *name, *value, *help;
	const char *group; /* its heading; NULL: the subcommand's options have none */
	bool begins_group;
	const char *excludes, *goes_with; /* names of options, blanks between them; or NULL */
	char letter;                      /* 0: none */
	const char *const *words;         /* that the value may be; NULL-ended, or NULL */
	bool is_problem, is_file;         /* the value is a problem's name, a file's */
	enum value_use use;
};
bool options_facts(const char *command, size_t i, struct option_facts *out);

/* The command line that does the same again, quoted for a shell; "..." ends it where it
 * does not fit. */
void options_again(const struct options *options, const char *program, char *out, size_t capacity);

#endif
