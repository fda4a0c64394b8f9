/* links: cli */
/* No file is lost to an option that names another one to write: each rule, with each option of the
 * table, in each subcommand. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/written_files.h"

#define WORDS_MAX 16

static char folder[64];

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file, "%s", path);
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	char path[128];
	strcpy(folder, "/tmp/test-outputs-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(mkdir("d", 0777), 0);
	cr_assert_eq(mkdir("of_folder", 0777), 0);
	put("solution", "x");
	put("64,64,64", "64,64,64\n"); /* read by --shapes, and as a shape good enough */
	put("of_folder/mine.cu", "x");
	cr_assert_eq(link("of_folder/mine.cu", "other_name"), 0);
	cr_assert_eq(link("solution", "hard"), 0);
	cr_assert_eq(symlink("solution", "soft"), 0);
	cr_assert_eq(symlink("d", "into_d"), 0);
	setenv("GEMMJUDGE_STORE", "none", 1);
	snprintf(path, sizeof path, "%s/data", folder);
	setenv("XDG_DATA_HOME", path, 1);
	snprintf(path, sizeof path, "%s/home", folder);
	setenv("HOME", path, 1);
	snprintf(path, sizeof path, "%s/tmp", folder);
	setenv("TMPDIR", path, 1);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(written_files, .init = begin, .fini = end);

/* A command, and whether what it writes is let through; err says why not. */
static bool holds(const char *command, const char *const *words, struct error *err)
{
	char copies[WORDS_MAX][256], *argv[WORDS_MAX + 1] = {copies[0]};
	int argc = 1;
	struct options options;
	snprintf(copies[0], sizeof copies[0], "%s", command);
	for (; words[argc - 1] != NULL; argc++) {
		cr_assert(argc < WORDS_MAX);
		snprintf(copies[argc], sizeof copies[argc], "%s", words[argc - 1]);
		argv[argc] = copies[argc];
	}
	argv[argc] = NULL;
	cr_assert(options_parse(argc, argv, &options, err), "%s --%s: %s", command, words[0],
			  err->message);
	return written_files_hold(&options, err);
}

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                          \
	{                                                                                              \
		__VA_ARGS__, NULL                                                                          \
	}

static void refused(const char *command, const char *says, const char *const *words)
{
	struct error err = {{0}};
	cr_expect_not(holds(command, words, &err), "%s %s %s ... was let through", command, words[0],
				  words[1]);
	cr_expect_not_null(strstr(err.message, says), "%s %s %s: says \"%s\", not \"%s\"", command,
					   words[0], words[1], err.message, says);
	cr_expect_null(strchr(err.message, '\n'));
}

static void taken(const char *command, const char *const *words)
{
	struct error err = {{0}};
	cr_expect(holds(command, words, &err), "%s %s %s: %s", command, words[0], words[1],
			  err.message);
}

/* ---- the table --------------------------------------------------------------------------- */

/* Calls `try` with each option of each subcommand whose value is used so; how many there were. */
static size_t for_each(enum value_use use, void (*try)(const char *command, const char *option))
{
	size_t count = 0;
	for (size_t s = 0; subcommands[s] != NULL; s++) {
		struct option_description facts;
		for (size_t i = 0; options_facts(subcommands[s]->name, i, &facts); i++) {
			if (facts.value == NULL || facts.use != use)
				continue;
			char option[64];
			snprintf(option, sizeof option, "--%s", facts.name);
			count++;
			try(subcommands[s]->name, option);
		}
	}
	return count;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What --help says of an option, and what its kind says, are the same. */
Test(written_files, whatever_names_a_file_is_of_a_kind_with_rules)
{
	for (size_t s = 0; subcommands[s] != NULL; s++) {
		struct option_description facts;
		for (size_t i = 0; options_facts(subcommands[s]->name, i, &facts); i++) {
			const char *value = facts.value != NULL ? facts.value : "";
			bool file = strcmp(value, "FILE") == 0 || strcmp(value, "SUITE") == 0;
			bool is_folder = strcmp(value, "FOLDER") == 0;
			bool writes = begins(facts.help, "writes") || begins(facts.help, "draws the results");
			writes = writes && strcmp(value, "NAME") != 0; /* new: never over another file */
			cr_expect(!file || facts.use != VALUE_PLAIN, "%s --%s names a file of no kind",
					  subcommands[s]->name, facts.name);
			cr_expect(!is_folder || facts.use == VALUE_FOLDER, "%s --%s", subcommands[s]->name,
					  facts.name);
			cr_expect_eq(facts.value != NULL && writes,
						 facts.use == VALUE_WRITTEN || facts.use == VALUE_FOLDER, "%s --%s",
						 subcommands[s]->name, facts.name);
		}
	}
}

/* ---- each rule, with an option of each subcommand ------------------------------------------- */

static void try_good(const char *command, const char *option)
{
	taken(command, WORDS(option, "new.txt", "solution"));
	taken(command, WORDS(option, "/dev/null", "solution"));
	taken(command, WORDS(option, "-", "solution"));
	cr_expect_neq(access("new.txt", F_OK), 0, "it is there already");
}

static void try_place(const char *command, const char *option)
{
	refused(command, "it is a folder", WORDS(option, "d", "solution"));
	refused(command, "No such file or directory", WORDS(option, "no/such", "solution"));
}

static void try_solution(const char *command, const char *option)
{
	static const char *const names[] = {"solution", "./d/../solution", "hard", "soft"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		refused(command, "a solution of this run", WORDS(option, names[i], "solution"));
	refused(command, "a solution of this run", WORDS(option, "other_name", "of_folder"));
}

static void try_sources(const char *command, const char *option)
{
	static const char *const endings[] = {"cu", "cuh", "ini", "c", "h", "cpp", "hpp", "inl", "py"};
	char name[32];
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		snprintf(name, sizeof name, "theirs.%s", endings[i]);
		put(name, "their work");
		refused(command, name, WORDS(option, name, "solution"));
	}
}

/* The store, there or not, however it came to be the store, and what SQLite keeps beside it. */
static void try_store(const char *command, const char *option)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
	static const char *const stores[] = {"env.db", "data/gemmjudge/store.db",
										 "home/.local/share/gemmjudge/store.db"};
	char temporary[64], name[128];
	cr_assert_eq(system("mkdir -p data/gemmjudge home/.local/share/gemmjudge"), 0);
	snprintf(temporary, sizeof temporary, "tmp/gemmjudge-%u/store.db", (unsigned)geteuid());
	snprintf(name, sizeof name, "mkdir -p tmp/gemmjudge-%u", (unsigned)geteuid());
	cr_assert_eq(system(name), 0);
	setenv("GEMMJUDGE_STORE", "./env.db", 1);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		for (size_t k = 0; k < sizeof stores / sizeof *stores; k++) {
			snprintf(name, sizeof name, "%s%s", stores[k], endings[i]);
			refused(command, "the store of judgements", WORDS(option, name, "solution"));
		}
		snprintf(name, sizeof name, "%s%s", temporary, endings[i]);
		refused(command, "the store of judgements", WORDS(option, name, "solution"));
	}
	setenv("GEMMJUDGE_STORE", "none", 1);
	cr_assert_eq(system("printf 'SQLite format 3\\0' >any; touch any-wal"), 0);
	bool folder = strcmp(option, "--site") == 0 || strcmp(option, "--code") == 0 ||
				  strcmp(option, "--fastest") == 0;
	const char *says = folder ? "it is a file" : "a database";
	refused(command, says, WORDS(option, "any", "solution"));
	refused(command, says, WORDS(option, "any-wal", "solution"));
}

/* With every other option of the same subcommand. */
static void try_others(const char *command, const char *option)
{
	struct option_description facts;
	for (size_t i = 0; options_facts(command, i, &facts); i++) {
		char other[64];
		snprintf(other, sizeof other, "--%s", facts.name);
		if (facts.use == VALUE_STORE) {
			refused(command, "the store of judgements",
					WORDS(option, "named.db-wal", other, "./named.db", "solution"));
			refused(command, "the store of judgements",
					WORDS(option, "d/new.db", other, "into_d/new.db", "solution"));
		}
		if (facts.use == VALUE_READ) {
			const char *file = strcmp(facts.value, "CHAIN") == 0 ? "bias,./64,64,64" : "64,64,64";
			bool chain = file[0] == 'b';
			put("64", "x"); /* the chain's file: commas part stages */
			refused(command, "reads",
					WORDS(option, chain ? "64" : "./64,64,64", other, file, "solution"));
		}
		if (facts.use != VALUE_WRITTEN || strcmp(option, other) == 0)
			continue;
		put("one", "");
		unlink("two");
		cr_assert_eq(link("one", "two"), 0);
		refused(command, "cannot both go to", WORDS(option, "one", other, "./one", "solution"));
		refused(command, "cannot both go to", WORDS(option, "one", other, "two", "solution"));
		refused(command, "cannot both go to",
				WORDS(option, "d/new", other, "into_d/new", "solution"));
		refused(command, "cannot both go to", WORDS(option, "-", other, "-", "solution"));
		taken(command, WORDS(option, "-", other, "new", "solution"));
	}
}

Test(written_files, a_new_file_a_device_and_stdout_are_good)
{
	cr_assert_geq(for_each(VALUE_WRITTEN, try_good), 15);
}

Test(written_files, a_folder_is_no_file)
{
	for_each(VALUE_WRITTEN, try_place);
}

Test(written_files, no_solution_of_the_run_is_lost)
{
	for_each(VALUE_WRITTEN, try_solution);
}

Test(written_files, no_source_is_lost)
{
	for_each(VALUE_WRITTEN, try_sources);
}

Test(written_files, the_store_is_not_lost)
{
	for_each(VALUE_WRITTEN, try_store);
	cr_assert_eq(for_each(VALUE_FOLDER, try_store), 3); /* --site, --code, --fastest */
}

Test(written_files, no_two_options_mean_one_file)
{
	for_each(VALUE_WRITTEN, try_others);
}

static void try_folder(const char *command, const char *option)
{
	refused(command, "it is a file", WORDS(option, "solution"));
	taken(command, WORDS(option, "pages"));
	taken(command, WORDS(option, "d"));
	cr_expect_neq(access("pages", F_OK), 0, "it is there already");
}

Test(written_files, a_folder_of_pages_is_a_folder)
{
	for_each(VALUE_FOLDER, try_folder);
}

/* --export writes a header, and replaces none but its own. */
Test(written_files, a_table_replaces_a_table)
{
	put("table.h", "/* Schedules that gemmjudge tune chose on NVIDIA H200");
	put("empty.cuh", "");
	put("mine.h", "#define TILE 64\n");
	taken("tune", WORDS("--export", "table.h", "solution"));
	taken("tune", WORDS("--export", "empty.cuh", "solution"));
	taken("tune", WORDS("--export", "new.h", "solution"));
	refused("tune", "gemmjudge did not write it", WORDS("--export", "mine.h", "solution"));
	refused("tune", "as sources do", WORDS("--json", "new.h", "solution"));
}

/* Two names of what stdout is. */
Test(written_files, one_at_most_goes_to_stdout)
{
	int saved = dup(STDOUT_FILENO), fd = open("all", O_CREAT | O_WRONLY, 0666);
	cr_assert(saved >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	refused("judge", "cannot both go to", WORDS("--json", "-", "--md", "/dev/stdout", "solution"));
	refused("judge", "cannot both go to", WORDS("--json", "all", "--md", "-", "solution"));
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
}
