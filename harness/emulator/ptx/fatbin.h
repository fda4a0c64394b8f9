/* Fat binaries: what nvcc embeds in a program, several device images in one
 * blob. The layout is not published; what is known of it is written down here
 * and in fatbin.c. Only PTX images interest us. */
#ifndef EMULATOR_PTX_FATBIN_H
#define EMULATOR_PTX_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_status {
	FATBIN_FOUND,
	FATBIN_MALFORMED,
	FATBIN_NO_PTX,     /* machine code only */
	FATBIN_OTHER_GPUS, /* PTX, but for newer or other GPUs only */
	FATBIN_COMPRESSED, /* the PTX that would do is compressed in a way that is not understood */
};

struct fatbin_ptx {
	const char *text; /* points into the fat binary, or to `expanded` */
	char *expanded;   /* the caller frees it; NULL when it was not compressed */
	size_t length;    /* without the padding */
	int sm;           /* 90 for compute_90a */
	char suffix;      /* 'a' or 'f' of an architecture-specific target, else 0 */
};

/* What __cudaRegisterFatBinary is given: NULL when it is no such wrapper. */
const void *fatbin_of_wrapper(const void *wrapper);

/* The whole size in bytes, read from the fat binary's header; 0: no header. */
size_t fatbin_size(const void *fatbin);

/* Chooses the PTX that suits a GPU of compute capability `sm` best: the highest
 * one not above it, an architecture-specific one only on that very GPU (or, for
 * 'f', its family) and there before the plain one. Reads `size` bytes at most. */
enum fatbin_status fatbin_choose(const void *fatbin, size_t size, int sm, struct fatbin_ptx *out);

/* The newest CUDA whose PTX is in it, by the headers of its images: 13050 where there is PTX 9.5;
 * 0: no PTX. The same of PTX text, by its .version line. */
int fatbin_cuda_version(const void *fatbin, size_t size);
int fatbin_text_cuda_version(const char *text, size_t length);

/* Whether such a GPU can run PTX text, by its .target line. */
enum fatbin_status fatbin_text_suits(const char *text, size_t length, int sm);

/* Expands compressed PTX to exactly `size` bytes: LZ4 blocks here, zstd through
 * the machine's libzstd where there is one. NULL on failure; the caller frees. */
enum fatbin_compression { FATBIN_LZ4, FATBIN_ZSTD };
char *fatbin_expand(enum fatbin_compression how, const void *data, size_t bytes, size_t size);

/* One line for the user: what is wrong and what to do about it. */
const char *fatbin_advice(enum fatbin_status status);

#endif
