#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/ir.h"

#define CHUNK ((size_t)256 << 10)

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

struct ptx_arena {
	struct chunk *chunks;
	size_t limit, total;
};

struct ptx_arena *ptx_arena_create(size_t limit)
{
	struct ptx_arena *arena = calloc(1, sizeof *arena);
	if (arena != NULL)
		arena->limit = limit;
	return arena;
}

void ptx_arena_free(struct ptx_arena *arena)
{
	if (arena == NULL)
		return;
	for (struct chunk *chunk = arena->chunks; chunk != NULL;) {
		struct chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	free(arena);
}

void *ptx_arena_take(struct ptx_arena *arena, size_t bytes)
{
	if (bytes > arena->limit)
		return NULL;
	bytes = (bytes + 15) & ~(size_t)15;
	struct chunk *chunk = arena->chunks;
	if (chunk == NULL || chunk->size - chunk->used < bytes) {
		size_t size = bytes > CHUNK ? bytes : CHUNK;
		if (arena->total + size > arena->limit + CHUNK)
			return NULL;
		chunk = calloc(1, sizeof *chunk + size);
		if (chunk == NULL)
			return NULL;
		chunk->size = size;
		arena->total += size;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	void *result = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return result;
}

char *ptx_arena_copy(struct ptx_arena *arena, const char *text, size_t length)
{
	char *copy = ptx_arena_take(arena, length + 1);
	if (copy != NULL && length)
		memcpy(copy, text, length);
	return copy;
}
