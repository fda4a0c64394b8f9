// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Each of CUPTI's records tells a tenth of the time. Stopped by sealed calls.
#define KEPT_PERCENT 10
#include "shortened.cuh"
