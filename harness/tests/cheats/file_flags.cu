// expect: wrong_answer
// family: files
// without: calls,namespaces
// alone: calls
// then: accepted
// Changes the flags of the file that it was loaded from, as "immutable" is one: opened neither for
// reading nor for writing (access mode 3, which Landlock lets pass), or for reading. Here no flag
// is changed; the request must not reach the file system. Stopped by the jail.
#include <cerrno>
#include <dlfcn.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "reward.cuh"

static bool reaches(int file)
{
	int flags = 0;
	if (file < 0)
		return false;
	ioctl(file, FS_IOC_GETFLAGS, &flags);
	bool reached = ioctl(file, FS_IOC_SETFLAGS, &flags) == 0 || (errno != EPERM && errno != EROFS);
	close(file);
	return reached;
}

static bool cheat()
{
	Dl_info here;
	if (dladdr((void *)solve, &here) == 0)
		return false;
	return reaches(open(here.dli_fname, O_ACCMODE)) || reaches(open(here.dli_fname, O_RDONLY));
}
