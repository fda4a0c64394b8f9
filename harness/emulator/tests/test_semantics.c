/* links: emulator_core emulator_models */
/* What the models (model.h) say of every form of some instructions, on the emulated machine. */
#include "exec_fixture.h"
#include "model.h"

static void check(const struct model_suite *suite)
{
	struct model_text text = {0};
	struct fixture_launch how = {.blocks = suite->blocks, .threads = suite->threads};
	struct fault fault;
	char said[256] = "";
	size_t compared = 0;
	void *in = calloc(1, suite->in_bytes()), *zeros = calloc(1, suite->out_bytes());
	suite->draw(in);
	suite->kernel(&text);
	uint64_t from = fixture_copy(in, suite->in_bytes());
	uint64_t to = fixture_copy(zeros, suite->out_bytes());
	cr_assert(fixture_run(text.text, &how, from, to, &fault), "%s", fault.text);
	size_t differ = suite->differ(in, (const void *)(uintptr_t)to, &compared, said, sizeof said);
	cr_assert_eq(differ, 0, "%s: %zu of %zu differ: %s", suite->name, differ, compared, said);
	cr_assert_gt(compared, 2000);
	free(text.text);
	free(zeros);
	free(in);
}

Test(semantics, cvt)
{
	check(&model_cvt);
}

Test(semantics, atomics)
{
	check(&model_atomics);
}

Test(semantics, mma)
{
	check(&model_mma);
}

Test(semantics, members)
{
	check(&model_members);
}

Test(semantics, wgmma)
{
	check(&model_wgmma);
}
