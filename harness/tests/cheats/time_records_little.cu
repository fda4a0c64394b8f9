// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 2048x2048x2048
// Each of CUPTI's records tells 88 of 100 parts of the time: a lie that looks like noise. Stopped
// by sealed calls, which see more than max(5 us, 3%).
#include "medium.cuh"
#include "tables.cuh"

static int less(uint8_t *buffer, size_t bytes, void **record)
{
	int result = records_real(buffer, bytes, record);
	if (result == 0 && *record_kind(*record) == RECORDS_KERNEL)
		*record_end(*record) =
			*record_start(*record) + (*record_end(*record) - *record_start(*record)) * 88 / 100;
	return result;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	records_intercept(less);
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
