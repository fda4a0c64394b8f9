/* Solutions of a problem as somebody would write them, in f32 and by no means of the reference:
 * right ones, and ones with a fault of the problem's own. twins/NAME.h has those of one problem,
 * with sizes to try them on. */
#ifndef GEMMJUDGE_TESTS_REFERENCE_TWIN_H
#define GEMMJUDGE_TESTS_REFERENCE_TWIN_H

#include <math.h>
#include <stddef.h>

#include "reference/operand.cuh"

#include "problem_reference.cuh" /* needs what stands before it */

typedef reference::problem<double> inputs;

struct twin {
	const char *name;
	bool honest;
	void (*solve)(const inputs &p, float *out);
};

#endif
