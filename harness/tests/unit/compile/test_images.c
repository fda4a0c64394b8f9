/* links: compile */
/* PTX in a library, whatever else its author put there. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "compile/images.h"

/* An entry of a fat binary at `place`, with this text. */
static void put(char *library, size_t place, uint16_t kind, uint64_t flags, const char *text)
{
	const uint32_t header = 64;
	const uint64_t payload = (strlen(text) + 8) / 8 * 8;
	memcpy(library + place, &kind, sizeof kind);
	memcpy(library + place + 4, &header, sizeof header);
	memcpy(library + place + 8, &payload, sizeof payload);
	memcpy(library + place + 40, &flags, sizeof flags);
	memcpy(library + place + header, text, strlen(text) + 1);
}

Test(images, nothing_in_front_hides_ptx)
{
	static char bytes[4096];
	const struct images_file library = {bytes, sizeof bytes};
	const uint32_t magic = 0xba55ed50;
	const uint64_t all = 4000;
	size_t place = 0, length;
	const char *text;
	memcpy(bytes, &magic, sizeof magic); /* a fat binary that says that it is all of the file */
	memcpy(bytes + 8, &all, sizeof all);
	put(bytes, 16, 2, 0, ".target of machine code");
	put(bytes, 512, 1, 0x8000, ".target compressed");
	put(bytes, 1024, 1, 0, ".target sm_90a");
	put(bytes, 2048, 1, 0, "no PTX");
	put(bytes, 3072, 1, 0, ".target sm_80");
	cr_assert(images_next_ptx(&library, &place, &text, &length));
	cr_expect_eq(length, strlen(".target sm_90a"));
	cr_expect_eq(memcmp(text, ".target sm_90a", length), 0);
	cr_assert(images_next_ptx(&library, &place, &text, &length));
	cr_expect_eq(memcmp(text, ".target sm_80", length), 0);
	cr_expect_not(images_next_ptx(&library, &place, &text, &length));
}

Test(images, an_entry_that_ends_outside_is_none)
{
	static char bytes[256];
	const struct images_file library = {bytes, sizeof bytes};
	const uint64_t far = UINT64_MAX - 64;
	size_t place = 0, length;
	const char *text;
	put(bytes, 0, 1, 0, ".target sm_90a");
	memcpy(bytes + 8, &far, sizeof far);
	cr_expect_not(images_next_ptx(&library, &place, &text, &length));
}

static void expect_flat(const char *before, const char *after)
{
	char text[128];
	strcpy(text, before);
	images_flatten_strings(text, strlen(text));
	cr_expect_str_eq(text, after);
}

Test(images, strings_are_of_one_line)
{
	expect_flat(".pragma \"a\nptxas info\";\nret;", ".pragma \"a_ptxas info\";\nret;");
	expect_flat("// it's \"so\n.pragma \"a\nb\";", "// it's \"so\n.pragma \"a_b\";");
	expect_flat("/* \" \n */ \"\n\"\n", "/* \" \n */ \"_\"\n");
	expect_flat("\"a\\\"\nb\n", "\"a_\"\nb\n");
	expect_flat("\"// \n\" /", "\"// _\" /");
	expect_flat("\"never ends\n", "\"never ends_");
	expect_flat("/* never ends \"\n", "/* never ends \"\n");
}
