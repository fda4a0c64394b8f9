/* Shared memory has 32 banks of 4 bytes, and gives one word of each a pass. */
#include "emulator/exec/banks.h"

#include <string.h>

#define BANKS_BYTES 128

/* places: a power of 2. The most different units of a group of lanes that need the same banks,
 * where some need the same: a chain of units for each place. */
static uint32_t worst_chain(const uint64_t *units, uint32_t lanes, uint32_t places)
{
	uint8_t next[EXEC_LANES], heads[32], depth[32] = {0};
	uint32_t worst = 1;
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t place = units[i] & (places - 1), k = depth[place] ? heads[place] : lanes;
		uint32_t left = depth[place];
		for (; left && units[k] != units[i]; left--)
			k = next[k];
		if (left)
			continue;
		next[i] = heads[place];
		heads[place] = (uint8_t)i;
		if (++depth[place] > worst)
			worst = depth[place];
	}
	return worst;
}

static uint32_t group_passes(const uint64_t *units, uint32_t lanes, uint32_t places)
{
	uint64_t known[32];
	uint32_t taken = 0;
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t place = units[i] & (places - 1);
		if (taken >> place & 1 && known[place] != units[i])
			return worst_chain(units, lanes, places);
		taken |= 1u << place;
		known[place] = units[i];
	}
	return 1;
}

/* Whether each lane has the address of the lane whose number differs by the bit
 * `apart`. */
static bool in_pairs(const uint64_t *units, uint32_t apart)
{
	uint64_t different = 0;
	for (uint32_t i = 0; i < EXEC_LANES; i++)
		different |= units[i] ^ units[i ^ apart];
	return different == 0;
}

uint32_t exec_bank_passes(const uint64_t at[EXEC_LANES], uint32_t bytes, uint32_t *conflicts)
{
	uint32_t shift = bytes <= 4 ? 2 : bytes <= 8 ? 3 : 4, groups = 1u << (shift - 2), passes = 0;
	uint64_t units[EXEC_LANES];
	for (uint32_t i = 0; i < EXEC_LANES; i++)
		units[i] = at[i] >> shift;
	if (groups > 1 && (in_pairs(units, 1) || in_pairs(units, 2)))
		groups /= 2;
	for (uint32_t g = 0, lanes = EXEC_LANES / groups; g < groups; g++)
		passes += group_passes(units + (size_t)g * lanes, lanes, BANKS_BYTES >> shift);
	*conflicts = passes - groups;
	return passes;
}
