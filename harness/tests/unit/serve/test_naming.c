/* links: serve */
/* A source is called by the name that it was submitted under, and folders of the server stay
 * unknown. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "serve/naming.h"

static void becomes(const char *text, const char *want)
{
	char *got = naming_text(text, "a.cu");
	cr_expect_str_eq(got, want);
	free(got);
}

Test(naming, compilers_name_the_file)
{
	becomes("/srv/judge/stdin(12): error: x", "a.cu(12): error: x");
	becomes("stdin(1): error\nstdin(2): error", "a.cu(1): error\na.cu(2): error");
	becomes("compilation of \"/srv/stdin\".", "compilation of \"a.cu\".");
	becomes("in the kernel at stdin:42, thread 3", "in the kernel at a.cu:42, thread 3");
}

Test(naming, other_words_stay)
{
	becomes("", "");
	becomes("fgets(line, 9, stdin); // stdin (x)", "fgets(line, 9, stdin); // stdin (x)");
	becomes("mystdin(3) and my/stdin(3)", "mystdin(3) and my/stdin(3)");
	becomes("/usr/include/stdint.h(3): stdin", "/usr/include/stdint.h(3): stdin");
}

Test(naming, of_cases_and_times)
{
	json_t *json =
		json_pack("{s:[{s:s}], s:{s:[{s:s}, {s:s}]}}", "cases", "detail", "a race at stdin:7",
				  "timing", "entries", "label", "stdin", "label", "cuBLAS");
	naming_apply(json, "a.cu");
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	cr_expect_str_eq(text,
					 "{\"cases\":[{\"detail\":\"a race at a.cu:7\"}],\"file\":\"a.cu\",\"timing\":{"
					 "\"entries\":[{\"label\":\"a.cu\"},{\"label\":\"cuBLAS\"}]}}");
	free(text);
	json_decref(json);
}

Test(naming, of_a_result)
{
	json_t *json = json_pack("{s:s, s:s, s:[s, i], s:{s:s}}", "file", "stdin", "reason",
							 "refused: stdin(3): e", "hints", "line 3 (stdin:3)", 4, "compile",
							 "log", "/x/stdin(3): e");
	naming_apply(json, "a.cu");
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	cr_expect_str_eq(text,
					 "{\"compile\":{\"log\":\"a.cu(3): e\"},\"file\":\"a.cu\",\"hints\":[\"line 3 "
					 "(a.cu:3)\",4],\"reason\":\"refused: a.cu(3): e\"}");
	free(text);
	json_decref(json);
	naming_apply(NULL, "a.cu");
}
