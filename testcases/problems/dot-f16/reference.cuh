STEP result(const problem<R> &p, size_t)
{
	return dot<R>(
		p.N, [&](size_t k) { return p.A(k); }, [&](size_t k) { return p.B(k); });
}
