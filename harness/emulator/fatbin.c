/* Layout, all little-endian:
 *   wrapper   u32 magic 0x466243B1, u32 version, u64 pointer to the fat binary
 *   header    u32 magic 0xBA55ED50, u16 version, u16 header bytes, u64 bytes after it
 *   entry     u16 kind (1 PTX, 2 ELF), u16 version, u32 header bytes, u64 payload
 *             bytes with padding, u32 payload bytes when compressed, u32, u16 minor,
 *             u16 major, u32 architecture (90), u32, u32, u64 flags, u64,
 *             u64 expanded payload bytes when compressed
 * The suffix of an architecture-specific target is not in the header that older
 * tools wrote, so it is read from the .target line of the text itself. */
#include "emulator/fatbin.h"

#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243B1u
#define FATBIN_MAGIC 0xBA55ED50u
#define HEADER_BYTES 16u
#define ENTRY_BYTES 64u
#define KIND_PTX 1u
/* Flag bits of the two compressions that nvcc uses. */
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define EXPANDED_LIMIT ((uint64_t)1 << 30)

struct entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t payload_bytes;
	uint32_t compressed_bytes, unknown;
	uint16_t minor, major;
	uint32_t architecture, name_offset, name_bytes;
	uint64_t flags, reserved, expanded_bytes;
};
_Static_assert(sizeof(struct entry) == ENTRY_BYTES, "the entry header has no holes");

const void *fatbin_of_wrapper(const void *wrapper)
{
	uint32_t magic;
	const void *fatbin;
	if (!wrapper)
		return NULL;
	memcpy(&magic, wrapper, sizeof magic);
	if (magic != WRAPPER_MAGIC)
		return NULL;
	memcpy(&fatbin, (const char *)wrapper + 8, sizeof fatbin);
	return fatbin;
}

size_t fatbin_size(const void *fatbin)
{
	uint32_t magic;
	uint16_t header_bytes;
	uint64_t rest;
	if (!fatbin)
		return 0;
	memcpy(&magic, fatbin, sizeof magic);
	memcpy(&header_bytes, (const char *)fatbin + 6, sizeof header_bytes);
	memcpy(&rest, (const char *)fatbin + 8, sizeof rest);
	if (magic != FATBIN_MAGIC || header_bytes < HEADER_BYTES || rest > UINT64_MAX / 2)
		return 0;
	return header_bytes + rest;
}

static const char *find(const char *text, size_t length, const char *wanted)
{
	size_t bytes = strlen(wanted);
	for (; length >= bytes; text++, length--)
		if (memcmp(text, wanted, bytes) == 0)
			return text;
	return NULL;
}

/* 'a' or 'f' after the digits of ".target sm_90a", else 0. */
static char target_suffix(const char *text, size_t length)
{
	static const char target[] = ".target sm_";
	const char *at = find(text, length, target), *end = text + length;
	if (!at)
		return 0;
	for (at += sizeof target - 1; at < end && *at >= '0' && *at <= '9'; at++)
		;
	return at < end && (*at == 'a' || *at == 'f') ? *at : 0;
}

static bool suits(int architecture, char suffix, int sm)
{
	if (suffix == 'a')
		return architecture == sm;
	if (suffix == 'f')
		return architecture <= sm && architecture / 10 == sm / 10;
	return architecture <= sm;
}

static bool better(const struct fatbin_ptx *candidate, const struct fatbin_ptx *best)
{
	if (!best->text || candidate->sm != best->sm)
		return !best->text || candidate->sm > best->sm;
	return candidate->suffix == 'a' || (candidate->suffix && !best->suffix);
}

static size_t text_length(const char *text, size_t padded)
{
	const char *end = memchr(text, 0, padded);
	return end ? (size_t)(end - text) : padded;
}

static bool candidate_of(const struct entry *entry, const char *payload, struct fatbin_ptx *out)
{
	*out = (struct fatbin_ptx){.text = payload, .sm = (int)entry->architecture};
	out->length = entry->payload_bytes;
	if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
		if (entry->compressed_bytes > entry->payload_bytes ||
			entry->expanded_bytes > EXPANDED_LIMIT)
			return false;
		out->length = entry->expanded_bytes;
		out->expanded = fatbin_expand(entry->flags & FLAG_ZSTD ? FATBIN_ZSTD : FATBIN_LZ4, payload,
									  entry->compressed_bytes, out->length);
		out->text = out->expanded;
	}
	if (!out->text)
		return false;
	out->length = text_length(out->text, out->length);
	out->suffix = target_suffix(out->text, out->length);
	return true;
}

/* Keeps the better one of *best and the entry's; says why it cannot otherwise. */
static void consider(const struct entry *entry, const char *payload, int sm,
					 struct fatbin_ptx *best, enum fatbin_status *otherwise)
{
	struct fatbin_ptx candidate;
	if (entry->kind != KIND_PTX || entry->architecture > 1000)
		return;
	if (!suits((int)entry->architecture, 0, sm)) {
		*otherwise = *otherwise == FATBIN_NO_PTX ? FATBIN_OTHER_GPUS : *otherwise;
		return;
	}
	if (!candidate_of(entry, payload, &candidate)) {
		*otherwise = FATBIN_COMPRESSED;
		return;
	}
	if (!suits(candidate.sm, candidate.suffix, sm)) {
		*otherwise = *otherwise == FATBIN_NO_PTX ? FATBIN_OTHER_GPUS : *otherwise;
		free(candidate.expanded);
		return;
	}
	struct fatbin_ptx *worse = better(&candidate, best) ? best : &candidate;
	free(worse->expanded);
	if (worse == best)
		*best = candidate;
}

enum fatbin_status fatbin_choose(const void *fatbin, size_t size, int sm, struct fatbin_ptx *out)
{
	*out = (struct fatbin_ptx){0};
	if (size < HEADER_BYTES || fatbin_size(fatbin) == 0)
		return FATBIN_MALFORMED;
	if (fatbin_size(fatbin) < size)
		size = fatbin_size(fatbin);
	uint16_t header_bytes;
	memcpy(&header_bytes, (const char *)fatbin + 6, sizeof header_bytes);
	enum fatbin_status otherwise = FATBIN_NO_PTX;
	struct entry entry;
	for (size_t at = header_bytes; at < size; at += entry.header_bytes + entry.payload_bytes) {
		bool whole = size - at >= ENTRY_BYTES;
		if (whole)
			memcpy(&entry, (const char *)fatbin + at, sizeof entry);
		if (!whole || entry.header_bytes < ENTRY_BYTES || entry.header_bytes > size - at ||
			entry.payload_bytes > size - at - entry.header_bytes) {
			free(out->expanded);
			*out = (struct fatbin_ptx){0};
			return FATBIN_MALFORMED;
		}
		consider(&entry, (const char *)fatbin + at + entry.header_bytes, sm, out, &otherwise);
	}
	return out->text ? FATBIN_FOUND : otherwise;
}

const char *fatbin_advice(enum fatbin_status status)
{
	switch (status) {
	case FATBIN_FOUND: return "PTX found";
	case FATBIN_MALFORMED:
		return "the program's device code is not a fat binary that is understood";
	case FATBIN_NO_PTX:
		return "the program holds machine code but no PTX; compile it with "
			   "-gencode arch=compute_90a,code=[sm_90a,compute_90a]";
	case FATBIN_OTHER_GPUS:
		return "the program's PTX is for other GPUs than the emulated one; compile it for this "
			   "one too, or emulate another (EMULATED_GPU)";
	case FATBIN_COMPRESSED:
		return "the program's PTX is compressed in a way that is not understood here; compile it "
			   "with "
			   "--no-compress";
	}
	return "unknown";
}
