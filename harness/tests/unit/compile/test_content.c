/* links: compile process base */
/* What two files have to share to be one solution. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/content.h"

static char folder[64];

static void begin(void)
{
	strcpy(folder, "/tmp/test-content-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	mkdir("sub", 0777);
	mkdir("other", 0777);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *hash_of(const char *name)
{
	static char hashes[4][CONTENT_TEXT];
	static int next;
	struct error err;
	char *out = hashes[next++ % 4];
	cr_assert(content_hash(name, out, &err), "%s", err.message);
	cr_expect_eq(strlen(out), (size_t)CONTENT_TEXT - 1);
	return out;
}

TestSuite(content, .init = begin, .fini = end);

Test(content, a_copy_is_the_same_and_a_change_is_not)
{
	put("a.cu", "int x;\n");
	put("b.cu", "int x;\n");
	put("c.cu", "int x; \n");
	cr_expect_str_eq(hash_of("a.cu"), hash_of("b.cu"));
	cr_expect_str_neq(hash_of("a.cu"), hash_of("c.cu"));
}

/* Two files of one XXH3-128, the hash of gemmjudge 0.1.0 (c208a216dca3f2a0fd041713e50ac5bc, with
 * the length before them): where eight bytes are those of its secret, the eight behind them count
 * in a sum alone, and two such sums cancel each other out. */
#define FORGED(b, d)                                                                               \
	"aaaaaaaaaaaaaaaaaaaaaaaa\xb8\x08\x46\x74\xf7\x43\x24\x8e"                                     \
	"bbbbbbb" b "\xde\xd4\x6d\xe9\x83\x90\x97\xdb"                                                 \
	"ddddddd" d

Test(content, files_of_one_former_hash_are_two_solutions)
{
	put("a.cu", FORGED("\x62", "\x64"));
	put("b.cu", FORGED("\xe2", "\xe4"));
	cr_expect_str_neq(hash_of("a.cu"), hash_of("b.cu"));
}

/* Whoever can choose contents of one hash has others accused: it has to be one that nobody can. */
Test(content, is_known_by_blake2b)
{
	struct hash hash;
	char wanted[CONTENT_TEXT];
	static const char *const pieces[] = {"file",    "#include \"h.cuh\"\n", "name", "h.cuh", "file",
										 "int y;\n"};
	put("a.cu", "#include \"h.cuh\"\n");
	put("h.cuh", "int y;\n");
	hash_begin(&hash);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		hash_add_text(&hash, pieces[i]);
	hash_end(&hash, wanted);
	cr_expect_str_eq(hash_of("a.cu"), wanted);
}

Test(content, headers_beside_the_file_count)
{
	put("a.cu", "  #  include \"sub/h.cuh\"\nint x;\n");
	put("sub/h.cuh", "#include \"deeper.cuh\"\n");
	put("sub/deeper.cuh", "int y;\n");
	char before[CONTENT_TEXT];
	strcpy(before, hash_of("a.cu"));
	put("sub/deeper.cuh", "int z;\n");
	cr_expect_str_neq(hash_of("a.cu"), before);
	put("sub/deeper.cuh", "int y;\n");
	cr_expect_str_eq(hash_of("a.cu"), before);
	put("deeper.cuh", "nobody includes this one\n");
	cr_expect_str_eq(hash_of("a.cu"), before);
}

/* No name leads anywhere: the same folder elsewhere is the same solution. */
Test(content, where_the_folder_lies_does_not_count)
{
	put("a.cu", "#include \"h.cuh\"\n");
	put("h.cuh", "int y;\n");
	put("other/b.cu", "#include \"h.cuh\"\n");
	put("other/h.cuh", "int y;\n");
	cr_expect_str_eq(hash_of("a.cu"), hash_of("other/b.cu"));
}

Test(content, files_that_include_each_other_end)
{
	put("a.cu", "#include \"b.cuh\"\n#include \"missing.cuh\"\n#include <stdio.h>\n#include \"\n");
	put("b.cuh",
		"#include \"a.cu\"\n#include \"b.cuh\"\n#include \"/dev/zero\"\n#include \"sub\"\n");
	hash_of("a.cu");
}

Test(content, what_is_no_file_has_none)
{
	struct error err;
	char out[CONTENT_TEXT];
	cr_expect_not(content_hash("missing.cu", out, &err));
	cr_expect_not_null(strstr(err.message, "missing.cu"));
	cr_expect_not(content_hash("sub", out, &err));
}
