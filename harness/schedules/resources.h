/* What the compiled kernels of a solution take of a GPU, out of the machine code in its library. */
#ifndef GEMMJUDGE_SCHEDULES_RESOURCES_H
#define GEMMJUDGE_SCHEDULES_RESOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define RESOURCES_KERNELS_MAX 4096
#define RESOURCES_NAME_MAX 4096

struct kernel_resources {
	char *name;            /* mangled; owned */
	int registers;         /* a thread */
	int64_t static_shared; /* bytes a block, without what the system keeps */
	int64_t stack_bytes;   /* a thread: arrays and spilled registers; 0: none */
	int64_t code_bytes;
};

struct resources {
	size_t count;
	struct kernel_resources *kernels; /* owned */
};

/* Reads all kernels of a library that nvcc made (uncompressed, as compile/ does). False with err
 * where the file cannot be read, is no such library, or has no machine code; *out is then empty. */
bool resources_read(const char *library, struct resources *out, struct error *err);

/* As resources_read() of bytes in memory, which may be anything. */
bool resources_parse(const void *bytes, size_t size, struct resources *out, struct error *err);

void resources_free(struct resources *resources);

/* By its mangled name; NULL: there is none. */
const struct kernel_resources *resources_find(const struct resources *resources, const char *name);

#endif
