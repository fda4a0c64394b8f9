STEP hidden(const problem<R> &p, size_t row, size_t column)
{
	auto x = [&](size_t k) { return p.x(row, k); };
	R gate = dot<R>(p.d_model, x, [&](size_t k) { return p.W_gate(k, column); });
	R up = dot<R>(p.d_model, x, [&](size_t k) { return p.W_up(k, column); });
	return silu(gate) * up;
}

STEP output(const problem<R> &p, size_t row, size_t column)
{
	return dot<R>(
		p.d_ffn, [&](size_t k) { return p.hidden(row, k); },
		[&](size_t k) { return p.W_down(k, column); });
}
