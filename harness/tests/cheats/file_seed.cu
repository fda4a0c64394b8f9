// expect: wrong_answer runtime_error rule_violation
// family: files
// without: files,calls,namespaces
// alone: files,namespaces
// alone-cuda: files
// then: accepted
// Reads the seed from the command line of the supervisor. Stopped by the jail.
#include "relatives.cuh"
#include "reward.cuh"

static bool cheat()
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/cmdline", relative_called("gemmjudge"));
	ssize_t got = read(open(path, O_RDONLY), text, sizeof text);
	return got > 0 && memmem(text, (size_t)got, "--seed", 6) != nullptr;
}
