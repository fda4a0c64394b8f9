/* The power q + 1: of the one before, or the square of that at half of it, which is what repeated
 * squaring has. */
STEP power(const problem<R> &p, size_t q, size_t row, size_t column)
{
	if (q == 0)
		return p.input(row, column);
	R next = dot<R>(
		p.N, [&](size_t k) { return p.power(q - 1, row, k); },
		[&](size_t k) { return p.input(k, column); });
	if (q % 2 == 0)
		return next;
	size_t half = q / 2;
	R square = dot<R>(
		p.N, [&](size_t k) { return p.power(half, row, k); },
		[&](size_t k) { return p.power(half, k, column); });
	return either(next, square);
}

STEP output(const problem<R> &p, size_t row, size_t column)
{
	return p.power(p.P - 1, row, column);
}
