/* links: judgement; timeout: 30 */
#include <criterion/criterion.h>
#include <string.h>

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
	cr_assert(seal_state_is("outside", SEAL_OUTSIDE) &&
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
