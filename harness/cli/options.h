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

/* Files that are written, and how the text for people looks. */
struct output_options {
	const char *json, *jsonl, *junit, *markdown, *html, *svg, *csv;
	const char *annotate; /* one of annotate_kinds */
	enum color_when color;
	bool verbose, quiet;
};

/* What is remembered of a run. */
struct store_options {
	const char *file; /* of judgements */
	const char *as;   /* the name that a file is remembered by, instead of its own */
	const char *job;  /* the submission to serve that is judged */
	bool none, no_sources;
	bool seed_drawn; /* the seed is one that an earlier run drew */
};

/* Sizes that are as large as --large-sizes alone allows. */
struct size_options {
	bool large;
	char oversized[96]; /* where a shape stands that needs it, and the shape; or "" */
};

/* history, leaderboard, rejudge: what is asked of the store. */
struct query_options {
	const char *since;   /* a date */
	const char *fastest; /* a folder for the fastest version */
	const char *site;    /* a folder for pages */
	bool submitted;      /* only what was submitted to serve */
};

/* judge, bench: a file of requests. */
struct batch_options {
	const char *requests;
	const char *first; /* one of first_names, or NULL */
};

struct watch_options {
	bool on;
	struct watched *last; /* where a run leaves what it came to */
};

struct starter_options {
	const char *stage; /* of an epilogue */
	const char *exercise;
};

struct tune_options {
	const char *top;
	double time_limit;       /* seconds for all of it; 0: 60 */
	bool model_only, judges; /* nothing is measured */
	bool exhaustive;
	const char *table; /* a file for what was chosen */
};

/* serve, and judge and bench with --batch: what each judgement goes behind, and how many do. */
struct through_options {
	const char *command;
	size_t workers;
};

struct audit_options {
	const char *library;
	const char *cublas[2]; /* folders */
	size_t cublas_count;
};

struct serve_options {
	const char *listen;
	size_t queue, queue_of_user;
	size_t disk_mib, disk_of_user_mib;
	double seconds_of_user;
	const char *standard; /* a file */
	bool public;
};

struct submit_options {
	const char *server, *token_file;
	const char *id;   /* of what was submitted before */
	const char *wait; /* "yes" or "no" */
	bool plain_http;
};

/* What was asked for: what all have, what several share, and what one subcommand has by itself.
 * Strings point into argv. Absent: NULL, 0 or false. Never copied: `judge` points into `lists`. */
struct options {
	const char *command;          /* the subcommand */
	const char *const *arguments; /* what is no option, in order */
	size_t argument_count;
	bool help;

	struct judge_options judge;
	struct option_lists lists;
	struct size_options sizes;
	bool has_seed, tuned;
	const char *gpu; /* a part of its name */
	struct output_options output;
	struct store_options store;
	struct query_options query;

	struct batch_options batch; /* judge, bench */
	struct through_options through;
	struct watch_options watch; /* judge */
	struct starter_options starter;
	struct tune_options tune;
	struct audit_options audit;
	struct serve_options serve;
	struct submit_options submit;
	const char *role; /* user */
};

/* Reads argv[1..] (argv[0] is the subcommand) and moves what is no option to its end. False with
 * err where an option is none, has no such value, or does not suit another one. */
bool options_parse(int argc, char **argv, struct options *out, struct error *err);

/* The head of a subcommand's --help in lines of `width` columns: paragraphs are broken, lines that
 * begin with a blank or "usage:" are not. */
void options_usage(const char *usage, int width, FILE *out);
bool options_keeps_line(const char *line); /* whether it is such a line, or empty */

/* The options of a subcommand in lines of `width` columns; in groups with a heading each where
 * there are more than ten. */
void options_help(const char *command, int width, FILE *out);

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
struct option_description {
	const char *name, *value, *help;
	const char *group; /* its heading; NULL: the subcommand's options have none */
	bool begins_group;
	const char *excludes, *goes_with; /* names of options, blanks between them; or NULL */
	char letter;                      /* 0: none */
	const char *const *words;         /* that the value may be; NULL-ended, or NULL */
	bool is_problem, is_file;         /* the value is a problem's name, a file's */
	enum value_use use;
};
bool options_facts(const char *command, size_t i, struct option_description *out);

/* The command line that does the same again, quoted for a shell; "..." ends it where it
 * does not fit. */
void options_again(const struct options *options, const char *program, char *out, size_t capacity);

#endif
