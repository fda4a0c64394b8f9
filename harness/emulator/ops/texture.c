/* tex of one and two dimensions: what a texture object holds at coordinates, filtered as CUDA's
 * programming guide has it ("Texture Fetching"). */
#include "emulator/exec/texture.h"
#include "emulator/exec/access.h"
#include "emulator/exec/sub.h"
#include "emulator/simd/lanes.h"

#define FRACTION 256.0f /* weights have 8 bits behind the point, and reach 1 */
#define FAR 1073741824.0f

struct fetch {
	struct warp *w;
	const struct exec_instruction *in;
	int lane;
	const struct texture *texture;
};

/* Channels of a texel: numbers as they are, and floats as their bits. */
struct texel {
	uint32_t channel[4];
};

static float as_float(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint32_t as_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Where the index-th place along an axis lies; false: the border's colour is there. */
static bool place(const struct texture *t, int axis, int64_t index, uint64_t *out)
{
	const int64_t size = (int64_t)t->size[axis];
	int mode = t->linear ? TEXTURE_BORDER : t->address[axis];
	if (!t->normalised && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
		mode = TEXTURE_CLAMP;
	if (mode == TEXTURE_BORDER && (index < 0 || index >= size))
		return false;
	if (mode == TEXTURE_CLAMP)
		index = index < 0 ? 0 : index >= size ? size - 1 : index;
	const int64_t period = mode == TEXTURE_MIRROR ? 2 * size : size;
	index = (index % period + period) % period;
	*out = (uint64_t)(index < size ? index : period - 1 - index);
	return true;
}

static uint32_t channel_of(const struct texture *t, const uint8_t *from)
{
	const int bits = t->channel_bytes * 8;
	uint32_t raw = 0;
	memcpy(&raw, from, t->channel_bytes);
	if (t->number == TEXTURE_FLOAT) {
		_Float16 half;
		memcpy(&half, &raw, sizeof half);
		return bits == 16 ? as_bits((float)half) : raw;
	}
	const int32_t number =
		t->number == TEXTURE_SIGNED ? (int32_t)(raw << (32 - bits)) >> (32 - bits) : 0;
	if (!t->as_floats)
		return t->number == TEXTURE_SIGNED ? (uint32_t)number : raw;
	if (t->number == TEXTURE_UNSIGNED)
		return as_bits((float)raw / (float)((1u << bits) - 1));
	return as_bits(fmaxf((float)number / (float)((1u << (bits - 1)) - 1), -1));
}

static bool texel_at(const struct fetch *f, int64_t x, int64_t y, struct texel *out)
{
	const struct texture *t = f->texture;
	uint64_t column = 0, row = 0;
	*out = (struct texel){0};
	if (!place(t, 0, x, &column) || !place(t, 1, y, &row)) {
		for (int k = 0; k < 4 && !t->linear; k++)
			out->channel[k] = as_bits(t->border[k]);
		return true;
	}
	const uint64_t bytes = (uint64_t)t->channels * t->channel_bytes;
	const uint64_t address = t->base + row * t->pitch + column * bytes;
	const uint8_t *from =
		exec_access(f->w, f->in, f->lane, PTX_GLOBAL, address, bytes, t->channel_bytes, false);
	for (int k = 0; from != NULL && k < t->channels; k++)
		out->channel[k] = channel_of(t, from + k * t->channel_bytes);
	return from != NULL;
}

static int64_t whole(float x)
{
	x = floorf(x);
	return x > -FAR && x < FAR ? (int64_t)x : x > 0 ? (int64_t)FAR : x < 0 ? -(int64_t)FAR : 0;
}

static float mixed(uint32_t a, uint32_t b, float weight)
{
	return (1 - weight) * as_float(a) + weight * as_float(b);
}

static float weight_of(float x)
{
	const float fraction = x - floorf(x);
	return floorf(fraction * FRACTION + 0.5f) / FRACTION;
}

static bool filtered(const struct fetch *f, float x, float y, struct texel *out)
{
	const bool rows = f->texture->size[1] > 1;
	x -= 0.5f;
	y = rows ? y - 0.5f : 0;
	const float of_x = weight_of(x), of_y = rows ? weight_of(y) : 0;
	const int64_t i = whole(x), j = whole(y);
	struct texel at[2][2];
	if (!texel_at(f, i, j, &at[0][0]) || !texel_at(f, i + 1, j, &at[0][1]) ||
		!texel_at(f, i, rows ? j + 1 : j, &at[1][0]) ||
		!texel_at(f, i + 1, rows ? j + 1 : j, &at[1][1]))
		return false;
	for (int k = 0; k < 4; k++) {
		const float above = mixed(at[0][0].channel[k], at[0][1].channel[k], of_x);
		const float below = mixed(at[1][0].channel[k], at[1][1].channel[k], of_x);
		out->channel[k] = as_bits(mixed(as_bits(above), as_bits(below), of_y));
	}
	return true;
}

static bool fetch(const struct fetch *f, const float at[2], struct texel *out)
{
	const struct texture *t = f->texture;
	const float x = t->normalised ? at[0] * (float)t->size[0] : at[0];
	const float y = t->normalised ? at[1] * (float)t->size[1] : at[1];
	return t->filter ? filtered(f, x, y, out) : texel_at(f, whole(x), whole(y), out);
}

static bool fetch_lane(struct warp *w, const struct exec_instruction *in, int lane,
					   struct texel *out)
{
	const uint64_t handle = SOURCE(uint64_t, in->a)[lane];
	const struct fetch f = {w, in, lane, texture_find(handle)};
	if (f.texture == NULL) {
		exec_fail(w, in, lane, FAULT_ADDRESS, handle, "0x%llx is no texture object",
				  (unsigned long long)handle);
		return false;
	}
	const int32_t *x = SOURCE(int32_t, in->list[4]),
				  *y = SOURCE(int32_t, in->list[in->count == 2 ? 5 : 4]);
	if (in->sub != COORDINATES_FLOAT)
		return texel_at(&f, x[lane], in->count == 2 ? y[lane] : 0, out);
	const float at[2] = {as_float((uint32_t)x[lane]),
						 in->count == 2 ? as_float((uint32_t)y[lane]) : 0};
	return fetch(&f, at, out);
}

/* in->a: the texture object; in->list: four results, in->count coordinates, which are floats or
 * integers (in->sub). */
HANDLER(tex)
{
	struct texel texels[EXEC_LANES];
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		if (!fetch_lane(w, in, i, &texels[i]))
			return EXEC_FAULT;
	}
	for (uint32_t left = mask; left; left &= left - 1)
		for (int i = first_lane(left), k = 0; k < 4; k++)
			DEST(uint32_t, in->list[k])[i] = texels[i].channel[k];
	return EXEC_NEXT;
}
