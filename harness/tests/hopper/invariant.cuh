/* Batch-invariant products: a row has the same bits in batches of any m, and at any place of them.
 * For gemm.cu, which has EXPECT() and CUDA(). */
#ifndef TESTS_HOPPER_INVARIANT_CUH
#define TESTS_HOPPER_INVARIANT_CUH

#include "bias.cuh"

/* B, and rows of A and C, for batches to be cut out of. */
template <class Element> struct batches {
	static constexpr int ROWS = 300;
	static constexpr float ALPHA = -0.7f;
	int n, k;
	bool b_is_k_major;
	float beta;
	std::vector<uint16_t> a, c;
	Element *device_a, *device_b, *device_c, *device_bias;

	/* Row 40 is zeros: -0.7 * 0 may be 0 or -0. */
	batches(int n, int k, bool b_is_k_major, float beta)
		: n(n), k(k), b_is_k_major(b_is_k_major), beta(beta)
	{
		std::mt19937 random(n + k);
		std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
		auto draw = [&](size_t count) {
			std::vector<uint16_t> made(count);
			for (uint16_t &x : made) {
				Element value = rounded(uniform(random));
				memcpy(&x, &value, sizeof x);
			}
			return made;
		};
		a = draw((size_t)ROWS * k);
		std::fill_n(a.begin() + 40 * k, k, (uint16_t)0);
		c = draw((size_t)ROWS * n);
		device_a = copied(a, a.size() + 8);
		device_b = copied(draw((size_t)k * n), (size_t)k * n);
		device_c = copied(c, c.size());
		device_bias = copied(draw(n), n);
	}
	batches(const batches &) = delete;
	~batches()
	{
		for (Element *matrix : {device_a, device_b, device_c, device_bias})
			cudaFree(matrix);
	}

	hopper_gemm product(const Element *from, int m, bool invariant) const
	{
		int ldb = b_is_k_major ? k : n;
		return {m, n, k, from, device_b, device_c, k, ldb, n, ALPHA, beta, b_is_k_major, invariant};
	}

	/* The rows of the product that are `m` rows of A from `first` on: where they lie, or with
	 * `moved` copied to the front of another matrix. By configuration `number`, if it is not -1;
	 * with a bias if BIAS. Nothing where it does not fit. */
	template <bool BIAS = false>
	std::vector<uint16_t> rows(int first, int m, bool invariant, bool moved = false,
							   int number = -1) const
	{
		size_t size = (size_t)m * n;
		Element *from = device_a + (size_t)first * k, *own = NULL;
		if (moved)
			from = own = copied(std::vector<uint16_t>(a.begin() + (size_t)first * k, a.end()),
								(size_t)(ROWS - first) * k);
		CUDA(cudaMemcpy(device_c, &c[(size_t)first * n], size * 2, cudaMemcpyHostToDevice));
		hopper_gemm p = product(from, m, invariant);
		workspace space(p);
		hopper_status status = call<BIAS>(number, p, space);
		CUDA(cudaDeviceSynchronize());
		cudaFree(own);
		std::vector<uint16_t> got;
		EXPECT(status == HOPPER_OK || number >= 0, "%dx%dx%d: %s", m, n, k,
			   hopper::status_text(status));
		if (status != HOPPER_OK)
			return got;
		got.resize(size);
		CUDA(cudaMemcpy(got.data(), device_c, size * 2, cudaMemcpyDeviceToHost));
		return got;
	}

	/* Makes the bias the opposite of a row, so that the row's results are what its rounding left:
	 * nothing of the order of what is added to it is lost in 16 bits. */
	void bias_cancels(int row)
	{
		std::vector<uint16_t> bias = rows(row, 1, true);
		for (uint16_t &x : bias)
			x ^= 0x8000;
		CUDA(cudaMemcpy(device_bias, bias.data(), bias.size() * 2, cudaMemcpyHostToDevice));
	}

  private:
	static Element rounded(float x)
	{
		if constexpr (std::is_same_v<Element, half>)
			return __float2half_rn(x);
		else
			return __float2bfloat16_rn(x);
	}
	static Element *copied(const std::vector<uint16_t> &values, size_t room)
	{
		Element *made = NULL;
		CUDA(cudaMalloc(&made, room * 2));
		CUDA(cudaMemcpy(made, values.data(), values.size() * 2, cudaMemcpyHostToDevice));
		return made;
	}
	template <bool BIAS>
	hopper_status call(int number, const hopper_gemm &p, const workspace &space) const
	{
		auto by = [&](auto layout, const auto &out) {
			return hopper::gemm_by<Element, decltype(layout)::value>(number, p, out, space.memory,
																	 space.bytes, 0);
		};
		using n_major = std::integral_constant<hopper::b_layout, hopper::B_N_MAJOR>;
		using k_major = std::integral_constant<hopper::b_layout, hopper::B_K_MAJOR>;
		if constexpr (BIAS) {
			auto chain =
				epilogue_chain_of(stage_alpha_beta<Element>{}, stage_bias<Element>{device_bias});
			return by(n_major(), epilogue_with(device_c, p.m, n, chain, ALPHA, beta));
		} else {
			auto out = epilogue_make(device_c, p.m, n, ALPHA, beta);
			if (b_is_k_major)
				return by(k_major(), out);
			if constexpr (std::is_same_v<Element, half>) // bf16 is compiled for one layout
				return by(n_major(), out);
			else
				return HOPPER_INVALID_ARGUMENT;
		}
	}
};

/* How many elements of `part` have other bits than the rows from `first` on of all. */
static size_t other_bits(const std::vector<uint16_t> &all, const std::vector<uint16_t> &part,
						 size_t first)
{
	size_t others = 0;
	for (size_t i = 0; i < part.size(); i++)
		others += all[first + i] != part[i];
	return others;
}

/* Batches of a product beside the largest one. `changed` counts elements whose bits change without
 * batch_invariant. */
template <class Element, bool BIAS = false>
static void test_batches(int n, int k, bool b_is_k_major, float beta, size_t &changed)
{
	batches<Element> t(n, k, b_is_k_major, beta);
	if (BIAS)
		t.bias_cancels(t.ROWS - 1);
	auto all = t.template rows<BIAS>(0, t.ROWS, true),
		 free = t.template rows<BIAS>(0, t.ROWS, false);
	for (int m : {1, 2, 17, 64, 65, 128, 299})
		for (int first : {0, 40, t.ROWS - m}) {
			if (first + m > t.ROWS)
				continue;
			for (bool moved : {false, true}) {
				size_t others = other_bits(all, t.template rows<BIAS>(first, m, true, moved),
										   (size_t)first * n);
				EXPECT(others == 0,
					   "%s, n %d, k %d, beta %g: %zu elements of %d rows from row %d%s",
					   std::is_same_v<Element, half> ? "f16" : "bf16", n, k, beta, others, m, first,
					   moved ? ", moved" : "");
			}
			changed += other_bits(free, t.template rows<BIAS>(first, m, false), (size_t)first * n);
		}
}

/* All configurations with the sums in order give the same bits; of the others some do not, so that
 * this would be seen. */
static void test_sum_orders(int n, int k, bool b_is_k_major, float beta, int *orders)
{
	batches<half> t(n, k, b_is_k_major, beta);
	std::vector<uint16_t> in_order;
	const hopper::problem q(t.product(t.device_a, t.ROWS, true), true);
	size_t others = 0;
	for (int number = 0; number < hopper::CONFIGS; number++) {
		int order = hopper::sum_order(number, q);
		auto got = t.rows(0, t.ROWS, false, false, number);
		if (got.empty())
			continue;
		if (order == hopper::IN_ORDER && in_order.empty())
			in_order = got;
		size_t changed = in_order.empty() ? 0 : other_bits(in_order, got, 0);
		EXPECT(order != hopper::IN_ORDER || changed == 0,
			   "configuration %d, %dx%dx%d%s, beta %g: %zu elements differ", number, t.ROWS, n, k,
			   b_is_k_major ? ", B K-major" : "", beta, changed);
		others += changed;
		orders[order == hopper::IN_ORDER ? 0 : 1]++;
	}
	EXPECT(others > 0, "n %d, k %d: no order has other bits", n, k);
}

static void test_invariant(void)
{
	size_t changed = 0;
	int orders[2] = {};
	for (bool b_is_k_major : {false, true}) {
		test_sum_orders(136, 712, b_is_k_major, 0.0f, orders);
		test_sum_orders(136, 712, b_is_k_major, 0.5f, orders);
		test_sum_orders(133, 459, b_is_k_major, 0.5f, orders); // all misaligned
		test_sum_orders(77, 456, b_is_k_major, 0.0f, orders);  // A aligned
		test_sum_orders(136, 232, b_is_k_major, 0.5f, orders); // a short K
		test_batches<half>(256, 1024, b_is_k_major, 0.5f, changed);
		test_batches<half>(32, 2048, b_is_k_major, 0.0f, changed);
		test_batches<half>(256, 1031, b_is_k_major, 0.0f, changed);
		test_batches<half>(203, 512, b_is_k_major, 0.5f, changed);
		test_batches<half>(61, 61, b_is_k_major, 0.0f, changed);
		test_batches<half>(12, 1501, b_is_k_major, 0.0f, changed); // the small kernel, and a long K
	}
	small_indices = 17000; // so that the small kernel comes in slices of 256 rows
	test_batches<half>(13, 61, false, 0.5f, changed);
	test_batches<half>(13, 61, true, 0.0f, changed);
	small_indices = 1ll << 30;
	test_batches<__nv_bfloat16>(512, 2048, true, 0.0f, changed);
	test_batches<__nv_bfloat16>(64, 2040, true, 0.0f, changed);
	test_batches<__nv_bfloat16>(131, 1999, true, 0.5f, changed);
	test_batches<__nv_bfloat16>(24, 70, true, 0.0f, changed);
	test_batches<half, true>(200, 640, false, 0.0f, changed);
	test_batches<half, true>(99, 333, false, 0.5f, changed);
	printf("%d runs in order, %d not; %zu elements change otherwise\n", orders[0], orders[1],
		   changed);
	EXPECT(changed > 0, "batches never change bits: this test could not fail");
}

#endif
