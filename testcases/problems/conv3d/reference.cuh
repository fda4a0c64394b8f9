STEP output(const problem<R> &p, size_t z, size_t y, size_t x)
{
	size_t columns = p.kernel_cols, rows = p.kernel_rows;
	auto of_input = [&](size_t k) {
		return p.input(z + k / columns / rows, y + k / columns % rows, x + k % columns);
	};
	return dot<R>(p.kernel_depth * rows * columns, of_input, [&](size_t k) {
		return p.kernel(k / columns / rows, k / columns % rows, k % columns);
	});
}
