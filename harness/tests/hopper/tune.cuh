/* hopper_gemm_tune_f16(), hopper::tune(), and products that name a configuration. For gemm.cu,
 * which has EXPECT(), CUDA() and test_case, behind invariant.cuh. An emulated GPU's times say
 * nothing: what is chosen there has to fit, and no more. */
#ifndef TESTS_HOPPER_TUNE_CUH
#define TESTS_HOPPER_TUNE_CUH

/* What may be chosen for a product, by number; `of_order`: batch-invariant, of these those that
 * have its sum order. */
struct fitting {
	bool fits[hopper::CONFIGS], of_order[hopper::CONFIGS];

	fitting(const hopper_gemm &product, bool workspace)
	{
		int ordinal;
		const hopper::device_table &device = hopper::device_get(ordinal);
		const hopper::problem q(product, workspace);
		bool compiled[hopper::CONFIGS];
		for (int i = 0; i < hopper::CONFIGS; i++)
			compiled[i] = hopper::variant_takes(hopper::CONFIG_LINES[i].variant, q.layout_b);
		int order = hopper::order_choose(q, compiled);
		for (int i = 0; i < hopper::CONFIGS; i++) {
			fits[i] = compiled[i] && hopper::config_fits(device, hopper::CONFIG_LINES[i], q);
			of_order[i] = fits[i] && hopper::sum_order(i, q) == order;
		}
	}
};

static hopper_status call_by(test_case &t, const hopper_gemm &product, const workspace &space)
{
	t.reset();
	hopper_status status = hopper_gemm_f16(&product, space.memory, space.bytes, 0);
	CUDA(cudaDeviceSynchronize());
	return status;
}

/* The tuned configuration fits, and the product by it is right. */
static void test_tuned(const shape &s, int batch_invariant)
{
	test_case t(s, 21 + s.m);
	hopper_gemm p = t.product();
	p.batch_invariant = batch_invariant;
	p.configuration = -7; // is not read
	workspace space(t.product());
	hopper_status status = hopper_gemm_tune_f16(&p, space.memory, space.bytes, 0);
	EXPECT(status == HOPPER_OK, "%dx%dx%d: %s", s.m, s.n, s.k, hopper::status_text(status));
	const fitting can(p, space.bytes > 0);
	int number = p.configuration - 1;
	bool within = number >= 0 && number < hopper::CONFIGS;
	EXPECT(within && (batch_invariant ? can.of_order : can.fits)[number],
		   "%dx%dx%d: configuration %d does not fit", s.m, s.n, s.k, p.configuration);
	EXPECT(call_by(t, p, space) == HOPPER_OK, "by configuration %d", p.configuration);
	t.right("by the tuned configuration");
	printf("%dx%dx%d%s: configuration %d\n", s.m, s.n, s.k,
		   batch_invariant ? ", batch-invariant" : "", p.configuration);
}

/* Each configuration, named: it computes the product, or is refused and leaves C as it was. */
static void test_named(const shape &s, int batch_invariant)
{
	test_case t(s, 22 + s.m);
	hopper_gemm p = t.product();
	p.batch_invariant = batch_invariant;
	workspace space(p);
	const fitting can(p, space.bytes > 0);
	int refused = 0, others = 0; // that do not fit; that fit, with other bits
	for (int named = -1; named <= hopper::CONFIGS + 1; named++) {
		if (named == 0)
			continue;
		bool within = named > 0 && named <= hopper::CONFIGS;
		bool fits = within && can.fits[named - 1], serves = fits;
		if (batch_invariant)
			serves = fits && can.of_order[named - 1];
		p.configuration = named;
		hopper_status expected = serves ? HOPPER_OK : HOPPER_INVALID_ARGUMENT;
		EXPECT(call_by(t, p, space) == expected, "%dx%dx%d, configuration %d", s.m, s.n, s.k,
			   named);
		t.right("a named configuration", serves);
		refused += !fits;
		others += fits && !serves;
	}
	EXPECT(refused > 2 && (others > 0) == batch_invariant,
		   "%dx%dx%d: %d do not fit, %d have other bits", s.m, s.n, s.k, refused, others);
}

static void test_tune_statuses(void)
{
	test_case t({40, 48, 56, 0, 0, 0, 0, 0, 0, 0.5f}, 3);
	auto tuned = [&](hopper_status expected, int configuration, auto change) {
		hopper_gemm p = t.product();
		p.configuration = 5;
		change(p);
		return hopper_gemm_tune_f16(&p, NULL, 0, 0) == expected && p.configuration == configuration;
	};
	EXPECT(tuned(HOPPER_OK, 0, [](hopper_gemm &p) { p.n = 0; }), "an empty product");
	EXPECT(tuned(HOPPER_OK, 0, [](hopper_gemm &p) { p.alpha = 0; }), "alpha = 0");
	EXPECT(tuned(HOPPER_INVALID_ARGUMENT, 5, [](hopper_gemm &p) { p.lda = p.k - 1; }), "lda");
	EXPECT(hopper_gemm_tune_f16(NULL, NULL, 0, 0) == HOPPER_INVALID_ARGUMENT, "no product");

	cudaStream_t stream;
	CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
		hopper_gemm p = t.product();
		cudaGraph_t graph = NULL;
		EXPECT(hopper_gemm_tune_f16(&p, NULL, 0, stream) == HOPPER_INVALID_ARGUMENT, "captured");
		CUDA(cudaStreamEndCapture(stream, &graph));
		CUDA(cudaGraphDestroy(graph));
	}
	CUDA(cudaStreamDestroy(stream));
}

/* Swapped tiles are not compiled for a stage, so that none of them may be named. */
static void test_tune_with_stages(void)
{
	batches<half> t(136, 264, false, 0.0f);
	hopper_gemm p = t.product(t.device_a, 200, false);
	auto chain = epilogue_chain_of(stage_alpha_beta<half>{}, stage_bias<half>{t.device_bias});
	auto out = epilogue_with(t.device_c, p.m, p.n, chain, p.alpha, p.beta);
	EXPECT(hopper::tune<half>(p, out, NULL, 0, 0) == HOPPER_OK, "with a bias");
	EXPECT(p.configuration > 0 &&
			   hopper::CONFIG_LINES[p.configuration - 1].variant != hopper::SWAP_AB,
		   "configuration %d", p.configuration);
	EXPECT(hopper::gemm<half>(p, out, NULL, 0, 0) == HOPPER_OK, "by it");
	for (int i = 0; i < hopper::CONFIGS; i++)
		if (hopper::CONFIG_LINES[i].variant == hopper::SWAP_AB) {
			p.configuration = i + 1;
			EXPECT(hopper::gemm<half>(p, out, NULL, 0, 0) == HOPPER_INVALID_ARGUMENT,
				   "swapped, configuration %d", i);
		}
	CUDA(cudaDeviceSynchronize());
}

static void test_tune(void)
{
	static const shape shapes[] = {
		{200, 136, 512, 0, 0, 0, 0, 0, 0, 0.0f},
		{131, 77, 463, 0, 0, 0, 0, 0, 0, 0.5f},
		{141, 160, 517, 2, 0, 0, 0, 0, 0, 0.5f, true},
		{37, 41, 100, 0, 0, 0, 0, 0, 0, 0.0f},
	};
	for (const shape &s : shapes)
		for (int batch_invariant : {0, 1}) {
			test_tuned(s, batch_invariant);
			test_named(s, batch_invariant);
		}
	test_tune_statuses();
	test_tune_with_stages();
}

#endif
