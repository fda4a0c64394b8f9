#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "testcases/case.h"

bool options_number(const char *text, uint64_t max, uint64_t *out)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hexadecimal ? text + 2 : text;
	/* strtoull would also take blanks, signs and octal */
	if (!(hexadecimal ? isxdigit((unsigned char)digits[0]) : isdigit((unsigned char)digits[0])))
		return false;
	char *end;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hexadecimal ? 16 : 10);
	if (errno != 0 || *end != '\0' || value > max)
		return false;
	*out = value;
	return true;
}

bool options_real(const char *text, double *out)
{
	/* strtod would also take blanks, "inf", "nan" and hexadecimal */
	if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
		return false;
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(value))
		return false;
	*out = value;
	return true;
}

/* ---- what each option does with its value ------------------------------ */

static bool take_problem(struct options *options, const char *value, struct error *err)
{
	if (problem_find(value) != NULL) {
		options->problem = value;
		return true;
	}
	size_t count;
	const struct problem *table = problem_table(&count);
	const char *names[64];
	if (count > 64)
		count = 64;
	for (size_t i = 0; i < count; i++)
		names[i] = table[i].name;
	char phrase[160];
	suggest_phrase(phrase, value, names, count);
	return error_set(err, "unknown problem '%s'%s", value,
					 phrase[0] != '\0' ? phrase : "; 'gemmjudge list problems' shows them");
}

static bool take_epilogue(struct options *options, const char *value, struct error *err)
{
	options->epilogue = value;
	return value[0] != '\0' ||
		   error_set(err, "--epilogue needs a chain of stages ('gemmjudge list epilogues' shows "
						  "them)");
}

static bool take_device(struct options *options, const char *value, struct error *err)
{
	static const char *const names[] = {"auto", "cuda", "emu"};
	uint64_t ordinal;
	bool known = strcmp(value, "auto") == 0 || strcmp(value, "cuda") == 0 ||
				 strcmp(value, "emu") == 0 ||
				 (strncmp(value, "emu:", 4) == 0 && value[4] != '\0') ||
				 (strncmp(value, "cuda:", 5) == 0 && options_number(value + 5, 1023, &ordinal));
	options->device = value;
	char phrase[160];
	return known || error_set(err, "unknown device '%s'%s (auto, cuda, cuda:N, emu, emu:DIR)",
							  value, suggest_phrase(phrase, value, names, 3));
}

static bool take_emulate(struct options *options, const char *value, struct error *err)
{
	static const char *const names[] = {"h200", "a100", "t4"};
	options->emulate = value;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(value, names[i]) == 0)
			return true;
	char phrase[160];
	return error_set(err, "--emulate '%s': h200, a100 or t4 is needed%s", value,
					 suggest_phrase(phrase, value, names, 3));
}

static bool take_check(struct options *options, const char *value, struct error *err)
{
	options->check_race = strcmp(value, "race") == 0;
	return options->check_race ||
		   error_set(err, "--check '%s': race is the only check that is not always on", value);
}

static bool take_counters(struct options *options, const char *value, struct error *err)
{
	(void)value, (void)err;
	return options->counters = true;
}

static bool take_sanitize(struct options *options, const char *value, struct error *err)
{
	static const char *const names[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
	options->sanitize = value;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(value, names[i]) == 0)
			return true;
	char phrase[160];
	return error_set(err,
					 "--sanitize '%s': memcheck, racecheck, initcheck or synccheck is needed%s",
					 value, suggest_phrase(phrase, value, names, 4));
}

static bool take_under(struct options *options, const char *value, struct error *err)
{
	options->under = value;
	return value[strspn(value, " \t")] != '\0' || error_set(err, "--under needs a command");
}

static bool take_cases(struct options *options, const char *value, struct error *err)
{
	uint64_t cases;
	if (!options_number(value, 1000000, &cases) || cases == 0)
		return error_set(err, "--cases '%s': a whole number from 1 to 1000000 is needed", value);
	options->cases = cases;
	options->has_cases = true;
	return true;
}

static bool take_seed(struct options *options, const char *value, struct error *err)
{
	options->has_seed = options_number(value, UINT64_MAX, &options->seed);
	return options->has_seed ||
		   error_set(err, "--seed '%s': a whole number below 2^64, decimal or 0x..., is needed",
					 value);
}

static bool take_suite(struct options *options, const char *value, struct error *err)
{
	if (options->suite_count == OPTIONS_SUITES_MAX)
		return error_set(err, "more than %d suites", OPTIONS_SUITES_MAX);
	if (value[0] == '\0')
		return error_set(err, "--suite needs a name or a file");
	options->suites[options->suite_count++] = value;
	return true;
}

static bool take_max_dim(struct options *options, const char *value, struct error *err)
{
	uint64_t size;
	if (!options_number(value, OPTIONS_DIM_MAX, &size) || size == 0)
		return error_set(err, "--max-dim '%s': a whole number from 1 to %d is needed", value,
						 OPTIONS_DIM_MAX);
	options->max_dim = (int)size;
	return true;
}

static bool take_multiple(struct options *options, const char *value, struct error *err)
{
	uint64_t multiple;
	if (!options_number(value, OPTIONS_DIM_MAX, &multiple) || multiple == 0)
		return error_set(err, "--multiple-of '%s': a whole number from 1 to %d is needed", value,
						 OPTIONS_DIM_MAX);
	options->multiple = (int)multiple;
	return true;
}

static bool take_sizes(struct options *options, const char *value, struct error *err)
{
	const char *names[] = {case_sizes_name(CASE_SIZES_MIXED), case_sizes_name(CASE_SIZES_UNIFORM)};
	char phrase[160];
	return case_sizes_parse(value, &options->sizes) ||
		   error_set(err, "--sizes '%s': mixed or uniform is needed%s", value,
					 suggest_phrase(phrase, value, names, 2));
}

static bool take_shape(struct options *options, const char *value, struct error *err)
{
	if (options->shape_count == OPTIONS_SHAPES_MAX)
		return error_set(err, "more than %d shapes", OPTIONS_SHAPES_MAX);
	return shape_parse(value, OPTIONS_DIM_MAX, &options->shapes[options->shape_count++], err);
}

static bool take_time(struct options *options, const char *value, struct error *err)
{
	options->shape_count = 0; /* the last one counts */
	options->no_timing = strcmp(value, "none") == 0;
	return options->no_timing || take_shape(options, value, err);
}

static bool take_scalar(double *out, bool *has, const char *name, const char *value,
						struct error *err)
{
	*has = options_real(value, out);
	return *has || error_set(err, "%s '%s': a number is needed", name, value);
}

static bool take_alpha(struct options *options, const char *value, struct error *err)
{
	return take_scalar(&options->alpha, &options->has_alpha, "--alpha", value, err);
}

static bool take_beta(struct options *options, const char *value, struct error *err)
{
	return take_scalar(&options->beta, &options->has_beta, "--beta", value, err);
}

static bool take_tolerance(struct options *options, const char *value, struct error *err)
{
	static const char *const names[] = {"bound", "leetgpu"};
	options->tolerance = value;
	if (strcmp(value, "bound") == 0 || strcmp(value, "leetgpu") == 0)
		return true;
	char first[64], phrase[160];
	const char *comma = strchr(value, ',');
	double atol, rtol;
	if (comma != NULL && comma - value < (int)sizeof first) {
		snprintf(first, sizeof first, "%.*s", (int)(comma - value), value);
		if (options_real(first, &atol) && options_real(comma + 1, &rtol) && atol >= 0 && rtol >= 0)
			return true;
	}
	return error_set(err, "--tolerance '%s': bound, leetgpu, or ATOL,RTOL is needed%s", value,
					 suggest_phrase(phrase, value, names, 2));
}

static bool take_timeout(struct options *options, const char *value, struct error *err)
{
	if (options_real(value, &options->timeout) && options->timeout > 0.0 &&
		options->timeout <= 86400.0)
		return true;
	return error_set(err, "--timeout '%s': seconds above 0, at most 86400, are needed", value);
}

static bool take_budget(struct options *options, const char *value, struct error *err)
{
	if (options_real(value, &options->budget) && options->budget > 0.0 &&
		options->budget <= 86400.0)
		return true;
	return error_set(err, "--budget '%s': seconds above 0, at most 86400, are needed", value);
}

static bool take_memory(struct options *options, const char *value, struct error *err)
{
	uint64_t mebibytes;
	if (!options_number(value, 1u << 30, &mebibytes) || mebibytes < 64)
		return error_set(err, "--memory '%s': a whole number of MiB from 64 on is needed", value);
	options->memory_mib = mebibytes;
	return true;
}

static bool take_output(const char **out, const char *name, const char *value, struct error *err)
{
	*out = value;
	return value[0] != '\0' || error_set(err, "%s needs a file name, or - for stdout", name);
}

static bool take_json(struct options *options, const char *value, struct error *err)
{
	return take_output(&options->json, "--json", value, err);
}

static bool take_junit(struct options *options, const char *value, struct error *err)
{
	return take_output(&options->junit, "--junit", value, err);
}

static bool take_markdown(struct options *options, const char *value, struct error *err)
{
	return take_output(&options->markdown, "--md", value, err);
}

static bool take_svg(struct options *options, const char *value, struct error *err)
{
	return take_output(&options->svg, "--svg", value, err);
}

static bool take_verbose(struct options *options, const char *value, struct error *err)
{
	(void)value, (void)err;
	return options->verbose = true;
}

static bool take_no_color(struct options *options, const char *value, struct error *err)
{
	(void)value, (void)err;
	return options->no_color = true;
}

static bool take_help(struct options *options, const char *value, struct error *err)
{
	(void)value, (void)err;
	return options->help = true;
}

/* ---- the table ---------------------------------------------------------- */

#define TIMES (COMMAND_BENCH | COMMAND_COMPARE)
#define RUNS (COMMAND_JUDGE | TIMES)
#define GENERATES (COMMAND_JUDGE | COMMAND_BENCH)
#define ALL (RUNS | COMMAND_LIST | COMMAND_NEW | COMMAND_DOCTOR)

static const struct row {
	const char *name;
	const char *value; /* NULL: the option takes none */
	unsigned commands;
	bool (*take)(struct options *options, const char *value, struct error *err);
	const char *help; /* lines after the first are indented by the printer */
} rows[] = {
	{"problem", "P", RUNS | COMMAND_NEW, take_problem,
	 "which problem it solves; else its folder tells\n(solutions/gemm_f16/x.cu solves gemm-f16)"},
	{"epilogue", "CHAIN", RUNS, take_epilogue,
	 "stages fused into the kernel, as in\nalpha_beta,bias,clamp:0:6 or ./my_stage.cuh:0.5"},
	{"epilogue", "NAME", COMMAND_NEW, take_epilogue,
	 "writes the starter of an epilogue stage instead"},
	{"device", "D", RUNS, take_device,
	 "auto (a GPU if there is one), cuda, cuda:N,\nemu (the emulated GPU), emu:DIR (a "
	 "libcudart.so.13\nof "
	 "another emulator)"},
	{"emulate", "GPU", COMMAND_JUDGE, take_emulate,
	 "with --device emu: h200 (the default), a100 or t4"},
	{"check", "race", COMMAND_JUDGE, take_check,
	 "with --device emu: also look for races in shared\nmemory"},
	{"counters", NULL, COMMAND_JUDGE, take_counters,
	 "with --device emu: what each kernel did (instructions,\nmemory sectors, bank conflicts)"},
	{"sanitize", "CHECK", COMMAND_JUDGE, take_sanitize,
	 "on a GPU: runs the solution under compute-sanitizer;\nCHECK is memcheck, racecheck, "
	 "initcheck or synccheck"},
	{"under", "COMMAND", COMMAND_JUDGE, take_under,
	 "runs the solution's process under a tool, such as\n\"ncu --set full\", and shows what it "
	 "prints in ending"},
	{"cases", "N", COMMAND_JUDGE, take_cases,
	 "how many generated cases (32; 12 on the emulated GPU)"},
	{"cases", "N", COMMAND_BENCH, take_cases, "times so many generated cases"},
	{"seed", "S", RUNS, take_seed, "draws the cases and values of an earlier run again"},
	{"suite", "NAME|FILE", RUNS, take_suite,
	 "cases of a suite instead of generated ones;\nmay be repeated"},
	{"max-dim", "D", RUNS, take_max_dim,
	 "no size above D (generated cases: the problem's own\nlimit; 192 on the emulated GPU)"},
	{"multiple-of", "D", RUNS, take_multiple,
	 "every size a multiple of D: those of generated cases\nare rounded, other cases of a suite "
	 "left out"},
	{"sizes", "KIND", GENERATES, take_sizes,
	 "how generated cases draw M, N and K: mixed (the\ndefault: aligned and ragged, small and "
	 "large) or\nuniform (each size as likely as any other)"},
	{"time", "MxNxK", COMMAND_JUDGE, take_time,
	 "the shape to time instead of the problem's own large\ncase; none: do not time"},
	{"shape", "MxNxK", TIMES, take_shape,
	 "a shape to time, MxN for a matrix and a vector; may\nbe repeated (the problem's own large "
	 "case)"},
	{"alpha", "X", TIMES, take_alpha, "alpha of the timed calls (1)"},
	{"beta", "X", TIMES, take_beta,
	 "beta of the timed calls (0; with the problem's own\ncase "
	 "its own)"},
	{"tolerance", "T", RUNS, take_tolerance,
	 "bound (componentwise, from the inputs), leetgpu\n(the site's own), or ATOL,RTOL"},
	{"budget", "S", RUNS, take_budget,
	 "seconds of measuring for each shape, all entrants\ntogether (3; with bench --cases 1); "
	 "less where the\nmedians are certain before"},
	{"timeout", "S", RUNS, take_timeout, "seconds for one call (10; 60 on the emulated GPU)"},
	{"memory", "M", RUNS, take_memory, "MiB of host memory that a solution may use (8192)"},
	{"json", "FILE", RUNS, take_json,
	 "writes the results as JSON; - is stdout, the text\nthen goes to "
	 "stderr"},
	{"junit", "FILE", RUNS, take_junit, "writes them as JUnit XML"},
	{"md", "FILE", RUNS, take_markdown, "writes them as markdown"},
	{"svg", "FILE", COMMAND_COMPARE, take_svg, "draws them"},
	{"verbose", NULL, RUNS, take_verbose,
	 "shows every case, a whole table for every shape, and\nthe kernels that were timed"},
	{"no-color", NULL, RUNS | COMMAND_DOCTOR, take_no_color,
	 "no colours (they are off anyway when the output is\nno terminal, or NO_COLOR is set)"},
	{"help", NULL, ALL, take_help, "shows this"},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])
#define FIRST_VALUE 256 /* getopt's values of our rows: above every character */

/* The commands that have such an option: "bench and compare"; "" when none has. */
static const char *commands_with(const char *name)
{
	static const struct {
		unsigned commands;
		const char *names;
	} known[] = {{TIMES, "bench and compare"},   {COMMAND_JUDGE, "judge"},
				 {COMMAND_BENCH, "bench"},       {COMMAND_COMPARE, "compare"},
				 {GENERATES, "judge and bench"}, {RUNS, "judge, bench and compare"}};
	unsigned commands = 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			commands |= rows[i].commands;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].commands == commands)
			return known[i].names;
	return "";
}

static bool unknown_option(enum command command, const char *text, struct error *err)
{
	const char *names[ROW_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].commands & command)
			names[count++] = rows[i].name;
	char word[64];
	const char *start = text + strspn(text, "-");
	snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
	const char *nearest = suggest_nearest(word, names, count);
	if (text[0] == '-' && text[1] == '-' && commands_with(word)[0] != '\0')
		return error_set(err, "--%s is an option of %s", word, commands_with(word));
	if (nearest != NULL)
		return error_set(err, "unknown option '%s'; did you mean '--%s'?", text, nearest);
	return error_set(err, "unknown option '%s'; --help shows those that there are", text);
}

/* What getopt_long() calls '?': no such option, an abbreviation of several, or
 * a value for an option that takes none. */
static bool refused_option(enum command command, const char *text, int option, struct error *err)
{
	if (option >= FIRST_VALUE)
		return error_set(err, "--%s takes no value", rows[option - FIRST_VALUE].name);
	/* a letter: its word may hold others, and the pointer has not moved on yet */
	char letter[3] = {'-', (char)option, '\0'};
	return unknown_option(command, option != 0 ? letter : text, err);
}

bool options_parse(enum command command, int argc, char **argv, struct options *out,
				   struct error *err)
{
	*out = (struct options){.device = "auto", .tolerance = "bound"};
	struct option table[ROW_COUNT + 1];
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].commands & command)
			table[count++] =
				(struct option){.name = rows[i].name,
								.has_arg = rows[i].value != NULL ? required_argument : no_argument,
								.val = FIRST_VALUE + (int)i};
	table[count] = (struct option){0};

	optind = 0; /* glibc: start anew */
	opterr = 0;
	for (;;) {
		int option = getopt_long(argc, argv, ":h", table, NULL);
		if (option == -1)
			break;
		if (option == 'h')
			out->help = true;
		else if (option == ':')
			return error_set(err, "--%s needs a value: %s", rows[optopt - FIRST_VALUE].name,
							 rows[optopt - FIRST_VALUE].value);
		else if (option == '?')
			return refused_option(command, argv[optind - 1], optopt, err);
		else if (!rows[option - FIRST_VALUE].take(out, optarg, err))
			return false;
	}
	out->arguments = (const char *const *)(argv + optind);
	out->argument_count = (size_t)(argc - optind);
	return true;
}

void options_help(enum command command, FILE *out)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!(rows[i].commands & command))
			continue;
		char left[40];
		snprintf(left, sizeof left, "--%s%s%s", rows[i].name, rows[i].value != NULL ? " " : "",
				 rows[i].value != NULL ? rows[i].value : "");
		fprintf(out, "  %-20s ", left);
		for (const char *p = rows[i].help; *p != '\0'; p++) {
			fputc(*p, out);
			if (*p == '\n')
				fprintf(out, "%23s", "");
		}
		fputc('\n', out);
	}
}
