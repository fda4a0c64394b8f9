/* The kinds of options: how a value is read, where it goes, how it is written again. */
#ifndef GEMMJUDGE_CLI_READER_H
#define GEMMJUDGE_CLI_READER_H

#include "base/suggest.h"
#include "cli/line.h"
#include "cli/options.h"
#include "report/report.h"

/* Sizes that can be asked for without --large-sizes; 32768^2 elements still fit 4-byte indices. */
#define DIM_MAX 32768

/* Where an option stands in the command line that does the same again. */
enum again {
	AGAIN_LAST,
	AGAIN_DEVICE, /* before these: where it runs */
	AGAIN_SEED,   /* before all: it must fit */
	AGAIN_NOT,    /* says nothing about what was judged */
};

/* Where --help and the manual page have an option. */
enum option_group {
	GROUP_NONE, /* of no row */
	GROUP_FIRST,
	GROUP_SOLUTION,
	GROUP_CASES,
	GROUP_DEVICE,
	GROUP_TIMING,
	GROUP_SCHEDULES,
	GROUP_LIMITS,
	GROUP_OUTPUT,
	GROUP_STORE,
	GROUP_COUNT,
};

struct kind;

/* How an option differs in some subcommands from its row. What is absent (NULL, 0) is as there. */
struct row_variant {
	const char *commands; /* blanks between them; NULL behind the last variant */
	const char *help;
	enum option_group group;
	/* These four are taken together, where there is `why`; "" if all others are NULL. */
	const char *excludes, *unless, *goes_with, *why;
	const char *needs;
	uint64_t to;        /* of sizes, without --large-sizes too */
	bool writes_report; /* the subcommand writes the output itself */
};

/* An option. */
struct row {
	const char *name;
	const char *value;                  /* what --help calls it; NULL: the option takes none */
	const char *commands;               /* the subcommands, blanks between them; NULL: all */
	const char *help;                   /* NULL: --help and suggestions do not know the option */
	const struct row_variant *variants; /* other subcommands that have it; NULL: none */
	enum option_group group;
	const struct kind *kind;
	size_t at, size; /* of what it fills in struct options */
	/* Names of options, blanks between them; those that a subcommand has not are of others. */
	const char *excludes;  /* no one of these is given with it */
	const char *unless;    /* this one lets them stand together; NULL: none does */
	const char *goes_with; /* at least one of these is given with it; NULL: it stands alone */
	const char *why;       /* the end of the line that refuses what these three forbid */
	enum again again;
	uint64_t from, to;        /* of a whole number */
	const char *const *names; /* of a word; NULL after the last */
	/* What a word that is none of `names` may have meant; NULL: the nearest of them. */
	const char *(*suggest)(char out[SUGGEST_TEXT], const char *word);
	const char *needs;    /* the end of the line that refuses a value */
	const char *mark;     /* of an output: how files of a source's name begin that it wrote, which
							 it may replace; NULL: it writes no sources */
	report_writer report; /* of an output of judge, bench and compare: what writes it */
	report_writer report_verbose; /* the same with --verbose; NULL: the same */
	char letter;                  /* its short form; 0: none */
	const char *also;             /* words of other tools for it (base/suggest.h); NULL: none */
	const char *also_value;       /* the value that they stand for; NULL: any */
	const char *also_says;        /* what else is to be known of them; NULL: nothing */
};

struct kind {
	/* The text is NULL where the option takes no value. */
	bool (*read)(const struct row *row, const char *text, struct options *options,
				 struct error *err);
	/* Adds the option unless it is as it would be without it. */
	void (*write)(const struct row *row, const struct options *options, struct command_line *line);
	enum value_use use;
	/* Unless it is VALUE_PLAIN: the i-th file that the option names, NULL behind the last, "" for
	 * what is no file of the user's. */
	const char *(*file)(const struct row *row, const struct options *options, size_t i,
						char scratch[PATHS_MAX]);
};

/* All options of all subcommands, from options.c. */
#define OPTION_ROWS_MAX 128
extern const struct row option_rows[];
extern const size_t option_row_count;
extern const char *const option_groups[GROUP_COUNT]; /* their headings */

bool option_row_is_of(const struct row *row, const char *command);
/* The row as the subcommand, which has it, has it: without variants. */
struct row option_row_in(const struct row *row, const char *command);
/* Whether the word is one of a list with blanks between them. */
bool option_list_has(const char *list, const char *word);

/* What each fills is said in brackets. */
extern const struct kind kind_flag; /* (bool) */
extern const struct kind kind_text; /* not blank (const char *), and so are */
extern const struct kind
	kind_output; /* a file that is written, under the rules of written_files.h, */
extern const struct kind kind_output_folder; /* a folder of such files, */
extern const struct kind kind_input;         /* a file that is read, or - for stdin, */
extern const struct kind kind_chain;         /* stages of an epilogue, some of them files, */
extern const struct kind kind_store;         /* and the file of the store */
extern const struct kind kind_word;          /* one of row->names (const char *: that name) */
extern const struct kind kind_color;         /* the same, from color_names (enum color_when) */
extern const struct kind kind_whole;         /* from row->from to row->to (int, size_t) */
extern const struct kind kind_scalar;        /* any number (struct judge_scalar) */
extern const struct kind kind_seconds;       /* above 0, a day at most (double) */
extern const struct kind kind_seed;          /* (uint64_t), and has_seed */
extern const struct kind kind_device;        /* (const char *: its text), and the rest of it */
extern const struct kind kind_tolerance;     /* the same */
/* These fill members of their own. */
extern const struct kind kind_problem;
extern const struct kind kind_problem_file;
extern const struct kind kind_sizes;
extern const struct kind kind_layers;     /* of the jail: names, commas between them (unsigned) */
extern const struct kind kind_suite;      /* one more at each time, as does */
extern const struct kind kind_nvcc_flag;  /* this one, */
extern const struct kind kind_nvcc_flags; /* the same, several with blanks between them, */
extern const struct kind kind_case;       /* this one: names with commas between them, */
extern const struct kind kind_shape;      /* this one: sizes up to row->to; above row->from they are
											  `oversized` */
extern const struct kind kind_shapes;     /* the same, the lines of one file */
extern const struct kind kind_baseline;   /* this one: a file, or a command */
extern const struct kind kind_over;       /* sizes of a sweep, with the same limits */
extern const struct kind kind_time;       /* one shape, or none */
extern const struct kind kind_library;    /* a word, or a file, */
extern const struct kind kind_cublas;     /* two folders at most */

#endif
