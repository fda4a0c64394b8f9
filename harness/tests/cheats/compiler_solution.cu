// expect: compile_error
// family: the compiler
// without: compiler
// then: accepted
// Is a file of somebody else. Stopped by the jail: nvcc reads the toolkit, the epilogues and the
// submission.
#include "../../../solutions/gemm_f16/01_naive.cu"
