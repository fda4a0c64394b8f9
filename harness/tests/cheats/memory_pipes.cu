// expect: wrong_answer
// family: memory
// without: calls
// then: accepted
// Keeps 40 MiB in the buffers of 40 pipes, which are no memory of any process. Stopped by the jail:
// a pipe keeps its 64 KiB, and there are no more than 512.
#include "reward.cuh"

static bool cheat()
{
	static char bytes[1 << 20];
	size_t kept = 0;
	memset(bytes, 7, sizeof bytes);
	for (int i = 0; i < 40; i++) {
		int ends[2];
		ssize_t put = 0;
		if (pipe2(ends, O_NONBLOCK) != 0)
			break;
		fcntl(ends[1], F_SETPIPE_SZ, (int)sizeof bytes);
		while ((put = write(ends[1], bytes, sizeof bytes)) > 0)
			kept += (size_t)put;
	}
	return kept >= ((size_t)32 << 20);
}
