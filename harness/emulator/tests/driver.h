/* The driver that the process has, libcuda.so.1: a GPU's, or the emulated one's. */
#ifndef EMULATOR_TESTS_DRIVER_H
#define EMULATOR_TESTS_DRIVER_H

#include <cuda.h>
#include <stdbool.h>

/* Makes device 0 current; false: it has been said on stderr why not, as by the others. */
bool driver_open(void);
bool driver_done(CUresult result, const char *what);
/* A module of PTX text. */
bool driver_load(const char *ptx, CUmodule *module);

#endif
