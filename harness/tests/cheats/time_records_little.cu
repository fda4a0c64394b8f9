// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 2048x2048x2048
// Each of CUPTI's records tells 88 of 100 parts of the time: a lie that looks like noise. Stopped
// by sealed calls, which see more than max(5 us, 3%).
#define KEPT_PERCENT 88
#include "shortened.cuh"
