/* The order in which a reference's steps are computed: those that are whole first, then the others
 * in blocks along their first extent. Who computes them, and where they lie, is the caller's
 * matter. */
#ifndef GEMMJUDGE_REFERENCE_STEPS_CUH
#define GEMMJUDGE_REFERENCE_STEPS_CUH

#include "operand.cuh"

#ifdef EPILOGUE_CHAIN /* the header that testcases/problem_reference.c writes */
#include EPILOGUE_CHAIN
#else
#include "problem_reference.cuh"
#endif

namespace reference
{

/* The elements of a step whose first index lies in a range. */
struct range {
	size_t begin, end;
};

/* The functions of the steps, as types. */
#define STEP_FUNCTION(step)                                                                        \
	struct function_of_##step {                                                                    \
		template <class R, class... Index>                                                         \
		REFERENCE_CODE R operator()(const problem<R> &p, Index... at) const                        \
		{                                                                                          \
			return steps::step<R>(p, at...);                                                       \
		}                                                                                          \
	};
REFERENCE_STEPS(STEP_FUNCTION)

/* Sizes, scalars and inputs of `p` are set. give(matrix, rows) gives a step memory for so many of
 * its first extent; of outputs it is called last, for all. fill(p, matrix, range, function)
 * computes a step there. At most `block` rows are computed at once; 0: all. */
template <class R, class Give, class Fill>
void steps_run(problem<R> &p, size_t block, const Give &give, const Fill &fill)
{
	size_t count = 0; /* of the first extent of what is computed in blocks */
	p.shape();
#define COUNT(step) count = p.step.blocked ? p.step.extent[0] : count;
	REFERENCE_STEPS(COUNT)
	block = block > 0 && block < count ? block : count;
#define GIVE(step)                                                                                 \
	p.step.first = 0;                                                                              \
	give(p.step, p.step.blocked ? block : p.step.extent[0]);
	REFERENCE_STEPS(GIVE)
	give(p.REFERENCE_OUTPUT, p.REFERENCE_OUTPUT.extent[0]);
#define FILL_WHOLE(step)                                                                           \
	if (!p.step.blocked)                                                                           \
		fill(p, p.step, range{0, p.step.extent[0]}, function_of_##step());
	REFERENCE_STEPS(FILL_WHOLE)
	for (size_t begin = 0; begin < count; begin += block) {
		range rows = {begin, begin + block < count ? begin + block : count};
#define MOVE(step) p.step.first = p.step.blocked ? begin : 0;
		REFERENCE_STEPS(MOVE)
		p.REFERENCE_OUTPUT.first = 0;
#define FILL_BLOCK(step)                                                                           \
	if (p.step.blocked)                                                                            \
		fill(p, p.step, rows, function_of_##step());
		REFERENCE_STEPS(FILL_BLOCK)
	}
}

} // namespace reference

#endif
