STEP C(const problem<R> &p, size_t row, size_t column)
{
	return dot<R>(
		p.N, [&](size_t k) { return p.A(row, k); }, [&](size_t k) { return p.B(k, column); });
}
