// expect: compile_error
// family: the compiler
// without: compiler
// then: accepted
// outside: yes
// Is a file of somebody else. Stopped by the jail: for a file from outside of the tree, nvcc reads
// the toolkit, the epilogues and what lies beside the file.
#include "%tree%/solutions/gemm_f16/01_naive.cu"
