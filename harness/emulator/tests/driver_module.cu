// A module that driver_abi.cu loads from a file.
extern "C" __global__ void thirty_three(unsigned *out)
{
	*out = 33;
}
