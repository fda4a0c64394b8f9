STEP y(const problem<R> &p, size_t row)
{
	return dot<R>(
		p.N, [&](size_t k) { return p.A(row, k); }, [&](size_t k) { return p.x(k); });
}
