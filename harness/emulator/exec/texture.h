/* Texture objects, as kernels read them: linear memory, rows with a pitch, and two-dimensional
 * arrays, which here are rows, too. */
#ifndef EMULATOR_EXEC_TEXTURE_H
#define EMULATOR_EXEC_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texture_address { /* CUDA's numbers */
					   TEXTURE_WRAP,
					   TEXTURE_CLAMP,
					   TEXTURE_MIRROR,
					   TEXTURE_BORDER,
};

enum texture_number { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };

struct texture {
	uint64_t base;
	uint64_t size[2]; /* columns and rows; one row: one-dimensional */
	uint64_t pitch;
	bool linear;    /* memory without rows: outside of it there is 0 */
	uint8_t number; /* enum texture_number, of channels */
	uint8_t channels, channel_bytes;
	uint8_t address[2]; /* enum texture_address */
	bool filter;        /* between neighbours, else the texel that the coordinates lie in */
	bool normalised;    /* coordinates from 0 to 1 */
	bool as_floats;     /* integers become floats from 0 or -1 to 1 */
	float border[4];
};

/* The object's handle; 0: no memory. None changes while a kernel runs. */
uint64_t texture_add(const struct texture *texture);
bool texture_remove(uint64_t handle); /* false: it is none */
const struct texture *texture_find(uint64_t handle);
void texture_remove_all(void);

#endif
