/* Device memory of the emulated GPU: allocations at host addresses, with exact
 * bounds. One per process. Allocation and freeing are serialised by a lock;
 * lookups from running kernels need none, because the runtime never allocates
 * or frees while a kernel runs. */
#ifndef EMULATOR_EXEC_MEMORY_H
#define EMULATOR_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
	uint64_t base;    /* 256-byte aligned device address == host address */
	uint64_t size;    /* exact bytes asked for */
	const char *kind; /* "cudaMalloc", "variable", "host": for messages, and */
	char name[64];    /* what somebody calls it; "": nobody does */
	char site[48];    /* the code that asked for it ("solve.so+0x1f39"); "": not known */
	uint32_t number;  /* among those of CUDA's functions, from 1 on; 0: it is none of them */
	uint8_t *written; /* one bit a byte, set once something wrote it; NULL: all written */
	bool read_only;   /* constants */
	bool reset;       /* of what was freed: by memory_free_all() */
	/* How an undefined value was stored there first, whose bytes count as unwritten; "": none was.
	 * From then on `written` may lose bits. */
	char undefined[240];
};

/* Reserves address space; `limit` bytes can be allocated at once (the emulated
 * GPU's memory). Idempotent. False when the host refuses. */
bool memory_init(size_t limit);

/* 0 when there is no room. Contents are filled with a recognisable pattern
 * (MEMORY_FILL, a NaN in every floating format; only the ends of very large
 * allocations, to keep them lazy), and count as unwritten. Size 0 gives 0. A gap
 * of at least 256 bytes that belongs to nobody separates neighbours, and an
 * address is not handed out again until the reservation has been gone through. */
uint64_t memory_allocate(size_t size, const char *kind);
/* As memory_allocate() for memory that the host writes without telling us (pinned, managed):
 * counts as written throughout. */
uint64_t memory_allocate_host(size_t size, const char *kind);
/* What messages call a live allocation from now on, in place of its kind. Allocations that come
 * after are numbered from 1 on again. False: none starts at `base`. */
bool memory_name(uint64_t base, const char *name);
/* Names the code that asked for a live allocation: a file and an offset into it, as addr2line takes
 * it. */
bool memory_set_site(uint64_t base, const char *site);
/* "400-byte allocation (cudaMalloc at solve.so+0x1f39)", with its number where there were several,
 * or its name. */
#define MEMORY_TEXT 160
const char *memory_describe(const struct allocation *allocation, char text[MEMORY_TEXT]);
/* False when `base` is not the start of a live allocation made by these two. */
bool memory_free(uint64_t base);
/* Every live allocation, registered host memory too. */
void memory_free_all(void);

/* The byte of the fill pattern. */
#define MEMORY_FILL 0xFF

/* The allocation that holds `address`, or NULL. The pointer stays valid until
 * that allocation is freed: callers on a hot path may keep it during a launch. */
const struct allocation *memory_find(uint64_t address);

/* The nearest allocation below `address` (for "4 bytes past the end of ..."
 * messages), or NULL; also recently freed ones (`freed` tells). What it points
 * to is valid until the next allocation or free. */
const struct allocation *memory_nearest(uint64_t address, bool *freed);

/* The live allocation that begins next above `address`, or NULL. Valid as long. */
const struct allocation *memory_following(uint64_t address);

/* Marks bytes as written (host copies, memset; kernels do it inline: bit
 * (address - base) % 8 of written[(address - base) / 8]). Bytes outside of the
 * allocation are ignored. */
void memory_mark_written(const struct allocation *allocation, uint64_t address, size_t size);
/* Whether every byte of the range was written. */
bool memory_is_written(const struct allocation *allocation, uint64_t address, size_t size);
/* Whether a copy of the range would give somebody a value that a kernel made of what nothing
 * wrote. */
bool memory_has_undefined(const struct allocation *allocation, uint64_t address, size_t size);
/* The bytes do not count as written any longer. Kernels may run. */
void memory_mark_undefined(const struct allocation *allocation, uint64_t address, size_t size);
/* Copies the marks of `size` bytes: a copy of unwritten bytes stays unwritten. */
void memory_copy_written(const struct allocation *to, uint64_t to_address,
						 const struct allocation *from, uint64_t from_address, size_t size);

/* Makes the allocation at `base` read-only for kernels (constants). */
bool memory_set_read_only(uint64_t base, bool read_only);

/* Keeps the program's own code away from device memory, as a GPU does: while
 * `closed`, the pages of memory_allocate() cannot be read or written. Open before
 * running kernels or copying. Open at the start; memory_allocate() works in both
 * states. Host-accessible memory stays open always. */
void memory_guard(bool closed);

/* Host memory that kernels may touch: registered or pinned (cudaHostRegister).
 * False when the range overlaps memory that is known already. */
bool memory_register_host(void *pointer, size_t size);
bool memory_unregister_host(void *pointer);

/* Whether the address lies in the reservation: device memory, allocated or not. */
bool memory_reserved(uint64_t address);

size_t memory_used(void);
/* The most that was used since the last call. */
size_t memory_peak(void);
size_t memory_count(void); /* of live allocations, registered host memory too */
size_t memory_limit(void);

#endif
