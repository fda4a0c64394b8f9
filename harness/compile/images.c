/* The layout of fat binaries is told by emulator/ptx/fatbin.c. Their entries lie at multiples of 8
 * bytes. Each such place that looks like one is taken, be it in a fat binary or not, so that
 * nothing in front of an entry can hide it. */
#include "compile/images.h"

#include <stdint.h>
#include <string.h>

#define ENTRY_HEADER 64u
#define ENTRY_PTX 1u
#define ENTRY_COMPRESSED 0xa000u /* by LZ4, by zstd */
#define ALIGNMENT 8u

struct entry_header {
	uint16_t kind, version;
	uint32_t bytes;
	uint64_t payload;
	uint32_t other[6];
	uint64_t flags, more[2];
};
_Static_assert(sizeof(struct entry_header) == ENTRY_HEADER, "the header has no holes");

static bool ptx_at(const struct images_file *library, size_t place, const char **text,
				   size_t *length)
{
	static const char target[] = ".target";
	struct entry_header entry;
	if (library->size - place < sizeof entry)
		return false;
	memcpy(&entry, library->at + place, sizeof entry);
	if (entry.kind != ENTRY_PTX || entry.bytes < ENTRY_HEADER ||
		(entry.flags & ENTRY_COMPRESSED) != 0 || entry.bytes > library->size - place ||
		entry.payload > library->size - place - entry.bytes)
		return false;
	*text = library->at + place + entry.bytes;
	*length = strnlen(*text, entry.payload);
	return memmem(*text, *length, target, sizeof target - 1) != NULL;
}

bool images_next_ptx(const struct images_file *library, size_t *place, const char **text,
					 size_t *length)
{
	bool found = false;
	for (; *place < library->size && !found; *place += ALIGNMENT)
		found = ptx_at(library, *place, text, length);
	return found;
}

/* Behind a comment that begins at `at`; else `at`. */
static char *skip_comment(char *at, char *end)
{
	if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
		return at;
	const bool line = at[1] == '/';
	char *last = line ? memchr(at, '\n', (size_t)(end - at))
					  : memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
	return last == NULL ? end : last + (line ? 1 : 2);
}

void images_flatten_strings(char *text, size_t length)
{
	char *end = text + length;
	for (char *at = text; at < end;) {
		char *behind = skip_comment(at, end);
		if (behind != at) {
			at = behind;
			continue;
		}
		if (*at++ != '"')
			continue;
		for (; at < end && *at != '"'; at++)
			if ((unsigned char)*at < ' ' || *at == '\\') /* nor is a quotation mark escaped */
				*at = '_';
		at++;
	}
}
