/* links: emulator_core */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/fatbin.h"

#define PLAIN 0u
#define ZSTD 0x8000u

struct blob {
	unsigned char bytes[8192];
	size_t used;
};

static void put(struct blob *blob, const void *data, size_t size)
{
	memcpy(blob->bytes + blob->used, data, size);
	blob->used += size;
}

static void put_number(struct blob *blob, uint64_t value, size_t size)
{
	put(blob, &value, size);
}

static void start(struct blob *blob)
{
	memset(blob, 0, sizeof *blob);
	put_number(blob, 0xBA55ED50u, 4);
	put_number(blob, 1, 2);
	put_number(blob, 16, 2);
	put_number(blob, 0, 8);
}

static void entry(struct blob *blob, int kind, int sm, uint64_t flags, const char *text)
{
	size_t padded = (strlen(text) + 8) / 8 * 8;
	size_t at = blob->used;
	put_number(blob, (uint64_t)kind, 2);
	put_number(blob, 0x101, 2);
	put_number(blob, 80, 4);
	put_number(blob, padded, 8);
	put_number(blob, 0, 8);
	put_number(blob, 0x90000, 4);
	put_number(blob, (uint64_t)sm, 4);
	put_number(blob, 0, 8);
	put_number(blob, flags, 8);
	put_number(blob, 0, 8);
	put_number(blob, 1 << 20, 8); /* what it would expand to */
	blob->used = at + 80;
	put(blob, text, strlen(text));
	blob->used = at + 80 + padded;
	uint64_t rest = blob->used - 16;
	memcpy(blob->bytes + 8, &rest, sizeof rest);
}

static enum fatbin_status choose(const struct blob *blob, int sm, struct fatbin_ptx *out)
{
	return fatbin_choose(blob->bytes, blob->used, sm, out);
}

Test(fatbin, takes_the_best_ptx_for_the_gpu)
{
	struct blob blob;
	struct fatbin_ptx ptx;
	start(&blob);
	entry(&blob, 2, 90, PLAIN, "ELF");
	entry(&blob, 1, 75, PLAIN, ".target sm_75\n//a");
	entry(&blob, 1, 80, PLAIN, ".target sm_80\n//b");
	entry(&blob, 1, 90, PLAIN, ".target sm_90\n//c");
	entry(&blob, 1, 90, PLAIN, ".target sm_90a\n//d");
	entry(&blob, 1, 100, PLAIN, ".target sm_100a\n//e");
	entry(&blob, 1, 120, PLAIN, ".target sm_120f\n//f");
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_FOUND);
	cr_assert_eq(ptx.text[ptx.length - 1], 'd');
	cr_assert_eq(ptx.suffix, 'a');
	cr_assert_eq(choose(&blob, 75, &ptx), FATBIN_FOUND);
	cr_assert_eq(ptx.text[ptx.length - 1], 'a');
	cr_assert_eq(choose(&blob, 89, &ptx), FATBIN_FOUND);
	cr_assert_eq(ptx.sm, 80);
	cr_assert_eq(choose(&blob, 103, &ptx), FATBIN_FOUND);
	cr_assert_eq(ptx.text[ptx.length - 1], 'c');
	cr_assert_eq(choose(&blob, 121, &ptx), FATBIN_FOUND);
	cr_assert_eq(ptx.text[ptx.length - 1], 'f');
	cr_assert_eq(choose(&blob, 70, &ptx), FATBIN_OTHER_GPUS);
}

Test(fatbin, newest_cuda_of_its_ptx)
{
	static const char text[] = "//\n.version 9.5\n.target sm_90";
	struct blob blob;
	start(&blob);
	cr_assert_eq(fatbin_cuda_version(blob.bytes, blob.used), 0);
	entry(&blob, 2, 90, PLAIN, "ELF");
	blob.bytes[16 + 24] = 7; /* of machine code, which has numbers of its own */
	cr_assert_eq(fatbin_cuda_version(blob.bytes, blob.used), 0);
	size_t at = blob.used;
	entry(&blob, 1, 90, ZSTD, "xyz");
	entry(&blob, 1, 80, PLAIN, "");
	cr_assert_eq(fatbin_cuda_version(blob.bytes, blob.used), 13000);
	blob.bytes[at + 24] = 5;
	cr_assert_eq(fatbin_cuda_version(blob.bytes, blob.used), 13050);
	cr_assert_eq(fatbin_cuda_version(blob.bytes, at), 0);
	cr_assert_eq(fatbin_cuda_version(NULL, 0), 0);
	cr_assert_eq(fatbin_text_cuda_version(text, sizeof text - 1), 13050);
	cr_assert_eq(fatbin_text_cuda_version(".version 9.12", 13), 13120);
	cr_assert_eq(fatbin_text_cuda_version(".version 9.", 11), 13000);
	cr_assert_eq(fatbin_text_cuda_version(".target sm_90", 13), 0);
}

Test(fatbin, says_why_there_is_no_ptx)
{
	struct blob blob;
	struct fatbin_ptx ptx;
	start(&blob);
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_NO_PTX);
	entry(&blob, 2, 90, PLAIN, "ELF");
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_NO_PTX);
	entry(&blob, 1, 90, ZSTD, "xyz");
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_COMPRESSED);
	cr_assert(strstr(fatbin_advice(FATBIN_COMPRESSED), "--no-compress"));
}

Test(fatbin, any_truncation_is_an_error_not_a_crash)
{
	struct blob blob;
	struct fatbin_ptx ptx;
	start(&blob);
	entry(&blob, 1, 90, PLAIN, ".target sm_90");
	for (size_t size = 0; size < blob.used; size++)
		cr_assert_neq(fatbin_choose(blob.bytes, size, 90, &ptx), FATBIN_FOUND, "%zu", size);
	blob.bytes[16 + 4] = 0; /* entry header of zero bytes must not loop */
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_MALFORMED);
	blob.bytes[0] = 0;
	cr_assert_eq(choose(&blob, 90, &ptx), FATBIN_MALFORMED);
}

Test(fatbin, wrapper)
{
	struct {
		uint32_t magic, version;
		const void *data;
	} wrapper = {0x466243B1u, 1, &wrapper};
	cr_assert_eq(fatbin_of_wrapper(&wrapper), (const void *)&wrapper);
	wrapper.magic = 1;
	cr_assert_null(fatbin_of_wrapper(&wrapper));
	cr_assert_null(fatbin_of_wrapper(NULL));
	cr_assert_eq(fatbin_size(NULL), 0);
}

Test(fatbin, expands_lz4)
{
	/* "abcd", then 12 bytes from 4 back, then "xyz12" */
	static const unsigned char block[] = {0x48, 'a', 'b', 'c', 'd', 4,  0,
										  0x50, 'x', 'y', 'z', '1', '2'};
	char *text = fatbin_expand(FATBIN_LZ4, block, sizeof block, 21);
	cr_assert_not_null(text);
	cr_assert_eq(memcmp(text, "abcdabcdabcdabcdxyz12", 21), 0);
	free(text);
	cr_assert_null(fatbin_expand(FATBIN_LZ4, block, sizeof block, 20));
	cr_assert_null(fatbin_expand(FATBIN_LZ4, block, sizeof block, 22));
	for (size_t size = 0; size < sizeof block; size++)
		cr_assert_null(fatbin_expand(FATBIN_LZ4, block, size, 21), "%zu", size);
	unsigned char wild[sizeof block];
	memcpy(wild, block, sizeof block);
	wild[5] = 5; /* from before the start */
	cr_assert_null(fatbin_expand(FATBIN_LZ4, wild, sizeof wild, 21));
	cr_assert_null(fatbin_expand(FATBIN_ZSTD, block, sizeof block, 21));
}
