// expect: wrong_answer
// family: files
// without: files
// then: accepted
// options: --counters
// device: emu
// Fills the folder of the counters: with folders, which would be left behind, and with files, each
// as large as it may be. Stopped by the jail, which lets one file be written and none be made.
#include <sys/stat.h>

#include "reward.cuh"

static bool cheat()
{
	const char *counters = getenv("EMULATED_GPU_COUNTERS");
	char folder[4096], path[4200];
	if (counters == nullptr)
		return false;
	snprintf(folder, sizeof folder, "%s", counters);
	*strrchr(folder, '/') = '\0';
	snprintf(path, sizeof path, "%s/stays", folder);
	bool made = mkdir(path, 0700) == 0;
	for (int i = 0; i < 16; i++) {
		snprintf(path, sizeof path, "%s/%d", folder, i);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		made = made || (fd >= 0 && ftruncate(fd, 1 << 20) == 0);
	}
	return made;
}
