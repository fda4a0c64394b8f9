STEP score(const problem<R> &p, size_t row, size_t key)
{
	auto product = dot<R>(
		p.d, [&](size_t k) { return p.Q(row, k); }, [&](size_t k) { return p.K(key, k); });
	return product / sqrt(R(p.d));
}

STEP most(const problem<R> &p, size_t row)
{
	return largest<R>(p.N, [&](size_t key) { return p.score(row, key); });
}

STEP weight(const problem<R> &p, size_t row, size_t key)
{
	return exp(p.score(row, key) - shift(p.most(row)));
}

STEP output(const problem<R> &p, size_t row, size_t column)
{
	return mean<R>(
		p.N, [&](size_t key) { return p.weight(row, key); },
		[&](size_t key) { return p.V(key, column); });
}
