// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Each of CUPTI's records tells a tenth of the time. Stopped by sealed calls.
#include "medium.cuh"
#include "tables.cuh"

static int tenth(uint8_t *buffer, size_t bytes, void **record)
{
	int result = records_real(buffer, bytes, record);
	if (result == 0 && *record_kind(*record) == RECORDS_KERNEL)
		*record_end(*record) =
			*record_start(*record) + (*record_end(*record) - *record_start(*record)) / 10;
	return result;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	records_intercept(tenth);
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
