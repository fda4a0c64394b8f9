#include "testcases/values_run.h"

/* Blocks that are drawn together. */
#define RUN 32

/* One copy for each level of x86-64; all give the same bits. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define EACH_LEVEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define EACH_LEVEL
#endif

/* Philox 4x32-10 of RUN counters, as values_random(): word k of block i is words[k][i]. */
static inline __attribute__((always_inline)) void
draw_words(const struct values *values, uint64_t block, uint32_t words[VALUES_BLOCK][RUN])
{
	uint32_t key[2] = {(uint32_t)values->seed, (uint32_t)(values->seed >> 32)};
	for (uint32_t i = 0; i < RUN; i++) {
		words[0][i] = (uint32_t)(block + i);
		words[1][i] = (uint32_t)((block + i) >> 32);
		words[2][i] = values->stream;
		words[3][i] = 0;
	}
	for (int round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < RUN; i++) {
			const uint64_t a = (uint64_t)words[0][i] * PHILOX_M4x32_0;
			const uint64_t b = (uint64_t)words[2][i] * PHILOX_M4x32_1;
			words[0][i] = (uint32_t)(b >> 32) ^ words[1][i] ^ key[0];
			words[1][i] = (uint32_t)b;
			words[2][i] = (uint32_t)(a >> 32) ^ words[3][i] ^ key[1];
			words[3][i] = (uint32_t)a;
		}
		key[0] += PHILOX_W32_0;
		key[1] += PHILOX_W32_1;
	}
}

/* Exact in f32 up to WHOLE_MOST. */
static inline float whole(const struct value_spec *spec, uint32_t word)
{
	return (float)values_integer(word, spec->scale);
}
#define WHOLE_MOST 0x1p24f

/* As values_of_word() where a float is drawn of each. */
static inline __attribute__((always_inline)) void
floats_to_bits(const struct values *values, float (*drawn)(const struct value_spec *, uint32_t),
			   uint32_t words[VALUES_BLOCK][RUN])
{
	const struct number_format format = values->format;
	const struct value_spec spec = values->spec;
	const uint32_t flip = values->flip;
	const bool narrow = !format.is_integer && format.bits < 32;
	for (uint32_t k = 0; k < VALUES_BLOCK; k++)
		if (narrow)
			for (uint32_t i = 0; i < RUN; i++)
				words[k][i] = flip ^ values_narrow(&format, drawn(&spec, words[k][i]));
		else
			for (uint32_t i = 0; i < RUN; i++)
				words[k][i] = flip ^ values_from_float(&format, drawn(&spec, words[k][i]));
}

/* As values_of_word() of VALUES_MARKER. */
static inline __attribute__((always_inline)) void markers_to_bits(const struct values *values,
																  uint32_t words[VALUES_BLOCK][RUN])
{
	const struct number_format format = values->format;
	const uint32_t flip = values->flip;
	for (uint32_t k = 0; k < VALUES_BLOCK; k++)
		for (uint32_t i = 0; i < RUN; i++)
			words[k][i] = flip ^ values_marker(&format, words[k][i]);
}

/* RUN blocks, of which each word is an element by itself. */
EACH_LEVEL static void draw_run(const struct values *values, uint64_t block, uint32_t *out)
{
	const enum distribution distribution = values->spec.distribution;
	uint32_t words[VALUES_BLOCK][RUN];
	draw_words(values, block, words);
	if (distribution == VALUES_UNIFORM)
		floats_to_bits(values, values_uniform, words);
	else if (distribution == VALUES_WIDE)
		floats_to_bits(values, values_wide, words);
	else if (distribution == VALUES_INTEGER && values->spec.scale <= WHOLE_MOST)
		floats_to_bits(values, whole, words);
	else if (distribution == VALUES_POSITIVE && values->spec.low == 0)
		floats_to_bits(values, values_positive, words);
	else if (distribution == VALUES_MARKER)
		markers_to_bits(values, words);
	else
		for (uint32_t k = 0; k < VALUES_BLOCK; k++)
			for (uint32_t i = 0; i < RUN; i++)
				words[k][i] = values->flip ^ values_of_word(values, words[k][i]);
	for (uint32_t i = 0; i < RUN; i++)
		for (uint32_t k = 0; k < VALUES_BLOCK; k++)
			out[i * VALUES_BLOCK + k] = words[k][i];
}

/* Whether values_block() takes values_of_word() of each word, and nothing else. */
static bool is_plain(const struct values *values)
{
	switch (values->spec.distribution) {
	case VALUES_NORMAL:
	case VALUES_GRAPH:
	case VALUES_GRAPH_SIGNED:
	case VALUES_GRAPH_INTEGER:
	case VALUES_GRAPH_CHAIN:
	case VALUES_WIDE_LATE:
	case VALUES_WIDE_ROWS:
	case VALUES_BLOCKS:
	case VALUES_SPARSE: return false;
	default: return !(values->format.is_integer && values->spec.share > 0);
	}
}

void values_run(const struct values *values, uint64_t block, size_t blocks, uint32_t *out)
{
	const struct values own = *values;
	size_t done = 0;
	if (own.spec.distribution == VALUES_UNWRITTEN && !own.format.is_integer) {
		const uint32_t bits = own.flip ^ values_of_word(&own, 0); /* of any word */
		for (size_t i = 0; i < blocks * VALUES_BLOCK; i++)
			out[i] = bits;
		return;
	}
	if (is_plain(&own))
		for (; done + RUN <= blocks; done += RUN)
			draw_run(&own, block + done, out + done * VALUES_BLOCK);
	for (; done < blocks; done++)
		values_block(&own, block + done, out + done * VALUES_BLOCK);
}
