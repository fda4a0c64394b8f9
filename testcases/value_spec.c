#include "testcases/value_spec.h"

#include "base/text.h"

static const char *const distribution_names[] = {
	[VALUES_UNIFORM] = "uniform",
	[VALUES_NORMAL] = "normal",
	[VALUES_INTEGER] = "integer",
	[VALUES_WIDE] = "wide",
	[VALUES_POSITIVE] = "positive",
	[VALUES_ZERO] = "zero",
	[VALUES_NAN] = "nan",
	[VALUES_SPECIAL] = "special",
	[VALUES_LARGE] = "large",
	[VALUES_CODES] = "codes",
	[VALUES_MARKER] = "marker",
	[VALUES_UNWRITTEN] = "unwritten",
	[VALUES_GRAPH] = "graph",
	[VALUES_GRAPH_SIGNED] = "graph-signed",
	[VALUES_GRAPH_INTEGER] = "graph-integer",
	[VALUES_GRAPH_CHAIN] = "graph-chain",
	[VALUES_SIGNED] = "signed",
	[VALUES_WIDE_LATE] = "wide-late",
	[VALUES_WIDE_ROWS] = "wide-rows",
	[VALUES_BLOCKS] = "blocks",
	[VALUES_SPARSE] = "sparse",
};
#define DISTRIBUTIONS (sizeof distribution_names / sizeof *distribution_names)

const char *distribution_name(enum distribution distribution)
{
	return (size_t)distribution < DISTRIBUTIONS ? distribution_names[distribution] : "unknown";
}

#define SCALE_MOST 1e30f

/* What is converted to an integer of 32 bits, or is an exponent, has less room. */
static float scale_most(enum distribution distribution)
{
	switch (distribution) {
	case VALUES_INTEGER:
	case VALUES_GRAPH_INTEGER: return 0x1p20f;
	case VALUES_WIDE:
	case VALUES_WIDE_LATE:
	case VALUES_WIDE_ROWS: return 200.0f;
	default: return SCALE_MOST;
	}
}

bool value_spec_holds(const struct value_spec *spec, struct error *err)
{
	float most = scale_most(spec->distribution);
	const char *name = distribution_name(spec->distribution);
	if ((size_t)spec->distribution >= DISTRIBUTIONS)
		return error_set(err, "values of no known distribution");
	if (!(spec->scale >= 0 && spec->scale <= most))
		return error_set(err, "the scale of %s is at most %g", name, (double)most);
	if (!(spec->low >= 0 && spec->low <= SCALE_MOST))
		return error_set(err, "the lowest value of %s is at most %g", name, (double)SCALE_MOST);
	return (spec->share >= 0 && spec->share <= 1) ||
		   error_set(err, "the share of %s is at most 1", name);
}

bool distribution_parse(const char *text, enum distribution *out)
{
	size_t i = text_index(text, distribution_names, DISTRIBUTIONS);
	*out = i < DISTRIBUTIONS ? (enum distribution)i : *out;
	return i < DISTRIBUTIONS;
}

const char *distribution_list(char *out, size_t size)
{
	return text_names(out, size, distribution_names, DISTRIBUTIONS, ", ");
}
