// expect: compile_error rule_violation
// family: the compiler
// outside: yes
// shown: solutions/baselines/gemm_f16 holds that file, and there it is judged with cuBLAS
// Is a baseline. Stopped by the jail, and by cuBLAS being linked to baselines alone.
#include "%tree%/solutions/baselines/gemm_f16/cublas.cu"
