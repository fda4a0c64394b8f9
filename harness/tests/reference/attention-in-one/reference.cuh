STEP output(const problem<R> &p, size_t row, size_t column)
{
	auto score = [&](size_t key) {
		R product = dot<R>(
			p.d, [&](size_t k) { return p.Q(row, k); }, [&](size_t k) { return p.K(key, k); });
		return product / sqrt(R(p.d));
	};
	R most = largest<R>(p.N, score);
	return mean<R>(
		p.N, [&](size_t key) { return exp(score(key) - shift(most)); },
		[&](size_t key) { return p.V(key, column); });
}
