/* Runs a reference on the host, with threads: every step is materialised before the ones behind it,
 * whole or in blocks along its first extent. */
#ifndef GEMMJUDGE_REFERENCE_HOST_CUH
#define GEMMJUDGE_REFERENCE_HOST_CUH

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "arguments.cuh"

namespace reference
{

struct host_settings {
	unsigned threads; /* 1 at least */
	size_t block;     /* so many of the first extent at once; 0: all */
};

/* Calls work(i) for each i < count, by this many threads. */
template <class Work> void in_parallel(size_t count, unsigned threads, const Work &work)
{
	std::atomic<size_t> next{0};
	auto take = [&] {
		for (size_t i = next++; i < count; i = next++)
			work(i);
	};
	std::vector<std::thread> others;
	for (unsigned i = 1; i < threads && i < count; i++)
		others.emplace_back(take);
	take();
	for (std::thread &other : others)
		other.join();
}

/* The elements of a step whose first index lies in a range. */
struct range {
	size_t begin, end;
};

/* One thread has all elements that share all but the last index. */
template <class R, class Element, class Step>
void fill(matrix<R, Element, 1> &m, range range, unsigned threads, const Step &step)
{
	in_parallel(range.end - range.begin, threads,
				[&](size_t i) { m.set(step(range.begin + i), range.begin + i); });
}
template <class R, class Element, class Step>
void fill(matrix<R, Element, 2> &m, range range, unsigned threads, const Step &step)
{
	in_parallel(range.end - range.begin, threads, [&](size_t i) {
		size_t row = range.begin + i;
		for (size_t column = 0; column < m.extent[1]; column++)
			m.set(step(row, column), row, column);
	});
}
template <class R, class Element, class Step>
void fill(matrix<R, Element, 3> &m, range range, unsigned threads, const Step &step)
{
	for (size_t first = range.begin; first < range.end; first++)
		in_parallel(m.extent[1], threads, [&](size_t row) {
			for (size_t column = 0; column < m.extent[2]; column++)
				m.set(step(first, row, column), first, row, column);
		});
}

/* What steps hold, by their order in the reference. */
template <class R> struct host_memory {
	std::vector<std::vector<R>> steps;

	template <class Matrix> void give(Matrix &matrix, size_t rows)
	{
		steps.emplace_back(rows * matrix.stride());
		matrix.data = steps.back().data();
		matrix.first = 0;
	}
};

/* Sizes, scalars and inputs of `p` are set; its steps are given memory, and its outputs hold all of
 * their elements afterwards. */
template <class R>
void host_run(problem<R> &p, host_memory<R> &memory, const host_settings &settings)
{
	size_t count = 0; /* of the first extent of what is computed in blocks */
	memory.steps.clear();
	p.shape();
#define COUNT(step) count = p.step.blocked ? p.step.extent[0] : count;
	REFERENCE_STEPS(COUNT)
	size_t block = settings.block > 0 ? std::min(settings.block, count) : count;
#define GIVE(step) memory.give(p.step, p.step.blocked ? block : p.step.extent[0]);
	REFERENCE_STEPS(GIVE)
#define GIVE_ALL(step) memory.give(p.step, p.step.extent[0]);
	REFERENCE_OUTPUTS(GIVE_ALL)
#define FILL(step, range)                                                                          \
	fill(p.step, range, settings.threads, [&](auto... at) { return step<R>(p, at...); });
#define FILL_WHOLE(step)                                                                           \
	if (!p.step.blocked)                                                                           \
	FILL(step, (range{0, p.step.extent[0]}))
	REFERENCE_STEPS(FILL_WHOLE)
	for (size_t begin = 0; begin < count; begin += block) {
		size_t end = std::min(begin + block, count);
#define MOVE(step) p.step.first = p.step.blocked ? begin : 0;
		REFERENCE_STEPS(MOVE)
#define STAY(output) p.output.first = 0;
		REFERENCE_OUTPUTS(STAY)
#define FILL_BLOCK(step)                                                                           \
	if (p.step.blocked)                                                                            \
	FILL(step, (range{begin, end}))
		REFERENCE_STEPS(FILL_BLOCK)
	}
}

} // namespace reference

#endif
