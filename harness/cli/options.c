#include "cli/options.h"

#include <getopt.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/reader.h"
#include "cli/tune_files.h"
#include "gpu/models.h"
#include "judge/run/emulated.h"
#include "judge/run/tool.h"
#include "report/annotate.h"
#include "report/ranking.h"

/* Sizes that can be asked for without --large-sizes; 32768^2 elements still fit 4-byte indices. */
#define DIM_MAX 32768

#define TIMES "bench compare"
#define GENERATES "judge bench"
#define RUNS "judge bench compare"

#define GPU_KNOWN " (the one at hand; without one\n" GPU_DEFAULT "):" GPU_IDS

#define ASKS "history diff leaderboard" /* the store */

#define FILLS(kind_of_it, member)                                                                  \
	.kind = &(kind_of_it), .at = offsetof(struct options, member),                                 \
	.size = sizeof(((struct options *)NULL)->member)

static const char *const color_names[] = {"auto", "always", "never", NULL};

static const struct row rows[] = {
	{"problem", "P", RUNS " new tune explain",
	 "which problem it solves; else its folder tells\n(solutions/gemm_f16/x.cu solves gemm-f16)",
	 .kind = &kind_problem, .letter = 'p'},
	{"problem", "P", "history leaderboard", "only this problem", .kind = &kind_problem},
	{"epilogue", "CHAIN", RUNS " tune explain",
	 "stages fused into the kernel, as in\nalpha_beta,bias,clamp:0:6 or ./my_stage.cuh:0.5",
	 FILLS(kind_chain, judge.epilogue),
	 .needs = "a chain of stages ('gemmjudge list epilogues' shows them)", .letter = 'e'},
	{"epilogue", "NAME", "new", "writes the starter of an epilogue stage instead",
	 FILLS(kind_text, judge.epilogue), .needs = "a name for the stage", .letter = 'e'},
	{"nvcc-flag", "FLAG", RUNS " tune explain",
	 "a flag for nvcc, such as -std=c++20 or -rdc=true; may\nbe repeated (one word at a time)",
	 .kind = &kind_nvcc_flag, .needs = "a flag of nvcc"},
	{"nvcc-flags", "FLAGS", RUNS " tune explain",
	 "several, with blanks between them: \"-std=c++20 -Iinc\"", .kind = &kind_nvcc_flags,
	 .again = AGAIN_NOT, .needs = "flags of nvcc"},
	{"tuned", NULL, RUNS,
	 "compiles files with the constants that tune chose for\nthem, for the shape that is timed",
	 FILLS(kind_flag, tuned)},
	{"device", "D", RUNS " tune explain",
	 "auto (a GPU if there is one), cuda, cuda:N,\nemu (the emulated GPU), emu:DIR (a "
	 "libcudart.so.13\nof another emulator); of judge also several, each with\na file: cuda:all, "
	 "cuda:0,2, emulated:4",
	 FILLS(kind_device, judge.device.text), .again = AGAIN_DEVICE, .letter = 'd'},
	{"device", "D", "leaderboard", "only GPUs that have this in their name, such as h200",
	 FILLS(kind_text, device_name), .needs = "a part of a GPU's name"},
	{"emulate", "GPU", "judge",
	 "with --device emu:" GPU_EMULATED_IDS " (the default: " GPU_DEFAULT ")",
	 FILLS(kind_word, judge.emulate), .again = AGAIN_DEVICE, .names = gpu_emulated_ids,
	 .words = SUGGEST_EMULATED},
	{"check", "WHAT", "judge",
	 "with --device emu: what is looked for beyond what a GPU\nrefuses: default (what PTX leaves "
	 "undefined), race (and\nraces in shared memory) or none",
	 FILLS(kind_word, judge.emulated_check), .again = AGAIN_DEVICE, .names = emulated_checks,
	 .needs = "default, race or none is needed"},
	{"counters", NULL, "judge",
	 "with --device emu: what each kernel did (instructions,\nmemory sectors, bank conflicts)",
	 FILLS(kind_flag, judge.counters), .again = AGAIN_DEVICE},
	{"large-cases", NULL, "judge",
	 "with --device emu: also cases that would take it\nminutes, which else are left out (not_run)",
	 FILLS(kind_flag, judge.large_cases), .again = AGAIN_DEVICE},
	{"sanitize", "CHECK", "judge",
	 "on a GPU: runs the solution under compute-sanitizer;\nCHECK is memcheck, racecheck, "
	 "initcheck or synccheck",
	 FILLS(kind_word, judge.sanitize), .again = AGAIN_DEVICE, .names = tool_checks},
	{"under", "COMMAND", "judge",
	 "runs the solution's process under a tool, such as\n\"ncu --set full\", and shows what it "
	 "prints in ending",
	 FILLS(kind_text, judge.under), .again = AGAIN_DEVICE, .needs = "a command"},
	{"cases", "N", "judge", "how many generated cases (32; 12 on the emulated GPU)",
	 FILLS(kind_whole, judge.cases), .from = 1, .to = 1000000, .letter = 'n'},
	{"cases", "N", "bench", "times so many generated cases", FILLS(kind_whole, judge.cases),
	 .from = 1, .to = 1000000, .letter = 'n'},
	{"model-only", NULL, "tune", "only ranks the schedules; needs no GPU",
	 FILLS(kind_flag, model_only)},
	{"check", NULL, "tune", "judges the first schedules for correctness", FILLS(kind_flag, check)},
	{"gpu", "NAME", "explain", "whose time is predicted" GPU_KNOWN, FILLS(kind_text, gpu),
	 .needs = "the name of a GPU, such as h200"},
	{"gpu", "NAME", "tune", "that schedules are for" GPU_KNOWN, FILLS(kind_text, gpu),
	 .needs = "the name of a GPU, such as h200"},
	{"top", "N", "tune",
	 "how many of the best ranked are shown, or all (10; of\nseveral shapes 1 each)",
	 FILLS(kind_text, top), .needs = "a number, or all"},
	{"cases", "N", "tune", "with --check: judges each schedule on so many\ngenerated cases (4)",
	 FILLS(kind_whole, judge.cases), .from = 1, .to = 1000000, .letter = 'n'},
	{"seed", "S", RUNS " tune explain", "draws the cases and values of an earlier run again",
	 FILLS(kind_seed, judge.seed), .again = AGAIN_SEED, .to = UINT64_MAX,
	 .needs = "a whole number below 2^64, decimal or 0x..., is needed"},
	{"suite", "SUITE", "tune",
	 "the shapes of a suite; with --check the cases that\nschedules are judged on; may be repeated",
	 .kind = &kind_suite, .letter = 's'},
	{"suite", "SUITE", RUNS,
	 "cases of a suite (a name, or a FILE.ini) instead of\ngenerated ones; may be repeated",
	 .kind = &kind_suite, .letter = 's'},
	{"case", "NAME", "judge",
	 "of all these cases only this one (random-4); may be\nrepeated, or have several with commas",
	 .kind = &kind_case, .letter = 'c', .needs = "the name of a case, such as random-4"},
	{"fail-fast", NULL, "judge", "ends at the first case that is not accepted",
	 FILLS(kind_flag, judge.fail_fast), .letter = 'x'},
	{"max-dim", "D", RUNS " tune",
	 "no size above D (generated cases: the problem's own\nlimit; 192 on the emulated GPU)",
	 FILLS(kind_whole, judge.max_dim), .from = 1, .to = DIM_MAX},
	{"multiple-of", "D", RUNS,
	 "every size a multiple of D: those of generated cases\nare rounded, other cases of a suite "
	 "left out",
	 FILLS(kind_whole, judge.multiple), .from = 1, .to = DIM_MAX},
	{"sizes", "KIND", GENERATES,
	 "how generated cases draw M, N and K: mixed (the\ndefault: aligned and ragged, small and "
	 "large) or\nuniform (each size as likely as any other)",
	 .kind = &kind_sizes, .names = case_sizes_names},
	{"time", "MxNxK", "judge",
	 "the shape to time instead of the problem's own large\ncase; none: do not time",
	 .kind = &kind_time, .to = DIM_MAX},
	{"shape", "MxNxK", "judge",
	 "judges this shape alone: --cases N of it (4), and times\nit; may be repeated (the first "
	 "is timed)",
	 .kind = &kind_shape, .from = DIM_MAX, .to = SIZE_LARGEST},
	{"shape", "MxNxK", TIMES " tune",
	 "a shape to time, MxN for a matrix and a vector; may\nbe repeated (the problem's own large "
	 "case)",
	 .kind = &kind_shape, .from = DIM_MAX, .to = SIZE_LARGEST},
	{"shapes", "FILE", RUNS " tune",
	 "the shapes of a file, as --shape has them: a line each,\nM,N,K or M N K or MxNxK; # begins a "
	 "comment; - is stdin",
	 .kind = &kind_shapes, .from = DIM_MAX, .to = SIZE_LARGEST,
	 .needs = "a file name, or - for stdin"},
	{"shape", "MxNxK", "explain",
	 "the shape to explain, MxN for a matrix and a vector\n(the problem's own large case)",
	 .kind = &kind_shape, .from = DIM_MAX, .to = SIZE_LARGEST},
	{"large-sizes", NULL, RUNS " tune explain", "sizes of --shape may be above 32768, to 4194304",
	 FILLS(kind_flag, large_sizes)},
	{"shape", "MxNxK", "leaderboard", "this shape, instead of that which most were timed at",
	 .kind = &kind_shape, .to = SIZE_LARGEST},
	{"alpha", "X", TIMES " tune explain", "alpha of the timed calls (1)",
	 FILLS(kind_scalar, judge.alpha), .needs = "a number is needed"},
	{"beta", "X", TIMES " tune explain",
	 "beta of the timed calls (0; with the problem's own\ncase its own)",
	 FILLS(kind_scalar, judge.beta), .needs = "a number is needed"},
	{"tolerance", "T", RUNS,
	 "bound (componentwise, from the inputs), leetgpu\n(the site's own), or ATOL,RTOL",
	 FILLS(kind_tolerance, judge.tolerance.text)},
	{"budget", "S", RUNS,
	 "seconds of measuring for each shape, all entrants\ntogether (3; with bench --cases 1); less "
	 "where the\nmedians are certain before",
	 FILLS(kind_seconds, judge.time_budget)},
	{"timeout", "S", "explain", "seconds for the call that is counted (600)",
	 FILLS(kind_seconds, judge.timeout)},
	{"budget", "S", "tune", "seconds for all of it (60)", FILLS(kind_seconds, judge.time_budget)},
	{"exhaustive", NULL, "tune",
	 "measures every schedule, and says what the rankings\nare worth; without --budget however "
	 "long "
	 "it takes",
	 FILLS(kind_flag, exhaustive)},
	{"export", "FILE", "tune",
	 "writes what was chosen for the file as a table in C, for\na solution "
	 "to include",
	 FILLS(kind_output, export_table), .again = AGAIN_NOT, .needs = "a file name, or - for stdout",
	 .mark = TUNE_TABLE_MARK},
	{"export-space", "FILE", "tune",
	 "writes the constants and their constraints in the T1\nformat (JSON) of Kernel Tuner and its "
	 "peers",
	 FILLS(kind_output, export_space), .again = AGAIN_NOT, .needs = "a file name, or - for stdout"},
	{"export-results", "FILE", "tune", "writes what was measured in their T4 format",
	 FILLS(kind_output, export_results), .again = AGAIN_NOT,
	 .needs = "a file name, or - for stdout"},
	{"import-results", "FILE", "tune", "takes results of others in that format into the store",
	 FILLS(kind_input, import_results), .again = AGAIN_NOT, .needs = "a file name"},
	{"timeout", "S", RUNS " tune", "seconds for one call (10; 60 on the emulated GPU)",
	 FILLS(kind_seconds, judge.timeout)},
	{"compile-timeout", "S", RUNS " tune explain", "seconds for nvcc, for each file (300)",
	 FILLS(kind_seconds, judge.compile_timeout)},
	{"memory", "M", RUNS, "MiB of host memory that a solution may use (8192)",
	 FILLS(kind_whole, judge.memory_mib), .from = 64, .to = 1u << 30,
	 .needs = "a whole number of MiB from 64 on is needed"},
	{"sealed", NULL, TIMES,
	 "confirms the times by sealed calls, as judge does:\nfor files that strangers wrote",
	 FILLS(kind_flag, judge.sealed)},
	{"require", "LAYERS", RUNS,
	 "judges nothing where one of these does not hold: jail\n(all), or some of files, calls, "
	 "namespaces, compiler;\nwith compiler nvcc reads nothing beside the file;\n"
	 "sealed: the times are confirmed by sealed calls",
	 FILLS(kind_layers, judge.required)},
	{"without", "LAYERS", RUNS, NULL, FILLS(kind_layers, judge.without)},
#define FILE_NEEDED .again = AGAIN_NOT, .needs = "a file name, or - for stdout"
	{"json", "FILE", RUNS " tune explain",
	 "writes the results as JSON; - is stdout, the text\nthen goes to stderr",
	 FILLS(kind_output, json), FILE_NEEDED, .letter = 'j'},
	{"junit", "FILE", RUNS, "writes them as JUnit XML", FILLS(kind_output, junit), FILE_NEEDED},
	{"md", "FILE", RUNS, "writes them as markdown", FILLS(kind_output, markdown), FILE_NEEDED},
	{"html", "FILE", RUNS " explain", "writes them as a page to look at, with plots",
	 FILLS(kind_output, html), FILE_NEEDED},
	{"csv", "FILE", "judge", "writes the table of files as CSV", FILLS(kind_output, csv),
	 FILE_NEEDED},
	{"sort", "BY", "judge",
	 "the table of three or more files by speed (where there\nare times), name or verdict",
	 FILLS(kind_word, sort), .again = AGAIN_NOT, .names = ranking_orders},
	{"annotate", "github", "judge",
	 "also prints ::error lines, which GitHub shows beside\nthe source", FILLS(kind_word, annotate),
	 .again = AGAIN_NOT, .names = annotate_kinds},
	{"svg", "FILE", "compare", "draws them", FILLS(kind_output, svg), FILE_NEEDED},
	{"html", "FOLDER", "leaderboard",
	 "writes it as pages, index.html the first: into a folder\nof their own",
	 FILLS(kind_output_folder, html), .again = AGAIN_NOT, .needs = "a folder"},
	{"json", NULL, ASKS, "prints JSON", FILLS(kind_flag, as_json), .again = AGAIN_NOT},
	{"store", "FILE", RUNS " tune " ASKS,
	 "the database of all judgements (GEMMJUDGE_STORE, else\n~/.local/share/gemmjudge/store.db)",
	 FILLS(kind_store, store), .again = AGAIN_NOT, .needs = "a file name"},
	{"no-store", NULL, RUNS " tune", "remembers nothing of this run", FILLS(kind_flag, no_store),
	 .again = AGAIN_NOT},
	{"verbose", NULL, "explain", "shows the parts of every kernel", FILLS(kind_flag, verbose),
	 .again = AGAIN_NOT, .letter = 'v'},
	{"verbose", NULL, "tune", "shows which constraints refuse how much", FILLS(kind_flag, verbose),
	 .again = AGAIN_NOT, .letter = 'v'},
	{"verbose", NULL, RUNS,
	 "shows every case, a whole table for every shape, and\nthe kernels that were timed",
	 FILLS(kind_flag, verbose), .again = AGAIN_NOT, .letter = 'v'},
	{"quiet", NULL, "judge", "prints a line a file: its verdict", FILLS(kind_flag, quiet),
	 .again = AGAIN_NOT, .letter = 'q'},
	{"watch", NULL, "judge", "judges again whenever a file, or a header beside it, is\nsaved",
	 FILLS(kind_flag, watch), .again = AGAIN_NOT, .letter = 'w'},
	{"color", "WHEN", RUNS " doctor",
	 "always, never, or auto: on a terminal, unless NO_COLOR\nis set, or where FORCE_COLOR is",
	 .kind = &kind_color, .again = AGAIN_NOT, .names = color_names},
	{"no-color", NULL, RUNS " doctor", "the same as --color never", .kind = &kind_color,
	 .again = AGAIN_NOT, .names = color_names},
	{"help", NULL, RUNS " tune explain new list doctor generate " ASKS, "shows this",
	 FILLS(kind_flag, help), .again = AGAIN_NOT, .letter = 'h'},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])
#define FIRST_VALUE 256 /* getopt's values of our rows: above every character */
#define COMMANDS_TEXT 128

static bool row_is_of(const struct row *row, const char *command)
{
	size_t length = strlen(command);
	for (const char *p = row->commands; (p = strstr(p, command)) != NULL; p += length)
		if ((p == row->commands || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
			return true;
	return false;
}

/* The subcommands that have such an option: "bench and compare"; "" when none has. */
static const char *commands_with(const char *name, char out[COMMANDS_TEXT])
{
	char words[COMMANDS_TEXT] = "", *rest = words;
	size_t used = 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			used += (size_t)snprintf(words + used, sizeof words - used, "%s ", rows[i].commands);
	used = 0;
	out[0] = '\0';
	for (char *word = strtok_r(rest, " ", &rest), *next; word != NULL; word = next) {
		next = strtok_r(rest, " ", &rest);
		used += (size_t)snprintf(out + used, COMMANDS_TEXT - used, "%s%s",
								 used == 0      ? ""
								 : next != NULL ? ", "
												: " and ",
								 word);
	}
	return out;
}

static bool unknown_option(const char *command, const char *text, struct error *err)
{
	const char *names[ROW_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (row_is_of(&rows[i], command) && rows[i].help != NULL)
			names[count++] = rows[i].name;
	char word[64], others[COMMANDS_TEXT], meaning[SUGGEST_TEXT];
	const char *start = text + strspn(text, "-");
	snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
	const char *nearest = suggest_nearest(word, names, count);
	if (text[0] == '-' && text[1] == '-' && commands_with(word, others)[0] != '\0')
		return error_set(err, "--%s is an option of %s", word, others);
	if (suggest_meaning(meaning, SUGGEST_OPTION, word)[0] != '\0')
		return error_set(err, "unknown option '%s'%s", text, meaning);
	if (nearest != NULL)
		return error_set(err, "unknown option '%s'; did you mean '--%s'?", text, nearest);
	return error_set(err, "unknown option '%s'; --help shows those that there are", text);
}

/* What getopt_long() calls '?': no such option, an abbreviation of several, or
 * a value for an option that takes none. */
static bool refused_option(const char *command, char *const *argv, int option, struct error *err)
{
	const char *text = argv[optind - 1], *next = argv[optind];
	if (option >= FIRST_VALUE)
		return error_set(err, "--%s takes no value", rows[option - FIRST_VALUE].name);
	/* "-arch=sm_90" is no row of letters */
	char meaning[SUGGEST_TEXT];
	if (option != 0 && next != NULL && next[0] == '-' && next[1] == option &&
		suggest_meaning(meaning, SUGGEST_OPTION, next + 1)[0] != '\0')
		return error_set(err, "unknown option '%s'%s", next, meaning);
	/* a letter: its word may hold others, and the pointer has not moved on yet */
	char letter[3] = {'-', (char)option, '\0'};
	return unknown_option(command, option != 0 ? letter : text, err);
}

static const struct row *row_of(const char *command, int option)
{
	if (option >= FIRST_VALUE)
		return &rows[option - FIRST_VALUE];
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].letter == option && row_is_of(&rows[i], command))
			return &rows[i];
	return NULL;
}

/* getopt's tables of a subcommand; ':' first, so that a value that lacks is told apart. */
static void tables_fill(const char *command, struct option *table, char *letters)
{
	*letters++ = ':';
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!row_is_of(&rows[i], command))
			continue;
		*table++ =
			(struct option){.name = rows[i].name,
							.has_arg = rows[i].value != NULL ? required_argument : no_argument,
							.val = FIRST_VALUE + (int)i};
		if (rows[i].letter != '\0')
			*letters++ = rows[i].letter;
		if (rows[i].letter != '\0' && rows[i].value != NULL)
			*letters++ = ':';
	}
	*table = (struct option){0};
	*letters = '\0';
}

bool options_parse(int argc, char **argv, struct options *out, struct error *err)
{
	struct option table[ROW_COUNT + 1];
	char letters[2 * ROW_COUNT + 2];
	*out = (struct options){.command = argv[0]};
	tables_fill(out->command, table, letters);

	optind = 0; /* glibc: start anew */
	opterr = 0;
	for (;;) {
		int option = getopt_long(argc, argv, letters, table, NULL);
		if (option == -1)
			break;
		if (option == '?')
			return refused_option(out->command, argv, optopt, err);
		const struct row *row = row_of(out->command, option == ':' ? optopt : option);
		if (option == ':')
			return error_set(err, "--%s needs a value: %s", row->name, row->value);
		if (!row->kind->read(row, optarg, out, err))
			return false;
	}
	out->arguments = (const char *const *)(argv + optind);
	out->argument_count = (size_t)(argc - optind);
	return out->oversized[0] == '\0' || out->large_sizes || out->help ||
		   error_set(err, "%s: sizes above %d need --large-sizes", out->oversized, DIM_MAX);
}

void options_help(const char *command, FILE *out)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!row_is_of(&rows[i], command) || rows[i].help == NULL)
			continue;
		char left[48], letter[8] = "";
		if (rows[i].letter != '\0')
			snprintf(letter, sizeof letter, ", -%c", rows[i].letter);
		snprintf(left, sizeof left, "--%s%s%s%s", rows[i].name, letter,
				 rows[i].value != NULL ? " " : "", rows[i].value != NULL ? rows[i].value : "");
		fprintf(out, "  %-20s ", left);
		for (const char *p = rows[i].help; *p != '\0'; p++) {
			fputc(*p, out);
			if (*p == '\n')
				fprintf(out, "%23s", "");
		}
		fputc('\n', out);
	}
}

bool options_facts(const char *command, size_t index, struct option_facts *out)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct row *row = &rows[i];
		if (!row_is_of(row, command) || row->help == NULL || index-- > 0)
			continue;
		*out = (struct option_facts){
			.name = row->name,
			.value = row->value,
			.help = row->help,
			.letter = row->letter,
			.words = row->value != NULL ? row->names : NULL,
			.is_problem = row->kind == &kind_problem,
			.is_file = row->value != NULL &&
					   (strcmp(row->value, "FILE") == 0 || strcmp(row->value, "SUITE") == 0),
			.use = row->kind->use};
		return true;
	}
	return false;
}

bool options_file(const struct options *options, enum value_use use, size_t index,
				  struct option_file *out)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct row *row = &rows[i];
		if (row->kind->use != use || !row_is_of(row, options->command))
			continue;
		out->option = row->name;
		out->mark = row->mark;
		for (size_t k = 0; (out->path = row->kind->file(row, options, k, out->scratch)) != NULL;
			 k++)
			if (index-- == 0)
				return true;
	}
	return false;
}

void options_again(const struct options *options, const char *program, char *out, size_t capacity)
{
	static const enum again order[] = {AGAIN_SEED, AGAIN_DEVICE, AGAIN_LAST};
	struct line line = {.out = out, .capacity = capacity};
	line_add(&line, program);
	line_add(&line, options->command);
	for (size_t pass = 0; pass < sizeof order / sizeof *order; pass++)
		for (size_t i = 0; i < ROW_COUNT; i++)
			if (rows[i].again == order[pass] && row_is_of(&rows[i], options->command))
				rows[i].kind->write(&rows[i], options, &line);
	bool dashed = false; /* a file whose name begins with '-' follows "--"; '-' is stdin */
	for (size_t i = 0; i < options->argument_count; i++)
		dashed = dashed || (options->arguments[i][0] == '-' && options->arguments[i][1] != '\0');
	if (dashed)
		line_add(&line, "--");
	for (size_t i = 0; i < options->argument_count; i++)
		line_add(&line, options->arguments[i]);
}
