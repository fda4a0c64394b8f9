/* What a fuzz target defines, and what it gets: see fuzz.c. */
#ifndef EMULATOR_TESTS_FUZZ_H
#define EMULATOR_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_INPUT_MAX ((size_t)1 << 16)

/* Gives the parser one input, which lies in memory of exactly this size. Everything that it takes
 * it gives back: memory, and descriptors. */
void fuzz_one(const uint8_t *data, size_t size);

/* Says that the parser did what it must not do, and ends the process: the input is kept. */
_Noreturn void fuzz_found(const char *why);

/* Writes a file into the folder of this run, in memory where the machine has /dev/shm, and
 * returns its path, which stays until the next call. */
const char *fuzz_file(const char *name, const void *bytes, size_t size);

/* That folder. */
const char *fuzz_folder(void);

/* ---- between fuzz.c and its parts -------------------------------------------- */

/* One of the inputs that are kept: seeds, and what reached code that none before it reached. */
struct fuzz_entry {
	uint8_t *bytes;
	size_t size;
};

struct fuzz_corpus {
	struct fuzz_entry *entries;
	size_t count;
	struct fuzz_entry *words; /* of the parser's language */
	size_t word_count;
	uint64_t random; /* the generator's state */
};

uint64_t fuzz_random(struct fuzz_corpus *corpus, uint64_t below);

/* A new input in out (FUZZ_INPUT_MAX bytes), from one or two of the corpus, which is not empty. */
size_t fuzz_mutate(struct fuzz_corpus *corpus, uint8_t *out);

/* Which edges an input took; without -fsanitize-coverage none ever. */
void fuzz_coverage_begin(void);
/* How many counts of edges were not seen before, which are seen from here on. */
size_t fuzz_coverage_end(void);
size_t fuzz_coverage_edges(void);

/* Two numbers that the parser compared, and how many bytes they have; false: none are known. */
bool fuzz_coverage_compared(uint64_t choice, uint64_t pair[2], size_t *width);

#endif
