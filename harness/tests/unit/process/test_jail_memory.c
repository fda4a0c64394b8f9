/* links: jail judgement process base; timeout: 300 */
/* Pages that only their owner opens. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/unit/process/jail_fixture.h"

TestSuite(jail_memory, .init = begin, .fini = end);

#define BLOCK ((uintptr_t)1 << 30)
#define FAR (BLOCK / 2)
#define PAGE ((uintptr_t)65536) /* a multiple of every host's */
#define TAG ((uintptr_t)1 << 56)
#define KEY 0x123456789abcdef1
#define OPEN (PROT_READ | PROT_WRITE)

/* The block, of which the upper half is closed pages, and in front of which there is room. */
static uintptr_t block;

static void reserve(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *at = mmap(NULL, 3 * BLOCK, PROT_NONE, flags, -1, 0);
	cr_assert_neq(at, MAP_FAILED);
	block = ((uintptr_t)at + 2 * BLOCK - 1) / BLOCK * BLOCK;
}

static long answer(long got)
{
	return got != -1 ? DONE : errno;
}

enum way {
	OWN,
	OF_OTHERS,
	OPENS,
	BY_KEYS,
	FROM_BEFORE,
	FROM_BEFORE_BY_KEYS,
	MOVES,
	MOVES_THERE,
	TAKES,
	TAGGED, /* which x86-64 does not know by itself */
	TAGGED_GONE,
	WAYS
};

static long open_pages(enum way way)
{
	const uintptr_t at = block + FAR, before = block - PAGE, length = FAR + 2 * PAGE;
	const int fixed = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
	switch (way) {
	case OWN: return answer(syscall(SYS_mprotect, at, PAGE, OPEN, KEY));
	case OF_OTHERS: return answer(syscall(SYS_mprotect, before, PAGE, OPEN, 0));
	case OPENS: return answer(syscall(SYS_mprotect, at, PAGE, PROT_READ, KEY + 1));
	case BY_KEYS: return answer(syscall(SYS_pkey_mprotect, at, PAGE, OPEN, -1));
	case FROM_BEFORE: return answer(syscall(SYS_mprotect, before, length, OPEN, 0));
	case FROM_BEFORE_BY_KEYS: return answer(syscall(SYS_pkey_mprotect, before, length, OPEN, -1));
	case TAGGED: return answer(syscall(SYS_mprotect, at | TAG, PAGE, OPEN, 0));
	case TAGGED_GONE: return answer(syscall(SYS_munmap, at | TAG, PAGE));
	case MOVES: return answer(syscall(SYS_mremap, at, PAGE, PAGE, MREMAP_MAYMOVE, 0));
	case MOVES_THERE:
		return answer(syscall(SYS_mremap, before, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at));
	default: return answer(syscall(SYS_mmap, before, length, OPEN, fixed, -1, 0));
	}
}

static int try_way(bool closed, enum way way)
{
	struct error err;
	const struct jail what = {.memory = {block, ~(BLOCK - 1), FAR, KEY}};
	if (closed && jail_close(&what, LAYER_CALLS, &err) != LAYER_CALLS)
		return LACKS_LAYER;
	return (int)open_pages(way);
}

Test(jail_memory, only_its_owner_opens_it)
{
	need(LAYER_CALLS);
	reserve();
	for (int way = OWN; way < WAYS; way++)
		for (int closed = way >= TAGGED; closed < 2; closed++) {
			pid_t child = fork();
			if (child == 0)
				_exit(try_way(closed, (enum way)way));
			const int wanted = closed && way > OF_OTHERS ? EPERM : DONE;
			cr_expect_eq(wait_for(child), wanted, "way %d, closed %d", way, closed);
		}
}
