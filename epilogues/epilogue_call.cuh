/* What the host does before and after a kernel whose epilogue reduces. epilogue.cuh includes it. */
#ifndef GEMMJUDGE_EPILOGUE_CALL_CUH
#define GEMMJUDGE_EPILOGUE_CALL_CUH

/* Finds what a chain reduces. */
template <int COUNT> struct epilogue_reductions {
	int M, N, found;
	bool deterministic; // those of the stage that is visited
	struct {
		float *to;
		size_t count;
		bool deterministic;
	} all[COUNT];

	__host__ __device__ void columns(const void *) const
	{
	}
	__host__ __device__ void rows(const void *) const
	{
	}
	__host__ __device__ void matrix(const void *) const
	{
	}
	__host__ __device__ void output(const void *) const
	{
	}
	__host__ __device__ void other(const void *) const
	{
	}
	__host__ __device__ void reduction(float *to, int rows, int columns)
	{
#ifdef EPILOGUE_APART
		rows = columns = 1;
		deterministic = false;
#endif
		all[found++] = {to, epilogue_reduced_count(M, N, rows, columns), deterministic};
	}
};

template <class Element, class Chain>
static inline auto epilogue_find(const epilogue<Element, Chain> &out)
{
	epilogue_reductions<Chain::accesses.reductions> found = {out.M, out.N};
	out.stages.each([&](const auto &stage) {
		using Stage = std::decay_t<decltype(stage)>;
		found.deterministic = epilogue_is_deterministic<Stage>;
		if constexpr (epilogue_declares<Stage>)
			stage.memory(found);
	});
	return found;
}

/* Sets what the chain reduces to 0, as each launch of a kernel needs it. epilogue_make() has called
 * it, with the default stream; epilogue_with() has not. */
template <class Element, class Chain>
static inline void epilogue_begin(const epilogue<Element, Chain> &out, cudaStream_t stream = 0)
{
	if constexpr (Chain::accesses.reductions > 0)
		for (auto one : epilogue_find(out).all) {
			size_t floats =
				one.deterministic ? epilogue_deterministic_floats(one.count) : one.count;
			cudaMemsetAsync(one.to, 0, floats * sizeof(float), stream);
		}
}

/* A thread an element of what a stage reduces. */
template <class Stage>
static __global__ void epilogue_complete(const Stage stage, float *to, size_t count, int M, int N)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	float x = to[i];
	if constexpr (epilogue_is_deterministic<Stage>)
		x = epilogue_exact_sums(to, count)[i].value();
	if constexpr (epilogue_finishes<Stage>)
		x = stage.finish(x, M, N);
	to[i] = x;
}

/* Completes what the chain reduces, behind the kernel's launch in the same stream: deterministic
 * sums and stages with a finish() need it, other chains do not. gemmjudge does it for an epilogue
 * of epilogue_make(). */
template <class Element, class Chain>
static inline void epilogue_end(const epilogue<Element, Chain> &out, cudaStream_t stream = 0)
{
	constexpr unsigned THREADS = 128;
	if constexpr (Chain::completed)
		out.stages.each([&](const auto &stage) {
			using Stage = std::decay_t<decltype(stage)>;
			if constexpr (epilogue_is_completed<Stage>) {
				epilogue_reductions<epilogue_accesses_of<Stage>().reductions> found = {out.M,
																					   out.N};
				stage.memory(found);
				for (auto one : found.all)
					if (one.count > 0)
						epilogue_complete<<<(unsigned)((one.count + THREADS - 1) / THREADS),
											THREADS, 0, stream>>>(stage, one.to, one.count, out.M,
																  out.N);
			}
		});
}

/* What gemmjudge calls after each call of solve(), if it is there. */
static void (*epilogue_ending)(void);

template <class Element, class Chain>
static inline void epilogue_end_later(const epilogue<Element, Chain> &out)
{
	if constexpr (Chain::completed) {
		static epilogue<Element, Chain> made;
		made = out;
		epilogue_ending = [] { epilogue_end(made); };
	}
}

#if defined(EPILOGUE_CHAIN) && !defined(EPILOGUE_APART)
#if !defined(SOLUTION_PART) || SOLUTION_PART < 0 // one object of a solution in parts has it
extern "C" __attribute__((visibility("default"))) void epilogue_after_solve(void)
{
	if (epilogue_ending)
		epilogue_ending();
}
#endif
#endif

#endif
