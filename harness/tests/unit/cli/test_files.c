/* links: cli */
/* The files of a run: what is found in folders, in which order, and what is left out. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files.h"

static char folder[32];

static void enter_folder(void)
{
	strcpy(folder, "/tmp/test_files.XXXXXX");
	cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
}

static void leave_folder(void)
{
	char command[128];
	snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
	cr_assert(chdir("/") == 0 && system(command) == 0);
}

TestSuite(files, .init = enter_folder, .fini = leave_folder);

static void make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);
	cr_assert(fd >= 0, "%s", path);
	close(fd);
}

/* The names become these, with blanks between them. */
static void finds(const char *const *names, size_t count, const char *expected)
{
	struct files files;
	struct error err;
	char found[4096] = "";
	cr_assert(files_find(names, count, &files, &err), "%s", err.message);
	for (size_t i = 0; i < files.count; i++)
		sprintf(found + strlen(found), "%s%s", i > 0 ? " " : "", files.paths[i]);
	cr_expect_str_eq(found, expected);
	files_free(&files);
	cr_expect(files.count == 0 && files.paths == NULL);
}

Test(files, a_folder_stands_for_its_solutions)
{
	mkdir("d", 0755);
	mkdir("d/b", 0755);
	mkdir("d/.hidden", 0755);
	make("d/z.cu");
	make("d/a.cu");
	make("d/a.cuh");
	make("d/.cu");
	make("d/._a.cu");
	make("d/b/10.cu");
	make("d/b/02.cu");
	make("d/.hidden/x.cu");
	finds((const char *[]){"d"}, 1, "d/a.cu d/b/02.cu d/b/10.cu d/z.cu");
	finds((const char *[]){"d/.hidden", "-", "d/b/"}, 3, "d/.hidden/x.cu - d/b/02.cu d/b/10.cu");
}

Test(files, what_was_named_stays)
{
	make("a.txt");
	finds((const char *[]){"nowhere.cu", "a.txt", "a.txt"}, 3, "nowhere.cu a.txt a.txt");
}

Test(files, a_folder_without_any_stays)
{
	mkdir("d", 0755);
	mkdir("d/b", 0755);
	mkdir("d/x.cu", 0755);
	finds((const char *[]){"d/b", "d"}, 2, "d/b d/x.cu");
	make("d/x.cu/y.cu");
	finds((const char *[]){"d"}, 1, "d/x.cu/y.cu");
}

Test(files, links_make_no_loop_and_nothing_twice)
{
	mkdir("d", 0755);
	mkdir("d/b", 0755);
	mkdir("other", 0755);
	make("d/b/x.cu");
	make("other/y.cu");
	cr_assert(symlink("..", "d/b/up") == 0 && symlink("b", "d/c") == 0 &&
			  symlink("../other", "d/other") == 0 && symlink("nowhere", "d/gone.cu") == 0 &&
			  symlink("loop.cu", "d/loop.cu") == 0 && symlink("b/x.cu", "d/link.cu") == 0);
	finds((const char *[]){"d"}, 1, "d/b/x.cu d/gone.cu d/link.cu d/loop.cu d/other/y.cu");
}

Test(files, many_are_found)
{
	char name[32];
	const char *names[] = {"d", "d"};
	struct files files;
	struct error err;
	mkdir("d", 0755);
	for (int i = 0; i < 700; i++) {
		snprintf(name, sizeof name, "d/%03d.cu", i);
		make(name);
	}
	cr_assert(files_find(names, 2, &files, &err)); /* each name by itself */
	cr_expect_eq(files.count, 1400);
	cr_expect_str_eq(files.paths[699], "d/699.cu");
	cr_expect_str_eq(files.paths[700], "d/000.cu");
	files_free(&files);
}
