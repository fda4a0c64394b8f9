#include "process/denied_calls.h"

#include <seccomp.h>

#define NONE DENIED_NO_ARGUMENT
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* number, shown, path, folder, flags, makes */
const struct denied_path denied_of_files[] = {
	{SCMP_SYS(open), "open", 0, NONE, 1, false},
	{SCMP_SYS(openat), "open", 1, 0, 2, false},
	{SCMP_SYS(creat), "open for writing", 0, NONE, NONE, true},
	{SCMP_SYS(mkdir), "mkdir", 0, NONE, NONE, true},
	{SCMP_SYS(mkdirat), "mkdir", 1, 0, NONE, true},
	{SCMP_SYS(symlink), "symlink", 1, NONE, NONE, true},
	{SCMP_SYS(symlinkat), "symlink", 2, 1, NONE, true},
	{SCMP_SYS(link), "link", 0, NONE, NONE, false},
	{SCMP_SYS(linkat), "link", 1, 0, NONE, false},
	{SCMP_SYS(rename), "rename", 0, NONE, NONE, false},
	{SCMP_SYS(renameat), "rename", 1, 0, NONE, false},
	{SCMP_SYS(renameat2), "rename", 1, 0, NONE, false},
	{SCMP_SYS(unlink), "remove", 0, NONE, NONE, false},
	{SCMP_SYS(unlinkat), "remove", 1, 0, NONE, false},
	{SCMP_SYS(rmdir), "remove", 0, NONE, NONE, false},
};
const size_t denied_of_files_count = COUNT(denied_of_files);

static const struct denied_path refused[] = {
	{SCMP_SYS(execve), NULL, 0, NONE, NONE, false},
	{SCMP_SYS(execveat), "execve", 1, 0, NONE, false},
	{SCMP_SYS(truncate), NULL, 0, NONE, NONE, false},
	{SCMP_SYS(chmod), NULL, 0, NONE, NONE, false},
	{SCMP_SYS(fchmodat), "chmod", 1, 0, NONE, false},
	{SCMP_SYS(chown), NULL, 0, NONE, NONE, false},
	{SCMP_SYS(lchown), "chown", 0, NONE, NONE, false},
	{SCMP_SYS(fchownat), "chown", 1, 0, NONE, false},
	{SCMP_SYS(mknod), NULL, 0, NONE, NONE, false},
	{SCMP_SYS(mknodat), "mknod", 1, 0, NONE, false},
	{SCMP_SYS(mount), NULL, 1, NONE, NONE, false},
	{SCMP_SYS(umount2), "umount", 0, NONE, NONE, false},
	{SCMP_SYS(chroot), NULL, 0, NONE, NONE, false},
};

static const struct denied_path *find(const struct denied_path *table, size_t count, int number)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].number == number)
			return &table[i];
	return NULL;
}

const struct denied_path *denied_of_files_find(int number)
{
	return find(denied_of_files, denied_of_files_count, number);
}

const struct denied_path *denied_refused_find(int number)
{
	return find(refused, COUNT(refused), number);
}
