/* The device of a run: what it is, and what it has. */
#ifndef GEMMJUDGE_JUDGEMENT_DEVICE_H
#define GEMMJUDGE_JUDGEMENT_DEVICE_H

#include <stdint.h>

/* Where the solution runs. */
enum device_kind { DEVICE_CUDA, DEVICE_EMULATED };

struct device_facts {
	char name[128];        /* "NVIDIA H200"; "emulated GPU" */
	char architecture[16]; /* for nvcc: "90a"; "" where the device runs PTX */
	int multiprocessors;
	uint64_t memory_bytes, l2_bytes;
	int sm_clock_khz;               /* maximum SM clock; 0 unknown */
	double memory_bytes_per_second; /* of the device's memory, at most; 0 unknown */
	char pci_bus_id[32]; /* "0000:01:00.0" (cudaDeviceGetPCIBusId), for NVML; "" unknown */
	char driver[32], runtime[32], library[64]; /* versions; library: "cuBLAS 13.1.0" */
	int devices;                               /* that CUDA has here */
};

#endif
