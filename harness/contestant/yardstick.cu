/* The yardstick of sealed calls: a solution that does nothing for a known time. What its calls take
 * beyond that is what the way there and back takes. PROBLEM_YARDSTICK has its signature. */
__global__ void wait_kernel(long long nanoseconds)
{
	long long begin, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - begin < nanoseconds);
}

extern "C" void solve(float *, int nanoseconds)
{
	wait_kernel<<<1, 32>>>(nanoseconds);
}
