/* Decoding of tex. */
#include "emulator/decode/decoder.h"

#include <string.h>

#include "emulator/exec/sub.h"

#define RESULTS 4

/* tex.1d.v4.DTYPE.CTYPE {d, ...}, [object, {x}], and of two dimensions; .level: the level, of which
 * these textures have one, comes last. */
void decode_texture(struct decoder *decoder, const struct ptx_instruction *in)
{
	const bool level = decode_has(in, "level");
	const uint32_t dimensions = decode_has(in, "1d") ? 1 : decode_has(in, "2d") ? 2 : 0;
	const struct ptx_operand *ops = in->operands;
	if (in->operand_count != (level ? 3u : 2u) || !decode_has(in, "v4") || dimensions == 0 ||
		ops[0].kind != PTX_OP_VECTOR || ops[0].count != RESULTS ||
		ptx_type_size(decode_type(in, 0)) != 4 || decode_has(in, "grad")) {
		decode_unsupported(decoder);
		return;
	}
	const struct ptx_operand *place = ops[1].count == 2 ? &ops[1].items[1] : NULL;
	const bool vector = place != NULL && place->kind == PTX_OP_VECTOR && place->count >= dimensions;
	struct exec_instruction *out = decode_emit(decoder, OP_TEX, FORM_ONLY);
	out->count = (uint8_t)dimensions;
	out->sub = decode_type(in, 1) == PTX_F32 ? COORDINATES_FLOAT : COORDINATES_INTEGER;
	out->cache = decoder->program->cache_count++;
	if (!vector) {
		decode_refuse(decoder);
		return;
	}
	out->a = decode_source(decoder, &ops[1].items[0], 8);
	int32_t list[RESULTS + 2];
	for (uint32_t i = 0; i < RESULTS; i++)
		list[i] = decode_destination(decoder, &ops[0].items[i], 4);
	for (uint32_t i = 0; i < dimensions; i++)
		list[RESULTS + i] = decode_source(decoder, &place->items[i], 4);
	decode_list(decoder, list, RESULTS + dimensions);
}
