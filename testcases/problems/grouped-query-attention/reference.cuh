STEP score(const problem<R> &p, size_t head, size_t row, size_t key)
{
	size_t shared = head / (p.num_q_heads / p.num_kv_heads);
	auto product = dot<R>(
		p.head_dim, [&](size_t k) { return p.Q(head, row, k); },
		[&](size_t k) { return p.K(shared, key, k); });
	return product / sqrt(R(p.head_dim));
}

STEP most(const problem<R> &p, size_t head, size_t row)
{
	return largest<R>(p.seq_len, [&](size_t key) { return p.score(head, row, key); });
}

STEP weight(const problem<R> &p, size_t head, size_t row, size_t key)
{
	return exp(p.score(head, row, key) - shift(p.most(head, row)));
}

STEP output(const problem<R> &p, size_t head, size_t row, size_t column)
{
	size_t shared = head / (p.num_q_heads / p.num_kv_heads);
	return mean<R>(
		p.seq_len, [&](size_t key) { return p.weight(head, row, key); },
		[&](size_t key) { return p.V(shared, key, column); });
}
