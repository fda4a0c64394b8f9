/* Loaded into the compilers, with missing_files.c: g++ and cicc take the memory for what they parse
 * by mmap() of some MiB each, and touched 20,000 pages of it for a small file, a tenth of its
 * compilation. Of malloc()'s memory a tunable says the same (nvcc.c). */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGE ((size_t)2 << 20)

/* Not where a thread's stack is to be, of which little is used. */
static bool is_heap(int access, int flags)
{
	return access == (PROT_READ | PROT_WRITE) && (flags & MAP_ANONYMOUS) != 0 &&
		   (flags & (MAP_SHARED | MAP_STACK)) == 0;
}

void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives a number */
	void *memory = (void *)syscall(SYS_mmap, at, bytes, access, flags, fd, offset);
	if (memory != MAP_FAILED && bytes >= LARGE && is_heap(access, flags))
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

extern __typeof(mmap) mmap64 __attribute__((alias("mmap")));
