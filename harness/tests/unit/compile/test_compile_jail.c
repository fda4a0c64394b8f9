/* links: compile; label: slow; timeout: 300 */
/* What a file may reach, what the compiler may say, and a compiler that the file has taken over. */
#define _GNU_SOURCE
#include "compile_fixture.h"

TestSuite(compile, .init = begin, .fini = end);

/* ---- what a file may reach, and what the compiler may say -------------------- */

static void expect_end(const char *name, enum compile_status expected, const char *said)
{
	struct error err = {{0}};
	char *log;
	enum compile_status status = try(name, false, 60, &log, &err);
	cr_expect_eq(status, expected, "%d: %s\n%s", status, err.message, log);
	cr_expect(strstr(log, said) != NULL || strstr(err.message, said) != NULL, "%s\n%s", err.message,
			  log);
	cr_expect_eq(count_entries("tmp."), 0);
	free(log);
}

/* Refused in the jail, and for no other reason. */
static void expect_refused(const char *name, const char *said)
{
	struct error err = {{0}};
	char *log;
	expect_end(name, COMPILE_ERROR, said);
	enum compile_status status = try(name, true, 60, &log, &err);
	cr_expect_eq(status, COMPILE_OK, "without the jail: %s\n%s", err.message, log);
	free(log);
}

/* SOLVE behind a line that names a path. */
static void write_naming(const char *name, const char *before, const char *path, const char *after)
{
	char text[2 * PATHS_MAX];
	snprintf(text, sizeof text, "%s%s%s\n#define ANSWER 7\n" SOLVE, before, path, after);
	write_file(name, text);
}

Test(compile, a_strangers_file_reads_nothing_of_ours)
{
	need_jail();
	char tree[PATHS_MAX], path[PATHS_MAX + 64];
	struct error err;
	cr_assert(paths_source(tree, &err));
	snprintf(path, sizeof path, "%s/solutions/gemm_f16/tile.cuh", tree);
	write_naming("a.cu", "#include \"", path, "\"");
	expect_refused("a.cu", "Permission denied");
	write_naming("b.cu", "asm(\".section .rodata\\n.incbin \\\"", path, "\\\"\\n.previous\");");
	expect_refused("b.cu", "file not found");
	cr_assert_eq(symlink(path, path_of("tile.cuh")), 0);
	write_naming("c.cu", "#include \"", "tile.cuh", "\"");
	expect_refused("c.cu", "Permission denied");
	snprintf(path, sizeof path, "%s/harness/process/keeper.h", tree);
	write_naming("d.cu", "#include \"", path, "\"");
	expect_end("d.cu", COMPILE_ERROR, "Permission denied");
	write_naming("e.cu", "asm(\".section .rodata\\n.incbin \\\"", "/etc/passwd",
				 "\\\"\\n.previous\");");
	expect_end("e.cu", COMPILE_ERROR, "file not found");
	write_naming("f.cu", "#include \"", "/dev/urandom", "\"");
	expect_end("f.cu", COMPILE_ERROR, "Permission denied");
}

Test(compile, a_file_reads_what_lies_beside_it)
{
	need_jail();
	write_file("beside.cuh", "#define ANSWER 3\n");
	cr_assert_eq(mkdir(path_of("below"), 0700), 0);
	write_file("below/more.cuh", "#include \"../beside.cuh\"\n");
	write_file("a.cu", "#include \"below/more.cuh\"\n" SOLVE);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert(out.jailed);
	cr_assert_eq(answer(out.library), 3);
	compiled_free(&out);
}

/* The file alone, whatever it may have read before: also where an entry is there already. */
Test(compile, a_file_that_stands_alone_reads_nothing_beside_it)
{
	need_jail();
	struct error err = {{0}};
	struct compiled out;
	char source[PATHS_MAX];
	write_file("beside.cuh", "#define ANSWER 3\n");
	write_file("a.cu", "#include \"beside.cuh\"\n" SOLVE);
	write_file("b.cu", "#define ANSWER 4\n" SOLVE);
	out = compile("a.cu", COMPILE_OK);
	compiled_free(&out);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	struct compile_options options = {
		.source = source, .architecture = "", .isolated = true, .seconds = 60};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_ERROR);
	cr_expect_not_null(strstr(out.log, "beside.cuh: No such file"), "%s", out.log);
	compiled_free(&out);
	snprintf(source, sizeof source, "%s", path_of("b.cu"));
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
	cr_expect(out.jailed);
	cr_expect_eq(answer(out.library), 4);
	compiled_free(&out);
}

/* Under whatever name, where flags and variables of the user lead, too. */
Test(compile, no_library_that_does_gemms_is_read)
{
	need_jail();
	cr_assert_eq(mkdir(path_of("lib"), 0700), 0);
	write_file("lib/libcublas.so.99", "ELF\n");
	write_file("lib/libother.a", "!<arch>\n");
	cr_assert_eq(symlink("libcublas.so.99", path_of("lib/libharmless.so")), 0);
	cr_assert_eq(mkdir(path_of("own"), 0700), 0);
	char library_path[PATHS_MAX];
	snprintf(library_path, sizeof library_path, "%s", path_of("lib"));
	setenv("LIBRARY_PATH", library_path, 1);
	static const char *const names[] = {"libcublas.so.99", "libharmless.so"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[PATHS_MAX + 32];
		snprintf(path, sizeof path, "%s/%s", library_path, names[i]);
		write_naming("own/a.cu", "asm(\".section .rodata\\n.incbin \\\"", path,
					 "\\\"\\n.previous\");");
		expect_refused("own/a.cu", "file not found");
	}
	write_file("own/b.cu", "#define ANSWER 2\n" SOLVE);
	snprintf(library_path, sizeof library_path, "%s", path_of("own/b.cu"));
	const char *flags[] = {"-lother", NULL};
	struct compile_options options = {
		.source = library_path, .architecture = "", .flags = flags, .seconds = 60};
	struct compiled out;
	struct error err = {{0}};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
	compiled_free(&out);
	setenv("NVCC_APPEND_FLAGS", "-lcublas", 1);
	write_file("own/c.cu", "#define ANSWER 1\n" SOLVE);
	expect_end("own/c.cu", COMPILE_FORBIDDEN, "cublas");
}

/* In a home, or where everybody writes: the source files, and nothing below. */
Test(compile, a_file_in_a_home_reads_source_files_alone)
{
	need_jail();
	setenv("HOME", folder, 1);
	write_file("beside.cuh", "#define ANSWER 3\n");
	write_file("a.cu", "#include \"beside.cuh\"\n" SOLVE);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert_eq(answer(out.library), 3);
	compiled_free(&out);
	cr_assert_eq(mkdir(path_of(".ssh"), 0700), 0);
	write_file(".ssh/key.h", "\n");
	write_naming("b.cu", "#include \"", ".ssh/key.h", "\"");
	expect_refused("b.cu", "Permission denied");
	write_file("secret", "\n");
	write_naming("c.cu", "#include \"", "secret", "\"");
	expect_refused("c.cu", "Permission denied");
}

Test(compile, what_a_flag_names_may_be_read)
{
	need_jail();
	struct compiled out;
	struct error err = {{0}};
	char other[] = "/tmp/test_compile_other.XXXXXX", path[128], flag[128], source[PATHS_MAX];
	cr_assert_not_null(mkdtemp(other));
	snprintf(path, sizeof path, "%s/other.cuh", other);
	FILE *file = fopen(path, "w");
	fputs("#define ANSWER 5\n", file);
	fclose(file);
	write_file("a.cu", "#include \"other.cuh\"\n" SOLVE);
	snprintf(flag, sizeof flag, "-I%s", other);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const char *flags[] = {flag, "-std=c++20", NULL};
	struct compile_options options = {
		.source = source, .architecture = "", .flags = flags, .seconds = 120};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s\n%s", err.message,
				 out.log);
	cr_expect_str_empty(out.log, "the judge's own -std makes room: %s", out.log);
	compiled_free(&out);
	unlink(path);
	rmdir(other);
}

Test(compile, believes_nothing_that_is_said_about_the_machine)
{
	write_file("a.cu", "#error No space left on device, undefined reference to `cublasGemmEx'\n");
	expect_end("a.cu", COMPILE_ERROR, "No space left on device");
}

Test(compile, what_is_nowhere_defined_is_an_error)
{
	/* only the linker is believed */
	write_file("a.cu", "#pragma message(\"undefined reference to `cublasGemmEx'\")\n"
					   "int helper(int);\n#define ANSWER helper(1)\n" SOLVE);
	expect_end("a.cu", COMPILE_ERROR, "undefined reference to `helper(int)'");
	write_file("b.cu", "extern \"C\" int cublasCreate_v2(void *);\n"
					   "#define ANSWER cublasCreate_v2(0)\n" SOLVE);
	expect_end("b.cu", COMPILE_FORBIDDEN, "it calls cublasCreate_v2, of a GEMM library");
}

Test(compile, what_cannot_be_read_again_is_compiled_again)
{
	write_naming("a.cu", "#include \"", "/dev/null", "\"");
	struct compiled first = compile("a.cu", COMPILE_OK), second = compile("a.cu", COMPILE_OK);
	cr_assert_not(second.cached);
	compiled_free(&first);
	compiled_free(&second);
}

Test(compile, ends_what_does_not_end)
{
	struct error err = {{0}};
	char *log;
	write_file("a.cu", "#include __FILE__\n#include __FILE__\n");
	cr_expect_eq(try("a.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_str_eq(err.message, "nvcc took more than 3 s (--compile-timeout S allows more)");
	free(log);
	write_file("b.cu", "#pragma message(\"" /* hundreds of MB of messages */
					   "----------------------------------------------------------------"
					   "----------------------------------------------------------------\")\n"
					   "#include __FILE__\n#include __FILE__\n");
	cr_expect_eq(try("b.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_leq(strlen(log), 70000);
	free(log);
	cr_expect_eq(truncate(path_of("b.cu"), 100 << 20), 0);
	cr_expect_eq(try("b.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_str_eq(err.message, "the file has more than 64 MiB");
	free(log);
	cr_expect_eq(count_entries("tmp."), 0);
}

/* ---- a compiler that the file has taken over ---------------------------------- */

Test(compile, a_compiler_writes_in_its_folder_alone)
{
	need_jail();
	take_over("echo x >$there/a.cu || echo no source\n"
			  "echo x >$there/cache/entry || echo no entry\n"
			  "echo x >/tmp/entry.$$ || echo no file\n"
			  "mkdir $there/cache/folder || echo no folder\n"
			  "ln -s /etc/passwd $out || echo no link\n"
			  "cat $there/cache/*/log /proc/self/environ /etc/passwd | grep . || echo no text\n"
			  "touch $TMPDIR/file && echo but a file\n"
			  "exit 1");
	struct error err = {{0}};
	char *log;
	cr_assert_eq(try("a.cu", false, 60, &log, &err), COMPILE_ERROR);
	const char *const said[] = {"no source", "no entry", "no file",   "no folder",
								"no link",   "no text",  "but a file"};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		cr_expect_not_null(strstr(log, said[i]), "%s: %s", said[i], log);
	cr_expect_eq(count_entries("tmp."), 0);
	free(log);
}

Test(compile, a_compiler_sees_a_short_environment)
{
	setenv("API_TOKEN", "secret", 1);
	setenv("LD_PRELOAD_OF_SOMEBODY", "secret", 1);
	setenv("NVCC_APPEND_FLAGS", "-DANSWER=1", 1);
	take_over("env; cat; exit 1");
	struct error err = {{0}};
	char *log, home[PATHS_MAX];
	cr_assert_eq(try("a.cu", false, 60, &log, &err), COMPILE_ERROR);
	snprintf(home, sizeof home, "HOME=%s/cache/tmp.", folder);
	cr_expect_not_null(strstr(log, home), "%s", log);
	cr_expect_not_null(strstr(log, "NVCC_APPEND_FLAGS=-DANSWER=1\n"), "%s", log);
	cr_expect_not_null(strstr(log, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1\n"), "%s", log);
	cr_expect_null(strstr(log, "secret"), "%s", log);
	free(log);
}

Test(compile, every_end_of_the_compiler_is_the_files)
{
	take_over("kill -SEGV $$");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc was ended by signal 11");
	take_over("exit 0");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc left no solution.so");
	take_over("echo x >$out; mkdir -p ${out%/*}/dependencies");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc left no dependencies");
	take_over("for i in $(seq 300); do sleep 30 & done; wait");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc started more than 256 processes");
	take_over("dd if=/dev/null of=$out bs=1M seek=1025; exit 1"); /* sparse */
	expect_end("a.cu", COMPILE_ERROR, "File size limit exceeded");
	/* more than its share of the cache, where it would push out what others compiled */
	take_over(
		"echo solution: x >${out%/*}/dependencies; dd if=/dev/null of=$out bs=1 seek=67108865");
	expect_end("a.cu", COMPILE_STOPPED, "the library has 65 MiB; at most 64");
	cr_expect_eq(count_entries("x"), 0);
}

/* What it left is taken only where it is a file. */
Test(compile, follows_no_link_that_a_compiler_left)
{
	struct error err = {{0}};
	char *log;
	take_over("ln -s /etc/passwd $out; echo 'solution: x' >${out%/*}/dependencies");
	cr_expect_eq(try("a.cu", true, 60, &log, &err), COMPILE_STOPPED, "%s", err.message);
	cr_expect_not_null(strstr(err.message, "left no solution.so"), "%s", err.message);
	free(log);
	take_over("mkfifo $out; echo 'solution: x' >${out%/*}/dependencies");
	cr_expect_eq(try("a.cu", true, 60, &log, &err), COMPILE_STOPPED, "%s", err.message);
	free(log);
}
