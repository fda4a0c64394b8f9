/* What the file of a library tells and lets choose, beside solve(). `bench` and `compare` time a
 * library in its accurate mode, too, where its results leave the error bound by default; `audit`
 * runs each of its algorithms. A file of one's own may define any of these functions; one that is
 * missing means a single mode, or a single algorithm that nothing is known of. They are called
 * between calls of solve(), by the thread that makes those. */
#ifndef GEMMJUDGE_BASELINE_LIBRARY_CUH
#define GEMMJUDGE_BASELINE_LIBRARY_CUH

#include <math.h>

enum library_mode {
	LIBRARY_DEFAULT,  /* as a program gets it that asks for nothing */
	LIBRARY_ACCURATE, /* partial sums in f32, and one rounding of a 16-bit result */
};

constexpr int LIBRARY_FASTEST = -1; /* an algorithm: what is fastest of all, by trying */
constexpr int LIBRARY_UNKNOWN = -1; /* a fact */

struct library_choice {
	library_mode mode = LIBRARY_DEFAULT;
	bool thorough = false;           /* the algorithms are all that can be enumerated */
	int algorithm = LIBRARY_FASTEST; /* 0: what the library suggests first */
};

static library_choice library_chosen;

/* The mode of the calls that follow, and whether all algorithms are enumerated or just those that
 * the library suggests. */
extern "C" void library_set_mode(int mode, int thorough)
{
	library_chosen.mode = (library_mode)mode;
	library_chosen.thorough = thorough != 0;
}

/* Which algorithm they use: LIBRARY_FASTEST, or one from 0 to library_algorithms() - 1. */
extern "C" void library_use(int algorithm)
{
	library_chosen.algorithm = algorithm;
}

/* How many algorithms there are for the last call's shape in its mode; of more than 4096 the first
 * ones are audited. */
extern "C" int library_algorithms(void);

/* A fact about one of them, or with LIBRARY_FASTEST about the one that the last call used:
 * "id", "tile", "stages", "split_k", "reduction", "swizzle", "custom", "inner", "cluster", with
 * cuBLASLt's numbers; "refused" is 1 where the library would not run it. */
extern "C" int library_fact(int algorithm, const char *name);

/* A library that is given beta = 1 and C in place adds the product to C in memory, after it was
 * rounded: two roundings of a 16-bit result. With the next number below 1 it computes as with any
 * other beta and rounds once; what that changes is 2^-24 of C, as much as one rounding in f32. */
static inline float library_beta(float beta, bool is_16_bit)
{
	bool accurate = library_chosen.mode == LIBRARY_ACCURATE;
	return accurate && is_16_bit && beta == 1.0f ? nextafterf(1.0f, 0.0f) : beta;
}

#endif
