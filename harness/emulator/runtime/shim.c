/* libcudart.so.13 and libcuda.so.1 are made of this file: nothing but a name, under which programs
 * and the loader know them, and the need of libemulated-gpu.so.0, where both ABIs are. So a process
 * has one emulator whichever of the two it loads first, by name or by path, and copies of the
 * folder work as it does. */
extern int emulated_gpu_shim;
