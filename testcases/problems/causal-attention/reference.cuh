/* A row sees the keys up to its own: behind them nothing is read of a step. */
STEP score(const problem<R> &p, size_t row, size_t key)
{
	if (key > row)
		return 0;
	auto product = dot<R>(
		p.d, [&](size_t k) { return p.Q(row, k); }, [&](size_t k) { return p.K(key, k); });
	return product / sqrt(R(p.d));
}

STEP most(const problem<R> &p, size_t row)
{
	return largest<R>(row + 1, [&](size_t key) { return p.score(row, key); });
}

STEP weight(const problem<R> &p, size_t row, size_t key)
{
	return key > row ? R(0) : exp(p.score(row, key) - shift(p.most(row)));
}

STEP output(const problem<R> &p, size_t row, size_t column)
{
	return mean<R>(
		row + 1, [&](size_t key) { return p.weight(row, key); },
		[&](size_t key) { return p.V(key, column); });
}
