/* links: emulator_core; seeds: harness/emulator/tests/fuzz/seeds */
/* Fat binaries, and what is compressed in them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/fatbin.h"
#include "fuzz.h"

#define EXPANDED_MAX ((size_t)1 << 16)

static void read_through(const char *text, size_t length)
{
	unsigned sum = 0;
	for (size_t i = 0; i < length; i++)
		sum += (unsigned char)text[i];
	__asm__ volatile("" : : "r"(sum));
}

void fuzz_one(const uint8_t *data, size_t size)
{
	static void *zstd; /* is not loaded anew each time */
	if (zstd == NULL)
		zstd = dlopen("libzstd.so.1", RTLD_NOW);
	static const int gpus[] = {75, 80, 90, 120};
	for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
		struct fatbin_ptx ptx = {0};
		enum fatbin_status status = fatbin_choose(data, size, gpus[i], &ptx);
		if (status == FATBIN_FOUND)
			read_through(ptx.text, ptx.length);
		else if (fatbin_advice(status) == NULL)
			fuzz_found("nothing to say");
		free(ptx.expanded);
	}
	if (fatbin_cuda_version(data, size) < 0 ||
		fatbin_text_cuda_version((const char *)data, size) < 0)
		fuzz_found("a version below 0");
	uint32_t wanted;
	if (size < sizeof wanted)
		return;
	memcpy(&wanted, data, sizeof wanted);
	wanted %= EXPANDED_MAX;
	for (int how = FATBIN_LZ4; how <= FATBIN_ZSTD; how++) {
		char *text = fatbin_expand((enum fatbin_compression)how, data + sizeof wanted,
								   size - sizeof wanted, wanted);
		if (text != NULL)
			read_through(text, wanted);
		free(text);
	}
}
