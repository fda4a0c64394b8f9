/* links: serve base */
/* Sentences of a judge advise those who submit no option that a submission cannot have. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "serve/advice.h"
#include "serve/intake.h"

static void becomes(const char *text, const char *want)
{
	char *got = advice_text(text);
	cr_expect_str_eq(got, want);
	free(got);
}

Test(advice, options_of_who_runs_the_judge_are_left_out)
{
	becomes("kernel k is at a.cu:3 when its time is over: it waits there for what never comes, or "
			"there is too much to do (--timeout SECONDS gives it more)",
			"kernel k is at a.cu:3 when its time is over: it waits there for what never comes, or "
			"there is too much to do");
	becomes("the file took more than 60 s for all of its cases (--file-timeout S allows more)",
			"the file took more than 60 s for all of its cases");
	becomes("a kernel reached memory that is not its own: --device emu names the access, its line "
			"in the source and the operand that it missed (as --sanitize memcheck does, less "
			"exactly)",
			"a kernel reached memory that is not its own");
	becomes("the compiler reads the file's folder and the repository around it (the nearest folder "
			"above with .git): --nvcc-flags \"-Ix\" opens the folder of this header, too",
			"the compiler reads the file's folder and the repository around it (the nearest folder "
			"above with .git)");
	becomes("a race, memory that is read before it is written, or atomics in another order; "
			"--check race on the emulated GPU looks for the first two",
			"a race, memory that is read before it is written, or atomics in another order");
	becomes("--steps 9 allows more; smaller cases take less", "smaller cases take less");
	becomes("--device emu tells which", "");
	becomes(
		"unknown suite 'x'; 'gemmjudge list suites' shows them, and a file of your own is named "
		"with its '.ini'",
		"unknown suite 'x'");
}

Test(advice, what_is_of_use_stays)
{
	static const char *const same[] = {
		"", "keep it in f32 (--tolerance leetgpu, that site's own bound, takes it)",
		"line 3: while (--devices > 0 && --n)", "a build with --use_fast_math or -ftz=true"};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		becomes(same[i], same[i]);
	becomes("solve() has the parameters of another problem: is it --problem sgemm?",
			"solve() has the parameters of another problem: is it the problem sgemm?");
	becomes("--check race finds one in the first failing case: x",
			"the race check finds one in the first failing case: x");
	becomes("70000x1x1: sizes above 32768 need --large-sizes",
			"70000x1x1: sizes above 32768 are not taken here");
}

Test(advice, of_a_result)
{
	json_t *json = json_pack("{s:s, s:[s, i, s], s:[{s:s}], s:{s:s}}", "detail", "x (--steps 3)",
							 "hints", "--device emu tells", 4, "a; --timeout S", "cases", "detail",
							 "b (--steps 3)", "case", "detail", "c (--steps 3)");
	advice_apply(json);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	cr_expect_str_eq(text, "{\"case\":{\"detail\":\"c\"},\"cases\":[{\"detail\":\"b\"}],\"detail\":"
						   "\"x\",\"hints\":[4,\"a\"]}");
	free(text);
	json_decref(json);
	advice_apply(NULL);
}

/* ---- all hints that there are ------------------------------------------------------------ */

/* Literals that stand beside each other, as one; NULL: there are no more. *at goes on behind. */
static char *literal_next(const char **at)
{
	char *text = calloc(1, strlen(*at) + 1);
	size_t used = 0;
	for (; **at != '\0' && (**at != '"' || (*at)[-1] == '\''); ++*at)
		if (strncmp(*at, "/*", 2) == 0)
			*at = strstr(*at, "*/");
	if (**at == '\0') {
		free(text);
		return NULL;
	}
	while (**at == '"') {
		for (++*at; **at != '"'; ++*at) {
			*at += **at == '\\';
			text[used++] = **at;
		}
		++*at;
		const char *next = *at + strspn(*at, " \t\n");
		*at = *next == '"' ? next : *at;
	}
	return text;
}

/* Whether all options that it names are a submission's, or nvcc's. */
static bool is_of_use(const char *text)
{
	size_t count;
	const struct intake_option *options = intake_options(&count);
	for (const char *p = strstr(text, "--"); p != NULL; p = strstr(p + 2, "--")) {
		bool known = !islower((unsigned char)p[2]) || strncmp(p, "--use_fast_math", 15) == 0;
		for (size_t i = 0; i < count; i++)
			known = known || strncmp(p + 2, options[i].name, strlen(options[i].name)) == 0;
		if (!known)
			return false;
	}
	return true;
}

/* Whether it is a whole sentence, and no piece that others are put before or behind. */
static bool is_whole(const char *text)
{
	const size_t length = strlen(text);
	return length > 0 && strchr(" ;:,", text[0]) == NULL &&
		   strchr(" ;:,", text[length - 1]) == NULL;
}

static size_t file_look(const char *path)
{
	struct error err;
	char *source = text_read(path, (size_t)1 << 20, &err), *literal;
	const char *at = source;
	size_t advising = 0;
	cr_assert(source != NULL, "%s", err.message);
	while ((literal = literal_next(&at)) != NULL) {
		char *text = advice_text(literal);
		advising += !is_of_use(literal);
		cr_expect(is_of_use(text), "%s: '%s' becomes '%s'", path, literal, text);
		cr_expect(text[0] == '\0' || is_whole(text) || !is_whole(literal), "%s: '%s' becomes '%s'",
				  path, literal, text);
		free(text);
		free(literal);
	}
	free(source);
	return advising;
}

Test(advice, no_hint_advises_what_a_submission_cannot_have)
{
	char source[PATHS_MAX], folder[PATHS_MAX], path[PATHS_MAX];
	struct error err;
	size_t advising = 0;
	cr_assert(paths_source(source, &err) &&
			  paths_join(folder, source, "harness/judge/hints", &err));
	DIR *files = opendir(folder);
	cr_assert(files != NULL);
	for (struct dirent *entry; (entry = readdir(files)) != NULL;)
		if (strstr(entry->d_name, ".c") != NULL && paths_join(path, folder, entry->d_name, &err))
			advising += file_look(path);
	closedir(files);
	cr_expect(advising > 10, "the sentences are elsewhere: %zu", advising);
}
