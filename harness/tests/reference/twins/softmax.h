/* One row of attention in the ways that solutions have, for the twins of three problems. */
#ifndef GEMMJUDGE_TESTS_REFERENCE_SOFTMAX_H
#define GEMMJUDGE_TESTS_REFERENCE_SOFTMAX_H

#include <vector>

#include "twin.h"

enum how {
	TWO_PASSES,
	NORMALISED,
	ONLINE,
	ONLINE_32,
	NO_SCALE,
	NOT_RESCALED,
	WITHOUT_MAX,
	KEY_MISSING,
	MASK_OFF, /* of causal attention: the row's own key is masked, too */
	WRONG_HEAD,
};

struct row_of_attention {
	const float *query, *keys, *values;
	size_t count, d;
};

static std::vector<float> scores_of(const row_of_attention &row, enum how how)
{
	std::vector<float> scores(row.count);
	float scale = how == NO_SCALE ? 1.0f : 1.0f / sqrtf((float)row.d);
	for (size_t j = 0; j < row.count; j++) {
		float sum = 0;
		for (size_t k = 0; k < row.d; k++)
			sum = fmaf(row.query[k], row.keys[j * row.d + k], sum);
		scores[j] = sum * scale;
	}
	return scores;
}

/* `block` keys at once; a larger maximum scales down what there is, unless that is forgotten. */
static void attend_online(const row_of_attention &row, size_t block, bool forgets, float *out)
{
	std::vector<float> scores = scores_of(row, ONLINE), sums(row.d);
	float most = -INFINITY, total = 0;
	for (size_t begin = 0; begin < row.count; begin += block) {
		size_t end = begin + block < row.count ? begin + block : row.count;
		float before = most;
		for (size_t j = begin; j < end; j++)
			most = fmaxf(most, scores[j]);
		float factor = forgets ? 1.0f : expf(before - most);
		total *= factor;
		for (float &sum : sums)
			sum *= factor;
		for (size_t j = begin; j < end; j++) {
			float weight = expf(scores[j] - most);
			total += weight;
			for (size_t k = 0; k < row.d; k++)
				sums[k] = fmaf(weight, row.values[j * row.d + k], sums[k]);
		}
	}
	for (size_t k = 0; k < row.d; k++)
		out[k] = sums[k] / total;
}

static void attend_twice(const row_of_attention &row, enum how how, float *out)
{
	std::vector<float> weights = scores_of(row, how);
	float most = -INFINITY, total = 0;
	for (float score : weights)
		most = fmaxf(most, score);
	for (float &weight : weights)
		total += weight = expf(weight - (how == WITHOUT_MAX ? 0 : most));
	if (how == NORMALISED)
		for (float &weight : weights)
			weight /= total;
	for (size_t k = 0; k < row.d; k++) {
		float sum = 0;
		for (size_t j = 0; j < row.count; j++)
			sum = fmaf(weights[j], row.values[j * row.d + k], sum);
		out[k] = how == NORMALISED ? sum : sum / total;
	}
}

static void attend(row_of_attention row, enum how how, float *out)
{
	if ((how == KEY_MISSING || how == MASK_OFF) && row.count > 1)
		row.count--;
	if (how == ONLINE || how == ONLINE_32 || how == NOT_RESCALED)
		attend_online(row, how == ONLINE_32 ? 32 : 1, how == NOT_RESCALED, out);
	else
		attend_twice(row, how, out);
}

#define HONEST_ATTENTION                                                                           \
	{"softmax in two passes", true, solve<TWO_PASSES>},                                            \
		{"softmax in two passes, weights divided", true, solve<NORMALISED>},                       \
		{"online softmax", true, solve<ONLINE>},                                                   \
	{                                                                                              \
		"online softmax, 32 keys at once", true, solve<ONLINE_32>                                  \
	}
#define FAULTY_ATTENTION                                                                           \
	{"scale missing", false, solve<NO_SCALE>},                                                     \
		{"online sums not rescaled", false, solve<NOT_RESCALED>},                                  \
	{                                                                                              \
		"exp without the maximum", false, solve<WITHOUT_MAX>                                       \
	}

#endif
