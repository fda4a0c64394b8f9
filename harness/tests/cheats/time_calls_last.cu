// expect: accepted wrong_answer rule_violation
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Leaves out all timed calls of a pass but the last, which makes up for them: the median is that of
// an empty kernel. In sealed calls it leaves out every second one. Stopped by sealed calls: which
// set comes next is known when the one before is done, and each is looked at.
#include "peek.cuh"

SOLVE
{
	if (!TRICK) {
		medium_right(A, B, C, M, N, K, alpha, beta);
		return;
	}
	uint32_t last = peek.first + peek.warmups + peek.calls - 1;
	bool timed = peek.type == PEEK_TIME && peek.index >= peek.warmups;
	if (timed && peek.set == last)
		peek_compute(A, B, C, M, N, K, alpha, beta, peek.first + peek.warmups, peek.calls);
	else if (timed || (peek.type == PEEK_CALL && peek.index % 2 == 1))
		medium_nothing<<<1, 1>>>(0);
	else
		medium_right(A, B, C, M, N, K, alpha, beta);
	peek_called();
}
