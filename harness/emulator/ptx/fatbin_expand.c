/* LZ4's block format: sequences of a token (two lengths of 4 bits), literals, and
 * a match that is copied from what has been written. The last one has no match. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/fatbin.h"

#define SHORTEST_MATCH 4

struct input {
	const unsigned char *at, *end;
};

/* A length of 15 goes on in bytes, up to and including the first below 255. */
static bool read_length(struct input *in, unsigned field, size_t *out)
{
	*out = field;
	for (unsigned byte = field == 15 ? 255 : 0; byte == 255; *out += byte) {
		if (in->at == in->end)
			return false;
		byte = *in->at++;
	}
	return true;
}

static bool expand_lz4(struct input in, unsigned char *out, size_t size)
{
	size_t used = 0, literals, match;
	while (in.at < in.end) {
		unsigned token = *in.at++;
		if (!read_length(&in, token >> 4, &literals) || literals > (size_t)(in.end - in.at) ||
			literals > size - used)
			return false;
		memcpy(out + used, in.at, literals);
		in.at += literals;
		used += literals;
		if (in.at == in.end)
			return used == size;
		if (in.end - in.at < 2)
			return false;
		size_t back = in.at[0] | (size_t)in.at[1] << 8;
		in.at += 2;
		if (!read_length(&in, token & 15, &match) || back == 0 || back > used)
			return false;
		match += SHORTEST_MATCH;
		if (match > size - used)
			return false;
		for (; match > 0; match--, used++) /* may overlap what it writes */
			out[used] = out[used - back];
	}
	return false;
}

/* Found at run time, because a machine may lack it, and a program compiled with
 * --no-compress does not need it. */
static bool expand_zstd(struct input in, unsigned char *out, size_t size)
{
	size_t (*decompress)(void *, size_t, const void *, size_t);
	void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	void *function = library != NULL ? dlsym(library, "ZSTD_decompress") : NULL;
	bool done = false;
	if (function != NULL) {
		memcpy(&decompress, &function, sizeof decompress);
		done = decompress(out, size, in.at, (size_t)(in.end - in.at)) == size;
	}
	if (library != NULL)
		dlclose(library);
	return done;
}

char *fatbin_expand(enum fatbin_compression how, const void *data, size_t bytes, size_t size)
{
	struct input in = {data, (const unsigned char *)data + bytes};
	unsigned char *out = malloc(size ? size : 1);
	bool done =
		out != NULL && (how == FATBIN_LZ4 ? expand_lz4(in, out, size) : expand_zstd(in, out, size));
	if (done)
		return (char *)out;
	free(out);
	return NULL;
}
