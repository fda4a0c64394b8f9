STEP output(const problem<R> &p, size_t y, size_t x)
{
	size_t columns = p.kernel_cols;
	return dot<R>(
		p.kernel_rows * columns,
		[&](size_t k) { return p.input(y + k / columns, x + k % columns); },
		[&](size_t k) { return p.kernel(k / columns, k % columns); });
}
