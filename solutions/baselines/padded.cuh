/* Copies of matrices with longer rows, for libraries that demand aligned ones. Zeros in the
 * padding change no sum. */
#ifndef GEMMJUDGE_BASELINE_PADDED_CUH
#define GEMMJUDGE_BASELINE_PADDED_CUH

#include "baseline.cuh"

/* What the libraries need of fp8 and int8: sizes in multiples of 16 elements. */
static inline int padded_size(int size)
{
	return (size + 15) / 16 * 16;
}

/* Device memory that grows to the largest request. Each KEEPER has its own. */
template <int KEEPER, class Element> static Element *padded_memory(size_t elements)
{
	static Element *memory;
	static size_t capacity;
	if (elements > capacity) {
		BASELINE_CUDA(cudaFree(memory));
		BASELINE_CUDA(cudaMalloc(&memory, elements * sizeof(Element)));
		capacity = elements;
	}
	return memory;
}

/* Row-major rows x columns as rows_to x columns_to: the matrix itself where it is so and its
 * address suits. */
template <int KEEPER, class Element>
static const Element *padded(const Element *X, int rows, int columns, int rows_to, int columns_to)
{
	if (rows == rows_to && columns == columns_to && (uintptr_t)X % 16 == 0)
		return X;
	size_t elements = (size_t)rows_to * columns_to;
	Element *to = padded_memory<KEEPER, Element>(elements);
	BASELINE_CUDA(cudaMemsetAsync(to, 0, elements * sizeof(Element)));
	BASELINE_CUDA(cudaMemcpy2DAsync(to, columns_to * sizeof(Element), X, columns * sizeof(Element),
									columns * sizeof(Element), rows, cudaMemcpyDeviceToDevice));
	return to;
}

#endif
