/* slope * x: say here what the stage does, in one sentence. What it takes is
 * declared below, a line each, in the order of its members:
 *
 * argument slope = 1
 *
 * An argument is a number with its default, given as mystage:0.5. A stage may also
 * declare pointers: "input bias N" (one value a column of C), "input bias M"
 * (one a row), "input other M N" and "output kept M N" (matrices like C).
 * epilogue.cuh is the whole contract, bias.cuh and save.cuh are examples. */
#ifndef STAGE_mystage
#define STAGE_mystage

// Element is the type of C: half, __nv_bfloat16 or float. Values are float.
template <class Element> struct stage_mystage {
    float slope;

    __device__ __forceinline__ float operator()(float x) const
    {
        return slope * x;
    }
};

#endif
