#include "emulator/exec/texture.h"

#include <stdlib.h>

struct entry {
	bool used;
	struct texture texture;
};

static struct entry *entries;
static uint64_t count;

uint64_t texture_add(const struct texture *texture)
{
	uint64_t at = 0;
	while (at < count && entries[at].used)
		at++;
	if (at == count) {
		struct entry *more = realloc(entries, (count + 1) * sizeof *more);
		if (more == NULL)
			return 0;
		entries = more;
		count++;
	}
	entries[at] = (struct entry){true, *texture};
	return at + 1;
}

const struct texture *texture_find(uint64_t handle)
{
	return handle - 1 < count && entries[handle - 1].used ? &entries[handle - 1].texture : NULL;
}

bool texture_remove(uint64_t handle)
{
	if (texture_find(handle) == NULL)
		return false;
	entries[handle - 1].used = false;
	return true;
}

void texture_remove_all(void)
{
	for (uint64_t i = 0; i < count; i++)
		entries[i].used = false;
}
