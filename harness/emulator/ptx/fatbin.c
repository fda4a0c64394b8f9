/* Layout, all little-endian:
 *   wrapper   u32 magic 0x466243B1, u32 version, u64 pointer to the fat binary
 *   header    u32 magic 0xBA55ED50, u16 version, u16 header bytes, u64 bytes after it
 *   entry     u16 kind (1 PTX, 2 ELF), u16 version, u32 header bytes, u64 payload
 *             bytes with padding, u32 payload bytes when compressed, u32, u16 minor,
 *             u16 major, u32 architecture (90), u32, u32, u64 flags, u64,
 *             u64 expanded payload bytes when compressed
 * The suffix of an architecture-specific target is not in the header that older
 * tools wrote, so it is read from the .target line of the text itself. */
#include "emulator/ptx/fatbin.h"

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
	if (wrapper == NULL)
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
	if (fatbin == NULL)
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
	if (at == NULL)
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

enum fatbin_status fatbin_text_suits(const char *text, size_t length, int sm)
{
	static const char target[] = ".target sm_";
	const char *at = find(text, length, target), *end = text + length;
	int architecture = 0;
	if (at == NULL)
		return FATBIN_MALFORMED;
	for (at += sizeof target - 1; at < end && *at >= '0' && *at <= '9' && architecture < 1000; at++)
		architecture = architecture * 10 + (*at - '0');
	return suits(architecture, target_suffix(text, length), sm) ? FATBIN_FOUND : FATBIN_OTHER_GPUS;
}

static size_t text_length(const char *text, size_t padded)
{
	const char *end = memchr(text, 0, padded);
	return end != NULL ? (size_t)(end - text) : padded;
}

/* The text of an entry; out->expanded is the caller's to free. */
static bool entry_text(const struct entry *entry, const char *payload, struct fatbin_ptx *out)
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
	if (out->text == NULL)
		return false;
	out->length = text_length(out->text, out->length);
	out->suffix = target_suffix(out->text, out->length);
	return true;
}

struct choice {
	struct entry entry;
	const char *payload; /* NULL: none yet */
	int sm;
	char suffix;
};

static bool better(const struct choice *best, int sm, char suffix)
{
	if (best->payload == NULL || sm != best->sm)
		return best->payload == NULL || sm > best->sm;
	return suffix == 'a' || (suffix && !best->suffix);
}

/* Keeps the better one of *best and the entry. What stands in the way of the
 * entry, or FATBIN_FOUND. */
static enum fatbin_status consider(const struct entry *entry, const char *payload, int sm,
								   struct choice *best)
{
	struct fatbin_ptx ptx;
	if (entry->kind != KIND_PTX || entry->architecture > 1000)
		return FATBIN_NO_PTX;
	if (!suits((int)entry->architecture, 0, sm))
		return FATBIN_OTHER_GPUS;
	if (!entry_text(entry, payload, &ptx))
		return FATBIN_COMPRESSED;
	free(ptx.expanded);
	if (!suits(ptx.sm, ptx.suffix, sm))
		return FATBIN_OTHER_GPUS;
	if (better(best, ptx.sm, ptx.suffix))
		*best = (struct choice){*entry, payload, ptx.sm, ptx.suffix};
	return FATBIN_FOUND;
}

static bool entry_whole(const struct entry *entry, size_t left)
{
	return entry->header_bytes >= ENTRY_BYTES && entry->header_bytes <= left &&
		   entry->payload_bytes <= left - entry->header_bytes;
}

struct walk {
	const char *fatbin;
	size_t size, at;
	bool malformed;
};

static struct walk walk_begin(const void *fatbin, size_t size)
{
	struct walk walk = {.fatbin = fatbin, .size = size};
	uint16_t header_bytes;
	walk.malformed = size < HEADER_BYTES || fatbin_size(fatbin) == 0;
	if (walk.malformed)
		return walk;
	if (fatbin_size(fatbin) < size)
		walk.size = fatbin_size(fatbin);
	memcpy(&header_bytes, walk.fatbin + 6, sizeof header_bytes);
	walk.at = header_bytes;
	return walk;
}

/* The payload of the next entry; NULL: there is none, or no whole one (malformed). */
static const char *walk_next(struct walk *walk, struct entry *entry)
{
	if (walk->malformed || walk->at >= walk->size)
		return NULL;
	const char *start = walk->fatbin + walk->at;
	const size_t left = walk->size - walk->at;
	if (left >= ENTRY_BYTES)
		memcpy(entry, start, sizeof *entry);
	walk->malformed = left < ENTRY_BYTES || !entry_whole(entry, left);
	if (walk->malformed)
		return NULL;
	walk->at += entry->header_bytes + entry->payload_bytes;
	return start + entry->header_bytes;
}

enum fatbin_status fatbin_choose(const void *fatbin, size_t size, int sm, struct fatbin_ptx *out)
{
	*out = (struct fatbin_ptx){0};
	enum fatbin_status otherwise = FATBIN_NO_PTX; /* later ones say more */
	struct choice best = {.payload = NULL};
	struct walk walk = walk_begin(fatbin, size);
	struct entry entry;
	for (const char *payload; (payload = walk_next(&walk, &entry)) != NULL;) {
		enum fatbin_status status = consider(&entry, payload, sm, &best);
		if (status > otherwise)
			otherwise = status;
	}
	if (walk.malformed)
		return FATBIN_MALFORMED;
	return best.payload != NULL && entry_text(&best.entry, best.payload, out) ? FATBIN_FOUND
																			  : otherwise;
}

/* PTX 9.x came with CUDA 13.x, 8.x with 12.x: 9.5 with 13.5. */
static int cuda_version(unsigned major, unsigned minor)
{
	return (int)((major + 4) * 1000 + minor * 10);
}

int fatbin_cuda_version(const void *fatbin, size_t size)
{
	struct walk walk = walk_begin(fatbin, size);
	struct entry entry;
	int newest = 0;
	while (walk_next(&walk, &entry) != NULL) {
		int version = cuda_version(entry.major, entry.minor);
		if (entry.kind == KIND_PTX && version > newest)
			newest = version;
	}
	return newest;
}

static const char *digits(const char *at, const char *end, unsigned *out)
{
	for (*out = 0; at < end && *at >= '0' && *at <= '9' && *out < 100; at++)
		*out = *out * 10 + (unsigned)(*at - '0');
	return at;
}

int fatbin_text_cuda_version(const char *text, size_t length)
{
	static const char version[] = ".version ";
	const char *at = find(text, length, version), *end = text + length;
	unsigned major, minor = 0;
	if (at == NULL)
		return 0;
	at = digits(at + sizeof version - 1, end, &major);
	if (at < end && *at == '.')
		digits(at + 1, end, &minor);
	return cuda_version(major, minor);
}

const char *fatbin_advice(enum fatbin_status status)
{
	switch (status) {
	case FATBIN_FOUND: return "PTX found";
	case FATBIN_MALFORMED:
		return "the program's device code is not a fat binary that is understood";
	case FATBIN_NO_PTX:
		return "the program holds machine code but no PTX, as what nvcc links with -rdc=true does: "
			   "compile it without that and with -gencode "
			   "arch=compute_90a,code=[sm_90a,compute_90a]";
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
