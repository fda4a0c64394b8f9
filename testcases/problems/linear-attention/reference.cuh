template <class R> REFERENCE_FUNCTION R feature(R x)
{
	return x > R(0) ? x + R(1) : exp(x);
}

STEP query(const problem<R> &p, size_t row, size_t k)
{
	return feature(p.Q(row, k));
}

STEP key(const problem<R> &p, size_t row, size_t k)
{
	return feature(p.K(row, k));
}

STEP mixed(const problem<R> &p, size_t k, size_t column)
{
	return dot<R>(
		p.M, [&](size_t row) { return p.key(row, k); },
		[&](size_t row) { return p.V(row, column); });
}

STEP magnitude(const problem<R> &p, size_t k, size_t column)
{
	return dot<R>(
		p.M, [&](size_t row) { return p.key(row, k); },
		[&](size_t row) { return abs(p.V(row, column)); });
}

STEP total(const problem<R> &p, size_t k)
{
	return sum<R>(p.M, [&](size_t row) { return p.key(row, k); });
}

/* f(Q) f(K)^T may come first, as it does with a mask: then M terms are summed. */
STEP output(const problem<R> &p, size_t row, size_t column)
{
	auto query = [&](size_t k) { return p.query(row, k); };
	R above = dot<R>(p.d, query, [&](size_t k) { return p.mixed(k, column); });
	R size = dot<R>(p.d, query, [&](size_t k) { return p.magnitude(k, column); });
	R below = dot<R>(p.d, query, [&](size_t k) { return p.total(k); });
	return either(above, summed_as(above, p.M, size)) / either(below, summed_as(below, p.M, below));
}
