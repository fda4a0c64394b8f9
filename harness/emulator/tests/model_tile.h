/* Operands of matrix instructions, for the models of mma and wgmma. */
#ifndef EMULATOR_TESTS_MODEL_TILE_H
#define EMULATOR_TESTS_MODEL_TILE_H

#include "model.h"

#define MODEL_K_MAX 256

/* Words that elements of a type fill. Of floats small integers, at most `most`; where `special`,
 * now and then what is no number. */
void model_tile_draw_registers(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
							   int most, bool special);
/* Which bits of registers of a type are random in a range (model_suite.range), and what is added.
 */
void model_tile_range(uint32_t *keep, uint32_t *base, unsigned words, enum model_type type,
					  unsigned range);
/* Random words of such a range. */
void model_tile_draw_range(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
						   unsigned range);
/* Eight chunks' worth of it; `ordered`: the first place of a chunk is the smaller one. */
uint32_t model_tile_draw_metadata(enum model_type type, bool ordered, uint64_t *state);
/* Element i of registers, or of memory. */
uint64_t model_tile_element_bits(const uint32_t *registers, enum model_type type, unsigned i);
/* Notes where along k the values are that a lane's metadata is for: places[row][value]. */
void model_tile_place(enum model_type type, unsigned k, unsigned selector, unsigned lane,
					  uint32_t metadata, unsigned places[16][MODEL_K_MAX]);

#endif
