/* Runs a reference on the host, with threads. */
#ifndef GEMMJUDGE_REFERENCE_HOST_CUH
#define GEMMJUDGE_REFERENCE_HOST_CUH

#include <atomic>
#include <thread>
#include <vector>

#include "steps.cuh"

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

/* One thread has all elements that share all but the last index. */
struct host_fill {
	unsigned threads;

	template <class R, class Matrix, class Function>
	void operator()(const problem<R> &p, Matrix m, range rows, const Function &step) const
	{
		size_t each = m.rank > 1 ? m.extent[m.rank - 1] : 1;
		size_t at_once = m.in_order ? 1 : rows.end - rows.begin;
		for (size_t begin = rows.begin; begin < rows.end; begin += at_once)
			in_parallel(at_once * m.stride() / each, threads, [&](size_t i) {
				for (size_t j = 0; j < each; j++)
					m.compute(p, begin * m.stride() + i * each + j, step);
			});
	}
};

/* What steps hold; the output is the last one, whole. */
template <class R> struct host_memory {
	std::vector<std::vector<R>> steps;
};

template <class R>
void host_run(problem<R> &p, host_memory<R> &memory, const host_settings &settings)
{
	memory.steps.clear();
	auto give = [&](auto &matrix, size_t rows) {
		memory.steps.emplace_back(rows * matrix.stride(), R(NAN)); /* until it is computed */
		matrix.data = memory.steps.back().data();
	};
	steps_run(p, settings.block, give, host_fill{settings.threads});
}

} // namespace reference

#endif
