// expect: memory_limit
// because: MiB shared
// family: memory
// options: --memory 100
// against: --memory 1024
// then: accepted
// Keeps 200 MiB in shared memory that leaves the page tables as soon as it is filled: it stays, and
// is resident in no process. Counted as what is mapped, or as the kernel says where it may be
// asked.
#include <sys/mman.h>

#include "reward.cuh"

static bool cheat()
{
	const size_t bytes = (size_t)200 << 20, step = (size_t)8 << 20;
	void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	for (size_t at = 0; at < bytes; at += step) {
		memset((char *)memory + at, 7, step);
		madvise((char *)memory + at, step, MADV_DONTNEED);
	}
	usleep(1500000); // as long as a judge that looks now and then needs on a busy machine
	return *(const volatile char *)memory == 7;
}
