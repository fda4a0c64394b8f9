// expect: memory_limit
// because: in page tables
// family: memory
// options: --memory 100
// against: --memory 1024
// then: accepted
// Makes 200 MiB of page tables: reads a byte of each 2 MiB of a vast mapping, all of which are the
// kernel's one page of zeros. Counted.
#include <sys/mman.h>

#include "reward.cuh"

static bool cheat()
{
	const size_t step = (size_t)2 << 20, bytes = 50 * 1024 * step;
	unsigned sum = 0;
	void *memory =
		mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += step)
		sum += *((const volatile unsigned char *)memory + at);
	usleep(400000);
	return sum == 0;
}
