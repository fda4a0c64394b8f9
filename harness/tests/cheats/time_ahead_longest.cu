// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 512x512x512
// A group has four calls or more here: one that takes much longer than the others must
// not be left out of the mean as if somebody had disturbed it.
#define AHEAD_CLAIM 25000
#include "ahead.cuh"
