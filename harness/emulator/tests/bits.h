/* What bits.c and bits_check.c have run: hashes of what instructions give. */
#ifndef EMULATOR_TESTS_BITS_H
#define EMULATOR_TESTS_BITS_H

#include "model.h"

#define BITS_BLOCKS 256 /* of 2^24 inputs each */
#define BITS_NAME 160

/* A function of one operand, of 32 bits (WORD), 16 (HALF), a PAIR of those, or the UPPER word of
 * f64. Those of 16 bits have one block, of 2^16 inputs. */
struct bits_function {
	const char *name;
	enum { BITS_WORD, BITS_HALF, BITS_PAIR, BITS_UPPER } kind;
};
extern const struct bits_function bits_functions[];
extern const size_t bits_function_count;
bool bits_is_half(const struct bits_function *function);

/* How many rounds a suite is run for in a short check, and in a full one. */
struct bits_suite {
	const struct model_suite *suite;
	unsigned few, many;
};
extern const struct bits_suite bits_suites[];
extern const size_t bits_suite_count;
size_t bits_form_count(const struct model_suite *suite);
void bits_form_name(const struct model_suite *suite, size_t form, char name[BITS_NAME]);

/* The following are false where something did not run, which has been said on stderr. */

bool bits_open(void);
/* The hashes of `blocks` blocks: the first, and from there on every step-th. */
bool bits_hash_function(const struct bits_function *function, unsigned first, unsigned step,
						unsigned blocks, uint64_t *hashes);
/* hashes[range * bits_form_count() + form] */
bool bits_hash_forms(const struct model_suite *suite, unsigned rounds, uint64_t *hashes);
/* Results of `count` inputs. */
bool bits_dump_function(const struct bits_function *function, uint32_t first, size_t count,
						const char *file);
bool bits_dump_suite(const struct model_suite *suite, unsigned range, unsigned round,
					 const char *file);

/* The verbs of bits_check.c; an exit status. */
int bits_check(const char *file, bool all, int count, char **names);
int bits_record(int count, char **names);

#endif
