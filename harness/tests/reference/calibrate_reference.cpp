/* What honest solutions of a problem, and faulty ones, reach of the bound that follows from its
 * reference: the largest error over bound of an element, of honest ones in the worst case of a kind
 * of values, of faulty ones in that case where the fault shows least. One program a problem, made
 * with the header of its reference and TWINS, the file of its twins.
 *
 * usage: PROGRAM table [SEEDS [SIZE...]]
 *        PROGRAM check [SEEDS [SIZE...]]
 *
 * table prints the problem's table, of so many cases (2) of each of the twins' sizes, or of the
 * size that is given. check has exit status 1 where an honest one leaves the bound, or all use less
 * than 2 % of it, or a fault shows nowhere. */
#include <algorithm>
#include <deque>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#include "reference/host.cuh"
#include "single.h"
#include "testcases/values.h"
#include TWINS

using reference::bounded;
using reference::problem;
using reference::single;

/* ---- values -------------------------------------------------------------------------- */

struct kind {
	const char *name;
	struct value_spec spec;
	bool cancels;
};
static const struct kind kinds[] = {
	{"uniform", {VALUES_UNIFORM, 1, 0, 0}, false},
	{"normal", {VALUES_NORMAL, 1, 0, 0}, false},
	{"wide", {VALUES_WIDE, 10, 0, 0}, false},
	{"cancelling", {VALUES_UNIFORM, 1, 0, 0}, true},
	{"positive", {VALUES_POSITIVE, 1, 0, 0}, false},
	{"large", {VALUES_UNIFORM, 20, 0, 0}, false},
};
constexpr size_t KINDS = sizeof kinds / sizeof *kinds;

/* How an input's values are drawn. */
struct drawing {
	const struct kind *kind;
	uint64_t seed;
	uint32_t stream;
	double divisor, zeros;
};

/* Cancelling values: those of the first input are pairs of x and -x, the others lie close to 1. */
static double cancelled(const struct drawing &how, size_t i, double x, double before)
{
	if (how.stream > 0)
		return 1 + x / 1024;
	return i % 2 == 1 ? -before : x;
}

static uint32_t zeros_word(const struct drawing &how, size_t i)
{
	return values_random(how.seed, VALUES_STREAM_EXTRA + how.stream, i).word[0];
}

template <class Element> static std::vector<Element> drawn(const struct drawing &how, size_t count)
{
	enum dtype type = sizeof(Element) == 2 ? DTYPE_F16 : DTYPE_F32;
	struct values values = {};
	values.format = type_of(type)->format;
	values.spec = how.kind->spec;
	values.seed = how.seed;
	values.stream = how.stream;
	values.columns = values.elements = count;
	std::vector<Element> out(count);
	double before = 0;
	for (size_t i = 0; i < count; i++) {
		double x = values_number_at(&values, i);
		x = how.kind->cancels ? cancelled(how, i, x, before) : x;
		before = x;
		bool zero = zeros_word(how, i) < how.zeros * 0x1p32;
		out[i] = Element((float)(zero ? 0 : x / how.divisor));
	}
	return out;
}

/* ---- a case --------------------------------------------------------------------------- */

struct trial {
	inputs p;
	std::deque<std::vector<float>> floats; /* what p.NAME.data points to */
	std::deque<std::vector<half>> halves;
	size_t elements; /* of the output */
	struct reference::kept_type stored;
	std::vector<bounded> want;

	void take(const float *&to, std::vector<float> &&values)
	{
		floats.push_back(std::move(values));
		to = floats.back().data();
	}
	void take(const half *&to, std::vector<half> &&values)
	{
		halves.push_back(std::move(values));
		to = halves.back().data();
	}
	template <class Element> void draw(const Element *&to, const struct drawing &how, size_t count)
	{
		take(to, drawn<Element>(how, count));
	}
};

/* A problem with another type of number: pointers to its inputs and extents are the same. */
template <class R> static problem<R> as_type(const inputs &p)
{
	static_assert(sizeof(problem<R>) == sizeof p);
	problem<R> other;
	memcpy((void *)&other, (const void *)&p, sizeof p);
	return other;
}

template <class R>
static std::vector<R> run(const inputs &p, const struct reference::host_settings &settings)
{
	problem<R> typed = as_type<R>(p);
	struct reference::host_memory<R> memory;
	reference::host_run(typed, memory, settings);
	return memory.steps.back(); /* the output is what is given memory last */
}

static bool same(const std::vector<bounded> &a, const std::vector<bounded> &b)
{
	bool same = a.size() == b.size();
	for (size_t i = 0; same && i < a.size(); i++)
		same = memcmp(&a[i], &b[i], sizeof a[i]) == 0;
	return same;
}

template <class R, class Element, int RANK>
static struct reference::kept_type stored_as(const reference::matrix<R, Element, RANK> &)
{
	return reference::kept_as<Element>();
}

static void make_case(struct trial &trial, const int *sizes, const struct kind *kind, uint64_t seed)
{
	choose(trial.p, sizes);
	inputs &p = trial.p;
	p.shape();
	uint32_t stream = 0;
#define DRAW(name, scaled, zeros)                                                                  \
	trial.draw(p.name.data, {kind, seed, stream++, sqrt((double)(scaled)), zeros},                 \
			   p.name.extent[0] * p.name.stride());
	REFERENCE_INPUTS(DRAW)
	trial.want = run<bounded>(p, {1, 0});
	trial.elements = trial.want.size();
	trial.stored = stored_as(p.REFERENCE_OUTPUT);
}

/* The worst element over its bound, and all errors over what they may be together. */
struct found {
	double element, together;

	double most() const
	{
		return fmax(element, together);
	}
};

static struct found compare(const struct trial &trial, const std::vector<float> &out)
{
	struct found found = {0, 0};
	struct reference::errors_together together = {};
	for (size_t i = 0; i < trial.elements; i++) {
		double off = fabs((double)out[i] - trial.want[i].x);
		off = off <= INFINITY ? off : INFINITY;
		found.element = fmax(found.element, off / trial.want[i].error);
		together.add(off, trial.want[i], trial.stored);
	}
	found.together = together.ratio();
	return found;
}

/* ---- solutions -------------------------------------------------------------------------- */

struct solution {
	std::string name;
	bool honest;
	const struct twin *twin; /* NULL: the reference in f32, with this order of sums */
	enum reference::order order;
	bool approximate;
	struct found found[KINDS];
	double most; /* in any case */
};

/* f16 inputs are exact in TF32. */
#define IS_HALF(name, scaled, zeros) &&sizeof(*std::declval<inputs &>().name.data) == 2
static const bool of_halves = true REFERENCE_INPUTS(IS_HALF);

static std::vector<struct solution> all_solutions()
{
	std::vector<struct solution> all;
	for (int i = 0; i < reference::ORDERS; i++) {
		if (of_halves && i >= reference::TF32_3 && i <= reference::TF32)
			continue;
		bool honest = i < reference::HONEST_ORDERS;
		all.push_back(
			{reference::order_names[i], honest, NULL, (enum reference::order)i, false, {}, 0});
	}
	all.push_back(
		{"pairwise, approximate functions", true, NULL, reference::PAIRWISE, true, {}, 0});
	for (const struct twin &twin : twins)
		all.push_back({twin.name, twin.honest, &twin, reference::SEQUENTIAL, false, {}, 0});
	std::stable_sort(
		all.begin(), all.end(),
		[](const struct solution &a, const struct solution &b) { return a.honest > b.honest; });
	return all;
}

static std::vector<float> solve_case(const struct trial &trial, const struct solution &solution)
{
	std::vector<float> out(trial.elements);
	if (solution.twin != NULL) {
		solution.twin->solve(trial.p, out.data());
		return out;
	}
	reference::current_order = solution.order;
	reference::approximate = solution.approximate;
	std::vector<single> computed = run<single>(trial.p, {1, 0});
	for (size_t i = 0; i < out.size(); i++)
		out[i] = computed[i].x;
	return out;
}

static void try_case(std::vector<struct solution> &all, size_t kind, const int *sizes,
					 uint64_t seed)
{
	struct trial trial = {};
	make_case(trial, sizes, &kinds[kind], seed);
	for (struct solution &solution : all) {
		struct found found = compare(trial, solve_case(trial, solution));
		struct found &kept = solution.found[kind];
		solution.most = fmax(solution.most, found.most());
		if (solution.honest)
			kept = {fmax(kept.element, found.element), fmax(kept.together, found.together)};
		else if (found.most() < kept.most())
			kept = found;
	}
}

/* The sizes that are given, or those of the twins' file. */
static std::vector<std::vector<int>> sizes_of(int argc, char **argv)
{
	std::vector<std::vector<int>> sizes;
	if (argc > 3)
		sizes.emplace_back();
	for (int i = 3; i < argc; i++)
		sizes[0].push_back(atoi(argv[i]));
	for (const auto &row : tried)
		if (argc <= 3)
			sizes.emplace_back(row, row + sizeof row / sizeof *row);
	return sizes;
}

static void try_all(std::vector<struct solution> &all, const std::vector<std::vector<int>> &sizes,
					uint64_t seeds)
{
	for (struct solution &solution : all)
		for (struct found &found : solution.found)
			found.element = found.together = solution.honest ? 0 : INFINITY;
	for (size_t kind = 0; kind < KINDS; kind++)
		for (const std::vector<int> &row : sizes)
			for (uint64_t seed = 1; seed <= seeds; seed++)
				try_case(all, kind, row.data(), seed);
}

/* ---- what came out ---------------------------------------------------------------------- */

static bool rounds_only(const struct solution &solution)
{
	return solution.twin == NULL && solution.order < reference::TF32_3;
}

static void print_row(const struct solution &solution)
{
	printf("| %s%s |", solution.honest ? "" : "*", solution.name.c_str());
	for (const struct found &found : solution.found) {
		const char *bold = !solution.honest && found.most() < 1 ? "**" : "";
		printf(" %s%.2g (%.2g)%s |", bold, found.element, found.together, bold);
	}
	printf("\n");
}

/* Orders of sums that round, as one. */
static struct solution of_orders(const std::vector<struct solution> &all)
{
	struct solution merged = all[0];
	merged.name = "seven orders of sums";
	for (const struct solution &solution : all)
		for (size_t i = 0; rounds_only(solution) && i < KINDS; i++)
			merged.found[i] = {fmax(merged.found[i].element, solution.found[i].element),
							   fmax(merged.found[i].together, solution.found[i].together)};
	return merged;
}

static void print_table(const std::vector<struct solution> &all)
{
	printf("| |");
	for (const struct kind &kind : kinds)
		printf(" %s |", kind.name);
	printf("\n|---|--:|--:|--:|--:|--:|--:|\n");
	print_row(of_orders(all));
	for (const struct solution &solution : all)
		if (!rounds_only(solution))
			print_row(solution);
}

static int complain(const char *what, const std::string &name, double ratio)
{
	fprintf(stderr, "%s: '%s' (%.3g)\n", what, name.c_str(), ratio);
	return 1;
}

static int check(const std::vector<struct solution> &all)
{
	int wrong = 0;
	double honest = 0;
	for (const struct solution &solution : all) {
		if (solution.honest)
			honest = fmax(honest, solution.most);
		if (solution.honest && !(solution.most <= 1))
			wrong |= complain("an honest solution leaves the bound", solution.name, solution.most);
		if (!solution.honest && !(solution.most > 1))
			wrong |= complain("a fault shows nowhere", solution.name, solution.most);
	}
	return wrong | (honest < 0.02 ? complain("the bound is far too wide", "all", honest) : 0);
}

/* Blocks and threads change no bit. */
static int check_blocks()
{
	struct trial trial = {};
	make_case(trial, tried[0], &kinds[0], 1);
	return same(trial.want, run<bounded>(trial.p, {3, 2}))
			   ? 0
			   : complain("blocks make other numbers than the whole", "all", 0);
}

int main(int argc, char **argv)
{
	std::vector<struct solution> all = all_solutions();
	std::vector<std::vector<int>> sizes = sizes_of(argc, argv);
	if (sizes[0].size() < sizeof tried[0] / sizeof tried[0][0]) {
		fprintf(stderr, "%zu sizes are needed\n", sizeof tried[0] / sizeof tried[0][0]);
		return 2;
	}
	try_all(all, sizes, argc > 2 ? (uint64_t)atoi(argv[2]) : 2);
	if (argc > 1 && strcmp(argv[1], "check") == 0)
		return check(all) | check_blocks();
	print_table(all);
	return 0;
}
