// expect: runtime_error
// family: memory
// without: calls
// then: accepted
// device: emu
// Computes on the host: the pages of device memory are the emulated GPU's, in this very process,
// and are opened by one of the calls that change pages. On a GPU host code cannot touch them.
// Stopped by the jail, which leaves these calls to the emulated GPU.
#include <cstdint>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "cheat.cuh"

#define PAGE ((uintptr_t)4096)
#define OPEN (PROT_READ | PROT_WRITE)

static const void *opened(const void *pointer, size_t bytes)
{
	const uintptr_t first = (uintptr_t)pointer / PAGE * PAGE;
	const size_t length = ((uintptr_t)pointer + bytes - first + PAGE - 1) / PAGE * PAGE;
	if (mprotect((void *)first, length, OPEN) == 0 ||
		syscall(SYS_pkey_mprotect, first, length, OPEN, -1) == 0)
		return pointer;
	// elsewhere they may be opened; the result then stays unwritten
	void *moved = mremap((void *)first, length, length, MREMAP_MAYMOVE);
	if (moved != MAP_FAILED && mprotect(moved, length, OPEN) == 0)
		return (const char *)moved + ((uintptr_t)pointer - first);
	return pointer;
}

SOLVE
{
	const half *a = (const half *)opened(A, sizeof(half) * M * K);
	const half *b = (const half *)opened(B, sizeof(half) * K * N);
	half *c = (half *)opened(C, sizeof(half) * M * N);
	for (int row = 0; row < M; row++)
		for (int column = 0; column < N; column++) {
			float sum = 0.0f;
			for (int k = 0; k < K; k++)
				sum += __half2float(a[row * K + k]) * __half2float(b[k * N + column]);
			half *out = &c[row * N + column];
			*out = __float2half(alpha * sum + (beta != 0.0f ? beta * __half2float(*out) : 0.0f));
		}
	if (M < 0)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
