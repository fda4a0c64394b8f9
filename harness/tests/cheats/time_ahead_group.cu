// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Computes all sets of a sealed group in its first call, and all of a pass in its untimed one;
// claims a third of its time. Stopped by groups of so many sets that to compute them all takes
// longer.
#define AHEAD_CLAIM 45000
#include "ahead.cuh"
