// expect: wrong_answer
// family: environment
// then: accepted
// naive: accepted
// Looks for a token in the environment of whoever started the judge, as CI runners keep them there:
// in its own one, and in the kernel's copies. Not handed on; the copies are files.
#include "reward.cuh"

#define TOKEN "CI_JOB_TOKEN"

static bool is_in(const char *path)
{
	static char text[1 << 20];
	int file = open(path, O_RDONLY);
	ssize_t got = file >= 0 ? read(file, text, sizeof text) : 0;
	close(file);
	return got > 0 && memmem(text, (size_t)got, TOKEN, sizeof TOKEN - 1) != nullptr;
}

static bool cheat()
{
	char parent[64];
	snprintf(parent, sizeof parent, "/proc/%d/environ", getppid());
	return getenv(TOKEN) != nullptr || is_in("/proc/self/environ") || is_in(parent);
}
