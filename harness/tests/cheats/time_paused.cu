// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Tells CUPTI not to record while it works, and to go on for an empty kernel. Stopped by sealed
// calls.
#include "peek.cuh"
#include "tables.cuh"

static struct {
	int (*enable)(uint32_t), (*disable)(uint32_t);
} records;

static __attribute__((constructor)) void begin()
{
	*(void **)&records.enable = tables_cupti("cuptiActivityEnable");
	*(void **)&records.disable = tables_cupti("cuptiActivityDisable");
}

SOLVE
{
	if (TRICK && peek.type == PEEK_TIME && peek.spans && records.disable != nullptr) {
		records.disable(RECORDS_KERNEL);
		medium_right(A, B, C, M, N, K, alpha, beta);
		cudaDeviceSynchronize();
		records.enable(RECORDS_KERNEL);
		medium_nothing<<<1, 1>>>(0);
		return;
	}
	medium_right(A, B, C, M, N, K, alpha, beta);
}
