/* links: base */
/* Folders that others have filled are removed whole, and nothing else is. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remove.h"

#define DEPTH 500 /* of names that together are longer than any path */

static char folder[64];

static void begin(void)
{
	strcpy(folder, "/tmp/test-remove-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void end(void)
{
	cr_expect(remove_folder(folder));
	cr_expect_neq(access(folder, F_OK), 0);
}

TestSuite(removal, .init = begin, .fini = end);

static void put(int parent, const char *name)
{
	int fd = openat(parent, name, O_WRONLY | O_CREAT, 0);
	cr_assert_geq(fd, 0);
	close(fd);
}

Test(removal, links_are_removed_and_not_followed)
{
	cr_assert(mkdir("victim", 0700) == 0 && mkdir("full", 0700) == 0);
	put(AT_FDCWD, "victim/file");
	cr_assert_eq(symlink("../victim", "full/link"), 0);
	cr_assert_eq(symlink("/nowhere", "full/dangling"), 0);
	cr_assert_eq(link("victim/file", "full/file"), 0);
	cr_assert_eq(mkfifo("full/pipe", 0600), 0);
	cr_expect(remove_folder("full"));
	cr_expect_neq(access("full", F_OK), 0);
	cr_expect_eq(access("victim/file", F_OK), 0);
	cr_assert_eq(symlink("victim", "link"), 0);
	cr_expect_not(remove_folder("link"));
	cr_expect_eq(access("victim/file", F_OK), 0);
}

Test(removal, any_depth_and_any_mode)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY), next;
	for (int i = 0; i < DEPTH; i++) {
		put(fd, "file");
		cr_assert_eq(mkdirat(fd, i == 0 ? "full" : "a_folder_within", 0700), 0);
		cr_assert_eq(mkdirat(fd, "closed", 0), 0);
		cr_assert_geq(
			next = openat(fd, i == 0 ? "full" : "a_folder_within", O_RDONLY | O_DIRECTORY), 0);
		close(fd);
		fd = next;
	}
	cr_assert_eq(fchmod(fd, 0), 0);
	close(fd);
	cr_expect(remove_folder("full"));
	cr_expect_neq(access("full", F_OK), 0);
	cr_expect(remove_folder("full"), "it is gone");
}

/* As it calls folders while it works. */
Test(removal, names_that_are_taken)
{
	char name[96];
	cr_assert_eq(mkdir("full", 0700), 0);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "full/.gemmjudge-moved-%d", i);
		cr_assert_eq(mkdir(name, 0700), 0);
		strcat(name, "/within");
		cr_assert_eq(mkdir(name, 0700), 0);
	}
	cr_expect(remove_folder("full"));
	cr_expect_neq(access("full", F_OK), 0);
}
