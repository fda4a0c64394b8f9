/* What a reference reads: the inputs of solve() and its own earlier steps, by their indices.
 * Elements lie row-major and dense. Host and device code. */
#ifndef GEMMJUDGE_REFERENCE_OPERAND_CUH
#define GEMMJUDGE_REFERENCE_OPERAND_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "number.cuh"

namespace reference
{

/* An element of a solution's buffer, as what it is: a number without an error. */
template <class R> REFERENCE_FUNCTION R exactly(double x)
{
	if constexpr (std::is_same_v<R, bounded>)
		return bounded(x, 0, {0, 0});
	else
		return R(x);
}

/* The place of an element by its indices. */
template <int RANK> struct extents {
	static constexpr int rank = RANK;
	size_t extent[RANK];

	template <class... Index> REFERENCE_CODE size_t at(Index... index) const
	{
		static_assert(sizeof...(index) == RANK, "an index for each extent of its shape");
		const size_t indices[] = {(size_t)index...};
		size_t at = indices[0];
		for (int i = 1; i < RANK; i++)
			at = at * extent[i] + indices[i];
		return at;
	}
	/* Elements behind one index of the first extent. */
	REFERENCE_CODE size_t stride() const
	{
		size_t stride = 1;
		for (int i = 1; i < RANK; i++)
			stride *= extent[i];
		return stride;
	}
};

/* What is read of an operand; all but the first are faults. */
enum operand_as { AS_STORED, AS_TRANSPOSED, AS_ZERO, AS_ONE };

template <class R, class Element, int RANK> struct operand : extents<RANK> {
	const Element *data;
	operand_as as; /* AS_STORED, but for faults */

	template <class... Index> REFERENCE_CODE R operator()(Index... index) const
	{
		size_t at = this->at(index...);
		if constexpr (!std::is_same_v<R, bounded>)
			if (as == AS_ZERO || as == AS_ONE)
				return exactly<R>(as == AS_ONE);
		if constexpr (RANK == 2 && !std::is_same_v<R, bounded>)
			at = as == AS_TRANSPOSED ? at % this->extent[1] * this->extent[0] + at / this->extent[1]
									 : at;
		return exactly<R>((double)(float)data[at]);
	}
};

template <class Element> REFERENCE_FUNCTION kept_type kept_as();
template <> REFERENCE_FUNCTION kept_type kept_as<float>()
{
	return {0x1p-24, 0x1p-149};
}
template <> REFERENCE_FUNCTION kept_type kept_as<half>()
{
	return {0x1p-11, 0x1p-24};
}
template <> REFERENCE_FUNCTION kept_type kept_as<__nv_bfloat16>()
{
	return {0x1p-8, 0x1p-133};
}

/* A step. Of one that is computed in blocks along its first extent, `data` holds those from
 * `first` on. */
template <class R, class Element, int RANK> struct matrix : extents<RANK> {
	R *data;
	size_t first;
	bool blocked;  /* may be computed in blocks */
	bool in_order; /* reads itself at smaller first indices */

	REFERENCE_CODE kept_type kept() const
	{
		return kept_as<Element>();
	}

	template <class... Index> REFERENCE_CODE R operator()(Index... index) const
	{
		return inherited(data[this->at(index...) - first * this->stride()], kept());
	}
	/* Element number `at`, by the step's function. */
	template <class Problem, class Function>
	REFERENCE_CODE void compute(const Problem &p, size_t at, const Function &step)
	{
		const size_t *extent = this->extent;
		R &to = data[at - first * this->stride()];
		if constexpr (RANK == 1)
			to = keep(step(p, at), kept());
		else if constexpr (RANK == 2)
			to = keep(step(p, at / extent[1], at % extent[1]), kept());
		else
			to = keep(
				step(p, at / extent[2] / extent[1], at / extent[2] % extent[1], at % extent[2]),
				kept());
	}
};

/* How a step is written: STEP score(const problem<R> &p, size_t row, size_t column) { ... } */
#define STEP template <class R> REFERENCE_FUNCTION R

} // namespace reference

#endif
