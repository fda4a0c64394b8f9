STEP output(const problem<R> &p, size_t i)
{
	return dot<R>(
		p.kernel_size, [&](size_t j) { return p.input(i + j); },
		[&](size_t j) { return p.kernel(j); });
}
