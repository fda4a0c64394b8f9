/* Host side: the choice of a way to cut the work, by what each takes. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include <type_traits>

#include "model.cuh"

/* The table, sorted by how a choice looks at it: plain cuts for operands that TMA takes as they
 * are, and copied; and the others. */
template <class Element> struct choices {
	using all = std::remove_reference_t<decltype(hopper_cuts<Element>())>;
	static constexpr int MOST = std::extent_v<all>;
	struct side {
		plain_cuts<MOST> cuts;
		const cut<Element> *which[MOST];
		int count;
	} as_is, copied;
	const cut<Element> *others[MOST];
	int count;

	explicit choices(const hopper_device &device) : as_is(), copied(), count()
	{
		for (const cut<Element> &c : hopper_cuts<Element>()) {
			side &own = c.family == FAMILY_COPIED ? copied : as_is;
			if (c.needs_only_c && !epilogue<Element>::only_c)
				continue;
			if (!is_plain(c)) {
				others[count++] = &c;
				continue;
			}
			plain_set(own.cuts, own.count, device, c);
			own.which[own.count++] = &c;
		}
	}
};

template <class Element>
static const cut<Element> &cut_choose(const hopper_device &device, const problem<Element> &p)
{
#ifdef HOPPER_CUT // this one wherever it fits, to measure and judge it alone
	const auto &cuts = hopper_cuts<Element>();
	static_assert(HOPPER_CUT < sizeof cuts / sizeof *cuts, "HOPPER_CUT: no such cut");
	if (cut_fits(device, cuts[HOPPER_CUT], p))
		return cuts[HOPPER_CUT];
#endif
	static const choices<Element> all(device);
	const auto &side = plain_family(p) == FAMILY_COPIED ? all.copied : all.as_is;
	plain_problem facts(p);
	float times[choices<Element>::MOST];
	for (int i = 0; i < side.count; i++) { // vector instructions, as long as nothing here branches
		float time = plain_time(side.cuts, i, facts), least = plain_least(side.cuts, i, facts);
		time = time < least ? least : time;
		times[i] = plain_fits(side.cuts, i, facts) ? time : INFINITY;
	}
	const cut<Element> *best = NULL;
	float best_time = INFINITY;
	auto may_win = [&](float time) { return !best || time < best_time; };
	auto offer = [&](const cut<Element> &c, float time) {
		if (!may_win(time))
			return;
		best_time = time;
		best = &c;
	};
	for (int i = 0; i < side.count; i++)
		if (times[i] < INFINITY) // it fits
			offer(*side.which[i], times[i]);
	for (int i = 0; i < all.count; i++) {
		const cut<Element> &c = *all.others[i];
		if (!cut_fits(device, c, p))
			continue;
		float time = cut_time(device, c, p);
		if (may_win(time)) // else its least time does not matter
			offer(c, max(time, cut_least(c, p, facts)));
	}
	return *best;
}

template <class Element>
static void hopper_solve(const Element *A, const Element *B, Element *C, int M, int N, int K,
						 float alpha, float beta)
{
	hopper_device &device = hopper_get();
	problem<Element> p(A, B, M, N, K, beta != 0.0f, epilogue_make(C, M, N, alpha, beta));

#ifndef EPILOGUE_CHAIN // of a chain, nobody knows what it does with zeros
	if (alpha == 0.0f)
		return scale_launch(device, p, beta);
#endif
	const cut<Element> &chosen = cut_choose(device, p);
	chosen.launch(device, p, chosen.splits);
}

#endif
