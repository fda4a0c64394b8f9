/* What a result would be with one fault in one step: the reference runs once more for each, over a
 * number that has it, and results that are wrong are compared. Host code; for hints, never for a
 * verdict. */
#ifndef GEMMJUDGE_REFERENCE_FAULTS_CUH
#define GEMMJUDGE_REFERENCE_FAULTS_CUH

#include "host.cuh"

namespace reference
{

/* judgement/wrong.h has them too, as bits: those of a step, from the first step on. */
enum fault_kind {
	FAULT_LAST,     /* sums and maxima leave their last term out */
	FAULT_FIRST,    /* or their first one */
	FAULT_FUNCTION, /* functions are left out: their argument stands in their place */
	FAULT_CONSTANT, /* factors and divisors that are constants or scalars are */
	FAULT_ADDED,    /* and those that are added */
	FAULT_11,       /* products are of numbers rounded to 11 bits, as half and TF32 have, */
	FAULT_8,        /* or to 8, as bfloat16 has */
	FAULT_KEPT_11,  /* the step is kept with so many bits */
	FAULT_KEPT_8,
	FAULT_KINDS,
	FAULT_NONE = FAULT_KINDS
};
constexpr int FAULT_STEPS = 4, FAULT_TRANSPOSED = FAULT_STEPS * FAULT_KINDS;
constexpr int FAULT_INPUTS = 6, FAULT_LEFT_OUT = FAULT_TRANSPOSED + FAULT_INPUTS;
constexpr int FAULT_OUTPUT = FAULT_LEFT_OUT + FAULT_INPUTS; /* a double holds 53 bits */
constexpr double FAULT_TERMS = 4e8;                         /* of all trials together */

static fault_kind fault_now = FAULT_NONE; /* of the step that is computed */

/* References are device code, too, where nobody calls this. */
REFERENCE_FUNCTION fault_kind fault_here()
{
#ifdef __CUDA_ARCH__
	return FAULT_NONE;
#else
	return fault_now;
#endif
}

struct faulty {
	double x;
	bool constant;

	faulty() = default;
	REFERENCE_CODE faulty(double x, bool constant = true) : x(x), constant(constant)
	{
	}
};

REFERENCE_FUNCTION bool operator<(faulty a, faulty b)
{
	return a.x < b.x;
}
REFERENCE_FUNCTION bool operator>(faulty a, faulty b)
{
	return a.x > b.x;
}
REFERENCE_FUNCTION faulty operator-(faulty a)
{
	return {-a.x, a.constant};
}
REFERENCE_FUNCTION faulty operator+(faulty a, faulty b)
{
	if (fault_here() == FAULT_ADDED && a.constant != b.constant)
		return a.constant ? b : a;
	return {a.x + b.x, a.constant && b.constant};
}
REFERENCE_FUNCTION faulty operator-(faulty a, faulty b)
{
	return a + -b;
}
REFERENCE_FUNCTION faulty operator*(faulty a, faulty b)
{
	if (fault_here() == FAULT_CONSTANT && a.constant != b.constant)
		return a.constant ? b : a;
	return {a.x * b.x, a.constant && b.constant};
}
REFERENCE_FUNCTION faulty operator/(faulty a, faulty b)
{
	if (fault_here() == FAULT_CONSTANT && b.constant && !a.constant)
		return a;
	return {a.x / b.x, a.constant && b.constant};
}

#define FAULTY_FUNCTION(name)                                                                      \
	REFERENCE_FUNCTION faulty name(faulty a)                                                       \
	{                                                                                              \
		return fault_here() == FAULT_FUNCTION && !a.constant ? a : faulty(name(a.x), a.constant);  \
	}
FAULTY_FUNCTION(exp)
FAULTY_FUNCTION(log)
FAULTY_FUNCTION(sqrt)
FAULTY_FUNCTION(rsqrt)
FAULTY_FUNCTION(tanh)
FAULTY_FUNCTION(sigmoid)
FAULTY_FUNCTION(silu)
FAULTY_FUNCTION(abs)

REFERENCE_FUNCTION faulty max(faulty a, faulty b)
{
	return a > b ? a : b;
}
REFERENCE_FUNCTION faulty min(faulty a, faulty b)
{
	return a < b ? a : b;
}
REFERENCE_FUNCTION faulty shift(faulty a)
{
	return a;
}
REFERENCE_FUNCTION faulty either(faulty a, faulty)
{
	return a;
}
REFERENCE_FUNCTION faulty summed_as(faulty a, size_t, faulty)
{
	return a;
}
REFERENCE_FUNCTION faulty inherited(faulty a, kept_type)
{
	return {a.x, false};
}
template <> REFERENCE_FUNCTION faulty exactly<faulty>(double x)
{
	return {x, false};
}
template <> REFERENCE_FUNCTION size_t first_term<faulty>()
{
	return fault_here() == FAULT_FIRST;
}
template <> REFERENCE_FUNCTION size_t term_end<faulty>(size_t n)
{
	return n - (fault_here() == FAULT_LAST && n > 0);
}

/* To so many bits: within their range half and TF32 are alike. */
REFERENCE_FUNCTION double narrow(double a, int bits)
{
	return bits > 0 && a != 0 ? ldexp(rint(ldexp(a, bits - 1 - ilogb(a))), ilogb(a) + 1 - bits) : a;
}

REFERENCE_FUNCTION faulty keep(faulty a, kept_type)
{
	fault_kind fault = fault_here();
	return {narrow(a.x, fault == FAULT_KEPT_11 ? 11 : fault == FAULT_KEPT_8 ? 8 : 0), a.constant};
}

template <> struct sums<faulty> {
	double x;

	REFERENCE_CODE void add(faulty a)
	{
		x += a.x;
	}
	REFERENCE_CODE void add(faulty a, faulty b)
	{
		int bits = fault_here() == FAULT_11 ? 11 : fault_here() == FAULT_8 ? 8 : 0;
		x += narrow(a.x, bits) * narrow(b.x, bits);
	}
	REFERENCE_CODE faulty total(size_t) const
	{
		return {x, false};
	}
};

/* As host_fill, with the fault in one of the steps. */
struct faulty_fill {
	host_fill fill;
	const void *chosen;
	fault_kind kind;

	template <class Matrix, class Function>
	void operator()(const problem<faulty> &p, const Matrix &m, range rows,
					const Function &step) const
	{
		fault_now = &m == chosen ? kind : FAULT_NONE;
		fill(p, m, rows, step);
		fault_now = FAULT_NONE;
	}
};

/* A result that is wrong: what came, how far from it an honest one may be, and what belongs there.
 */
struct wrong_result {
	const double *out, *reach, *want;
	size_t count;

	/* Whether `value` is what came. The bound is of another result, so that a small part of what is
	 * wrong is left to it; and where it explains nothing, it is no nearer than what belongs there.
	 */
	template <class Value> bool is_like(const Value &value) const
	{
		double worst = 0, before = 0, after = 0;
		for (size_t i = 0; i < count; i++)
			if (isfinite(out[i]))
				worst = fmax(worst, fabs(out[i] - want[i]));
		for (size_t i = 0; i < count; i++) {
			bool beyond = !(fabs(value(i)) < 0x1p128); /* f32 has no such number */
			if (!isfinite(out[i]) ? !beyond
								  : !(fabs(out[i] - value(i)) <= 2 * reach[i] + worst / 64))
				return false;
			before += isfinite(out[i]) ? square(out[i] - want[i]) : 1;
			after += isfinite(out[i]) ? square(out[i] - value(i)) : 0;
		}
		return after <= before / square(16);
	}
};

/* Which faults make the result what it is, as bits: FAULT_KINDS for each step, from
 * FAULT_TRANSPOSED on one for each input that is read as its transpose, from FAULT_LEFT_OUT on one
 * for each that is taken for zeros or ones, FAULT_OUTPUT where the output is stored as its
 * transpose. `p` has the inputs in memory of the host. */
inline uint64_t faults_of(problem<faulty> &p, const wrong_result &wrong, unsigned threads)
{
	uint64_t found = 0;
	auto tries = [&](const void *step, fault_kind kind, int bit) {
		host_memory<faulty> memory;
		auto give = [&](auto &m, size_t rows) {
			memory.steps.emplace_back(rows * m.stride());
			m.data = memory.steps.back().data();
		};
		steps_run(p, 0, give, faulty_fill{{threads}, step, kind});
		const std::vector<faulty> &out = memory.steps.back();
		found |= wrong.is_like([&](size_t i) { return out[i].x; }) ? 1ull << bit : 0;
	};
	int step = 0, input = 0;
#define TRY_STEP(name)                                                                             \
	for (int kind = 0; kind < FAULT_KINDS && step < FAULT_STEPS; kind++)                           \
		tries(&p.name, (fault_kind)kind, step *FAULT_KINDS + kind);                                \
	step++;
	REFERENCE_STEPS(TRY_STEP)
#define TRY_INPUT(name, scaled, zeros)                                                             \
	for (int as = AS_TRANSPOSED; as <= AS_ONE && input < FAULT_INPUTS; as++) {                     \
		p.name.as = (operand_as)as;                                                                \
		if (as != AS_TRANSPOSED || p.name.rank == 2)                                               \
			tries(NULL, FAULT_NONE,                                                                \
				  (as == AS_TRANSPOSED ? FAULT_TRANSPOSED : FAULT_LEFT_OUT) + input);              \
	}                                                                                              \
	p.name.as = AS_STORED;                                                                         \
	input++;
	REFERENCE_INPUTS(TRY_INPUT)
	size_t rows = p.REFERENCE_OUTPUT.extent[0], columns = p.REFERENCE_OUTPUT.stride();
	if (p.REFERENCE_OUTPUT.rank == 2 &&
		wrong.is_like([&](size_t i) { return wrong.want[i % rows * columns + i / rows]; }))
		found |= 1ull << FAULT_OUTPUT;
	return found;
}

} // namespace reference

#endif
