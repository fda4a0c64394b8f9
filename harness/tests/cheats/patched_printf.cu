// expect: wrong_answer
// family: functions patched
// naive: accepted
// Puts its own printf into the judge's table: every verdict becomes "accepted". Stopped by verdicts
// being told by another process.
#include "cheat.cuh"
#include "got.cuh"

static int own_puts(...)
{
	if (write(STDOUT_FILENO, "accepted\n", 9) == 9)
		_exit(0);
	return 0;
}

SOLVE
{
	(void)A, (void)B, (void)K, (void)alpha, (void)beta;
	for (const char *name : {"printf", "puts", "__printf_chk"})
		got_patch(name, (void *)own_puts);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
