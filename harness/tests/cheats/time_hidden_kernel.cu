// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 2048x2048x2048
// Works in two kernels, the smaller of which, for an eighth of C, is left out of CUPTI's records.
// Stopped by sealed calls.
#include "medium.cuh"
#include "tables.cuh"

static int hidden_blocks; // in x, of the kernel that is hidden

// CUPTI finds the next record by the kind of the one before, which is put back.
static int hide(uint8_t *buffer, size_t bytes, void **record)
{
	static void *hidden;
	if (hidden != nullptr)
		*record_kind(hidden) = RECORDS_KERNEL;
	hidden = nullptr;
	int result = records_real(buffer, bytes, record);
	if (result == 0 && *record_kind(*record) == RECORDS_KERNEL &&
		record_grid_x(*record) == hidden_blocks) {
		hidden = *record;
		*record_kind(hidden) = RECORDS_NONE;
	}
	return result;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	records_intercept(hide);
}

SOLVE
{
	int columns = N / 8 / MEDIUM_TILE * MEDIUM_TILE;
	hidden_blocks = columns / MEDIUM_TILE;
	medium_columns(A, B, C, M, N, K, alpha, beta, columns, N - columns);
	medium_columns(A, B, C, M, N, K, alpha, beta, 0, columns);
}
