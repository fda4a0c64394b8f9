/* What instructions do, written as plain C from the PTX ISA (9.0; sections are named where they
 * count) and apart from the emulator: a suite is a kernel that carries out every form of some
 * instructions on random operands, and a function that compares its results with the model's.
 * test_semantics.c runs the suites on the emulated machine, semantics.c through the driver, on a
 * GPU or on the emulated one. */
#ifndef EMULATOR_TESTS_MODEL_H
#define EMULATOR_TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- numbers --- */

enum model_type {
	MODEL_U8,
	MODEL_S8,
	MODEL_U16,
	MODEL_S16,
	MODEL_U32,
	MODEL_S32,
	MODEL_U64,
	MODEL_S64,
	MODEL_F16,
	MODEL_BF16,
	MODEL_TF32,
	MODEL_F32,
	MODEL_F64,
	MODEL_E4M3,
	MODEL_E5M2,
	MODEL_S4,
	MODEL_U4,
	MODEL_B1,
	MODEL_TYPES
};
extern const char *const model_names[MODEL_TYPES]; /* "u8" */
unsigned model_bits(enum model_type type);         /* tf32: 32 */
bool model_is_float(enum model_type type);
bool model_is_signed(enum model_type type);
bool model_is_nan(enum model_type type, uint64_t bits);
/* The number that the low bits hold; exact. */
long double model_decode(enum model_type type, uint64_t bits);
enum model_rounding { MODEL_RN, MODEL_RZ, MODEL_RM, MODEL_RP, MODEL_RNA, MODEL_ROUNDINGS };
/* The nearest integer by that rule. */
long double model_integral(long double value, enum model_rounding rounding);
/* The nearest number of a floating type: past its largest one infinity, or, where it has none, NaN;
 * with `finite`, that largest one. NaN gives the canonical NaN. */
uint64_t model_encode(enum model_type type, long double value, enum model_rounding rounding,
					  bool finite);
/* Both NaN, or the same bits. */
bool model_same(enum model_type type, uint64_t a, uint64_t b);

uint64_t model_random(uint64_t *state);
/* Bits in which every format up to `bits` finds edges, ties, small numbers, and anything. */
uint64_t model_operand(uint64_t *state, unsigned bits);

/* --- kernels --- */

struct model_text {
	char *text;
	size_t used, size;
};
/* Appends to the text, which grows; the process ends where there is no memory. */
void model_say(struct model_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define MODEL_RANGES 3

/* --- suites: kernel k(in, out), its body between "model_begin" and "ret;" --- */

struct model_suite {
	const char *name;
	unsigned blocks, threads;
	size_t (*in_bytes)(void), (*out_bytes)(void); /* whose bytes are 0 before the launch */
	void (*kernel)(struct model_text *text);      /* PTX, a module */
	void (*draw)(void *in);
	/* For inputs by the million: word i of the input is a random one & keep[i], + base[i]. Three
	 * ranges: numbers near 1, medium ones, and all of a type's, but for infinities. */
	void (*range)(unsigned range, uint32_t *keep, uint32_t *base);
	/* The name of form i, and which words of the output are its results; false: there is none. */
	bool (*form)(size_t i, char *name, size_t size, size_t *first, size_t *count);
	/* How many results were compared in *compared, and how many differ: the first in `said`. */
	size_t (*differ)(const void *in, const void *out, size_t *compared, char *said, size_t size);
};
extern const struct model_suite model_cvt, model_atomics, model_mma, model_wgmma, model_members;
extern const struct model_suite model_arithmetic; /* no draw(), no differ(): for bits.c alone */

/* What a kernel begins with: pointers %in and %out, the thread's number in the grid in %t, in its
 * block in %tid32, and registers %p<16> .pred, %h<64> .b16, %r<128> .b32, %d<64> .b64. */
void model_begin(struct model_text *text);
void model_end(struct model_text *text);

/* Counts one comparison; says the first that differs. */
struct model_differences {
	size_t compared, differ, size;
	char *said;
};
void model_compare(struct model_differences *all, bool same, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
