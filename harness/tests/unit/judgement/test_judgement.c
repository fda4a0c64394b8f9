/* links: judgement; timeout: 30 */
#include <criterion/criterion.h>
#include <string.h>

#include "judgement/denied.h"
#include "judgement/layers.h"
#include "judgement/names.h"

Test(judgement, each_verdict_is_found_by_its_name)
{
	for (int i = VERDICT_ACCEPTED; i <= VERDICT_BAD_FILE; i++) {
		enum verdict found = VERDICT_ACCEPTED;
		cr_assert(verdict_of_name(verdict_name((enum verdict)i), &found) && (int)found == i);
		cr_assert(verdict_is(verdict_name((enum verdict)i), (enum verdict)i));
	}
	enum verdict none;
	cr_assert(!verdict_of_name("unknown", &none) && !verdict_of_name("", &none));
}

/* Stores and reports that people have hold these words. */
Test(judgement, names_of_seals_and_roles_stay)
{
	cr_assert(seal_state_is("none", SEAL_NONE) && seal_state_is("confirmed", SEAL_CONFIRMED));
	cr_assert(seal_state_is("host_side", SEAL_HOST_SIDE) &&
			  seal_state_is("not_confirmed", SEAL_UNCERTAIN));
	cr_assert(timing_role_is("file", TIMING_FILE) && timing_role_is("library", TIMING_LIBRARY));
	cr_assert(timing_role_is("file without epilogue", TIMING_FILE_PLAIN));
	cr_assert(!seal_state_is("", SEAL_NONE) && !timing_role_is("", TIMING_FILE));
}

Test(judgement, names_and_layers_are_one)
{
	char text[LAYERS_TEXT];
	unsigned layers;
	struct error err;
	cr_assert_str_eq(layers_print(0, text), "none");
	cr_assert_str_eq(layers_print(LAYER_ALL, text), "files, calls, namespaces, compiler");
	cr_assert(layers_parse("calls,files", &layers, &err));
	cr_assert_eq(layers, LAYER_CALLS | LAYER_FILES);
	cr_assert(layers_parse("jail", &layers, &err));
	cr_assert_eq(layers, LAYER_ALL);
	cr_assert_not(layers_parse("files,", &layers, &err));
	cr_assert_not(layers_parse("file", &layers, &err));
	cr_assert_not_null(strstr(err.message, "'file' is no layer"));
}

/* Texts of strangers: cleaned and cut, alike ones counted together, and of many some kept. */
Test(judgement, denied_calls_are_cleaned_and_bounded)
{
	struct denied_list list = {.count = 0}, all = {.recorded = true, .unrecorded = "before"};
	char path[300];
	memset(path, 'x', sizeof path);
	path[sizeof path - 1] = '\0';
	denied_add(&list, "open", "/a\n\033\x7f\xc3\xa4", 1);
	denied_add(&list, "open", "/a\t\001\x80\xff\xfe", 2);
	denied_add(&list, "a call with a name of many letters", path, 1);
	cr_assert_eq(list.count, 2);
	cr_expect_str_eq(list.calls[0].what, "/a?????");
	cr_expect_eq(list.calls[0].times, 3);
	cr_expect_str_eq(list.calls[1].call, "a call with a name o...");
	cr_expect_eq(strlen(list.calls[1].what), DENIED_WHAT - 1);
	for (int i = 0; i < 20; i++)
		denied_add(&list, "socket", (char[]){(char)('a' + i), '\0'}, 5);
	cr_expect_eq(list.count, DENIED_MAX);
	cr_expect_eq(list.more, (20 - (DENIED_MAX - 2)) * 5);
	denied_add_all(&all, &list);
	denied_add_all(&all, &list);
	cr_expect(all.recorded);
	cr_expect_str_eq(all.unrecorded, "before");
	cr_expect_eq(all.count, DENIED_MAX);
	cr_expect_eq(all.calls[0].times, 6);
	cr_expect_eq(all.more, 2 * list.more);
}
