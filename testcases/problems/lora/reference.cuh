STEP hidden(const problem<R> &p, size_t row, size_t r)
{
	return dot<R>(
		p.d_in, [&](size_t k) { return p.x(row, k); }, [&](size_t k) { return p.A(r, k); });
}

STEP output(const problem<R> &p, size_t row, size_t column)
{
	R base = dot<R>(
		p.d_in, [&](size_t k) { return p.x(row, k); }, [&](size_t k) { return p.W(column, k); });
	R added = dot<R>(
		p.rank, [&](size_t r) { return p.hidden(row, r); },
		[&](size_t r) { return p.B(column, r); });
	return base + R(p.lora_scale) * added;
}
