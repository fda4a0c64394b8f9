/* gemmjudge generate: the manual page and completions for shells, from the tables of the
 * subcommands and of their options. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "testcases/problem.h"

#define SUMMARY_MAX 57 /* characters that a completion shows of a help */

/* ---- the manual page ----------------------------------------------------------- */

/* Text as roff has it: a line may not begin with a control character, and '-' is a hyphen there. */
static void man_text(const char *text)
{
	bool begins = true;
	for (const char *p = text; *p != '\0'; p++) {
		if (begins && (*p == '.' || *p == '\''))
			fputs("\\&", stdout);
		if (*p == '-')
			fputs("\\-", stdout);
		else if (*p == '\\')
			fputs("\\e", stdout);
		else
			putchar(*p);
		begins = *p == '\n';
	}
}

static void man_option(const struct option_description *option)
{
	fputs(".TP\n\\fB", stdout);
	if (option->letter != '\0')
		printf("\\-%c\\fR, \\fB", option->letter);
	fputs("\\-\\-", stdout);
	man_text(option->name);
	if (option->value != NULL) {
		fputs("\\fR \\fI", stdout);
		man_text(option->value);
	}
	fputs("\\fR\n", stdout);
	man_text(option->help);
	putchar('\n');
}

/* Lines that stay as they are, and paragraphs that are filled. */
static void man_usage(const char *usage)
{
	char line[1024];
	bool filled = true;
	while (*usage != '\0') {
		size_t length = strcspn(usage, "\n");
		snprintf(line, sizeof line, "%.*s\n", (int)length, usage);
		bool fills = length > 0 && !options_keeps_line(line);
		if (fills != filled)
			fputs(fills ? ".fi\n" : ".nf\n", stdout);
		filled = fills;
		man_text(line);
		usage += length + (usage[length] == '\n');
	}
	fputs(filled ? "" : ".fi\n", stdout);
}

static void man_subcommand(const struct subcommand *one)
{
	struct option_description option;
	printf(".SS gemmjudge %s\n", one->name);
	man_usage(one->usage);
	for (size_t i = 0; options_facts(one->name, i, &option); i++) {
		if (option.begins_group)
			printf(".PP\n\\fI%s:\\fR\n", option.group);
		man_option(&option);
	}
}

/* judge-operator.md has the same in its table; a test compares the names. */
static const char *const variables[][2] = {
	{"GEMMJUDGE_CACHE", "the folder for compiled solutions"},
	{"XDG_CACHE_HOME, HOME, TMPDIR", "where that folder is otherwise: the first that is set"},
	{"GEMMJUDGE_STORE", "the file of the store, or none"},
	{"XDG_DATA_HOME", "the folder that it is below otherwise; else ~/.local/share"},
	{"GEMMJUDGE_SERVER, GEMMJUDGE_TOKEN", "of submit: the server, and one's token there"},
	{"GEMMJUDGE_NVCC", "the nvcc to use"},
	{"CUDA_HOME, CUDA_PATH", "the CUDA toolkit to use"},
	{"NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, NVCC_CCBIN", "nvcc's own"},
	{"CPATH, CPLUS_INCLUDE_PATH, LIBRARY_PATH", "the host compiler's own"},
	{"NO_COLOR, FORCE_COLOR, TERM", "whether colours are used, without --color"},
};

static void generate_man(void)
{
	printf(
		".TH GEMMJUDGE 1 \"\" \"gemmjudge %s\"\n.SH NAME\ngemmjudge \\- judges CUDA "
		"matrix\\-multiplication kernels\n.SH SYNOPSIS\n.B gemmjudge\n.I "
		"COMMAND\n[\\fIARGUMENT\\fR...]\n"
		".SH DESCRIPTION\nCompiles a CUDA file that defines extern \"C\" void solve(...), checks "
		"it on many "
		"cases, and times it. Runs on an NVIDIA GPU, or on an emulated one where there is none.\n"
		".SH COMMANDS\n",
		GEMMJUDGE_VERSION);
	for (size_t i = 0; subcommands[i] != NULL; i++)
		man_subcommand(subcommands[i]);
	fputs(".SH EXIT STATUS\n.TP\n0\nall files are accepted\n.TP\n1\none is not\n.TP\n2\nwrong "
		  "usage, or bad files alone\n.TP\n3\nnothing can be judged here (no compiler, no such "
		  "device), or the run "
		  "could "
		  "not go on\n.SH ENVIRONMENT\n",
		  stdout);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		printf(".TP\n.B %s\n", variables[i][0]);
		man_text(variables[i][1]);
		putchar('\n');
	}
}

/* ---- completions ---------------------------------------------------------------- */

/* The words that a value may be, blanks between them. */
static void print_words(const struct option_description *option)
{
	size_t count = 0;
	const struct problem *problems = problem_table(&count);
	for (size_t i = 0; option->is_problem && i < count; i++)
		printf("%s%s", i > 0 ? " " : "", problems[i].name);
	for (size_t i = 0; option->words != NULL && option->words[i] != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", option->words[i]);
}

static bool has_words(const struct option_description *option)
{
	return option->is_problem || option->words != NULL;
}

/* So many characters of a text, at most, without what a shell's quotes would end at; whole words.
 */
static void print_words_of(const char *text, size_t most)
{
	size_t length = strlen(text);
	if (length > most)
		for (length = most; length > 0 && text[length] != ' ';)
			length--;
	for (size_t i = 0; i < length; i++)
		if (strchr("'[]:\"\\`$", text[i]) == NULL)
			putchar(text[i]);
}

/* What a shell shows beside an option: its group, and the beginning of its help. */
static void print_summary(const struct option_description *option)
{
	if (option->group != NULL)
		printf("%s - ", option->group);
	print_words_of(option->help, SUMMARY_MAX);
}

static void bash_subcommand(const char *command)
{
	struct option_description option;
	printf("\t%s)\n\t\tcase $before in\n", command);
	for (size_t i = 0; options_facts(command, i, &option); i++) {
		if (option.value == NULL)
			continue;
		printf("\t\t--%s", option.name);
		if (option.letter != '\0')
			printf(" | -%c", option.letter);
		fputs(") words=\"", stdout);
		print_words(&option);
		printf("\"; %s ;;\n", option.is_file ? "files=yes" : "files=no");
	}
	fputs("\t\t*) words=\"", stdout);
	for (size_t i = 0; options_facts(command, i, &option); i++)
		printf("%s--%s", i > 0 ? " " : "", option.name);
	fputs("\" ;;\n\t\tesac\n\t\t;;\n", stdout);
}

static void generate_bash(void)
{
	fputs("# bash completion of gemmjudge\n"
		  "_gemmjudge() {\n"
		  "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= "
		  "files=yes\n"
		  "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		  "\t\tmapfile -t COMPREPLY < <(compgen -W \"",
		  stdout);
	for (size_t i = 0; subcommands[i] != NULL; i++)
		printf("%s ", subcommands[i]->name);
	fputs("--help --version\" -- \"$word\")\n"
		  "\t\treturn\n"
		  "\tfi\n"
		  "\tcase ${COMP_WORDS[1]} in\n",
		  stdout);
	for (size_t i = 0; subcommands[i] != NULL; i++)
		bash_subcommand(subcommands[i]->name);
	fputs("\tesac\n"
		  "\t[[ $word == -* ]] && compopt -o nosort 2>/dev/null # by groups\n"
		  "\t[[ $word != -* && $words == --* ]] && words=\n"
		  "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"\n"
		  "\t\t[[ $files == no || $word == -* ]] || compgen -f -- \"$word\")\n"
		  "}\n"
		  "complete -o filenames -F _gemmjudge gemmjudge\n",
		  stdout);
}

static void zsh_option(const struct option_description *option)
{
	if (option->letter != '\0')
		printf(" \\\n\t\t\t'*'{-%c,--%s}'[", option->letter, option->name);
	else
		printf(" \\\n\t\t\t'*--%s[", option->name);
	print_summary(option);
	putchar(']');
	if (option->value != NULL) {
		printf(":%s:", option->name);
		if (option->is_file)
			fputs("_files", stdout);
		else
			putchar('(');
		print_words(option);
		fputs(option->is_file ? "" : ")", stdout);
	}
	putchar('\'');
}

static void generate_zsh(void)
{
	fputs("#compdef gemmjudge\n"
		  "_gemmjudge() {\n"
		  "\tif ((CURRENT == 2)); then\n"
		  "\t\tlocal -a commands=(",
		  stdout);
	for (size_t i = 0; subcommands[i] != NULL; i++) {
		printf("\n\t\t\t'%s:", subcommands[i]->name);
		print_words_of(subcommands[i]->summary, SIZE_MAX);
		putchar('\'');
	}
	fputs(")\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n", stdout);
	for (size_t i = 0; subcommands[i] != NULL; i++) {
		struct option_description option;
		printf("\t%s)\n\t\tshift words\n\t\t((CURRENT--))\n\t\t_arguments -s",
			   subcommands[i]->name);
		for (size_t k = 0; options_facts(subcommands[i]->name, k, &option); k++)
			zsh_option(&option);
		fputs(" '*:file:_files'\n\t\t;;\n", stdout);
	}
	fputs("\tesac\n}\n_gemmjudge \"$@\"\n", stdout);
}

static void fish_option(const char *command, const struct option_description *option)
{
	printf("complete -c gemmjudge -n '__fish_seen_subcommand_from %s' -l %s", command,
		   option->name);
	if (option->letter != '\0')
		printf(" -s %c", option->letter);
	if (option->value != NULL)
		fputs(option->is_file ? " -r -F" : " -x", stdout);
	if (has_words(option)) {
		fputs(" -a '", stdout);
		print_words(option);
		putchar('\'');
	}
	fputs(" -d '", stdout);
	print_summary(option);
	fputs("'\n", stdout);
}

static void generate_fish(void)
{
	for (size_t i = 0; subcommands[i] != NULL; i++) {
		struct option_description option;
		printf("complete -c gemmjudge -n __fish_use_subcommand -f -a %s -d '",
			   subcommands[i]->name);
		print_words_of(subcommands[i]->summary, SIZE_MAX);
		fputs("'\n", stdout);
		for (size_t k = 0; options_facts(subcommands[i]->name, k, &option); k++)
			fish_option(subcommands[i]->name, &option);
	}
}

static int generate(const char *program, struct options *options)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} kinds[] = {{"man", generate_man},
				 {"bash", generate_bash},
				 {"zsh", generate_zsh},
				 {"fish", generate_fish}};
	struct error err = {{0}};
	(void)program;
	for (size_t i = 0; options->argument_count == 1 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(options->arguments[0], kinds[i].name) == 0) {
			kinds[i].write();
			return EXIT_ACCEPTED;
		}
	error_set(&err, "generate what? man, bash, zsh or fish");
	return cli_fail(EXIT_BAD_INPUT, &err);
}

const struct subcommand subcommand_generate = {
	.name = "generate",
	.takes = "WHAT",
	.summary = "the manual page, or completions for a shell",
	.usage = "usage: gemmjudge generate man|bash|zsh|fish\n"
			 "\n"
			 "Prints the manual page, or what makes a shell complete commands and options:\n"
			 "\n"
			 "  gemmjudge generate man | man -l -\n"
			 "  source <(gemmjudge generate bash)\n"
			 "  gemmjudge generate zsh >FOLDER/_gemmjudge     (a FOLDER of $fpath)\n"
			 "  gemmjudge generate fish | source\n",
	.run = generate,
};
