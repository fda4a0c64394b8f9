/* Any byte string gives an error or a program: the fat binary reader, the PTX
 * parser and the decoder, without the execution behind them.
 *
 * With -DGEMMJUDGE_FUZZ=ON this is build/emulator_fuzz, a libFuzzer target (clang);
 * always it is build/tests/fuzz_corpus, which goes once through the files in
 * the folders that it is given. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec.h"
#include "emulator/fatbin.h"
#include "emulator/ptx_ir.h"
#include "emulator/tensor_isa.h"

#define INPUT_BYTES_MAX (1 << 20)
#define GPU 90

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef FUZZ_REPLAY
/* The decoder asks for handlers by name, and there are none here to run. */
static enum exec_status no_handler(struct warp *warp, const struct exec_instruction *in,
								   uint32_t mask)
{
	(void)warp, (void)in, (void)mask;
	return EXEC_FAULT;
}

const struct tensor_kernels tensor_kernels_v2, tensor_kernels_v3, tensor_kernels_v4;

exec_handler exec_find(const char *name)
{
	(void)name;
	return no_handler;
}

enum exec_status exec_unsupported(struct warp *warp, const struct exec_instruction *in,
								  uint32_t mask)
{
	return no_handler(warp, in, mask);
}
#endif

static void try_ptx(const char *text, size_t length)
{
	struct fault fault = {0};
	struct ptx_module *module = ptx_parse(text, length, &fault);
	for (struct ptx_function *f = module ? module->functions : NULL; f; f = f->next)
		if (f->is_entry && f->has_body)
			exec_program_free(exec_decode(f, &fault));
	ptx_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fatbin_ptx ptx = {0};
	/* copies of exactly this size, so that a read beyond them is seen */
	uint64_t *copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (fatbin_choose(copy, size, GPU, &ptx) == FATBIN_FOUND) {
		try_ptx(ptx.text, ptx.length);
		free(ptx.expanded);
	} else {
		try_ptx((const char *)copy, size);
	}
	free(copy);
	return 0;
}

#ifdef FUZZ_REPLAY
static bool try_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_BYTES_MAX);
	bool ok = file && bytes;
	if (ok)
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, INPUT_BYTES_MAX, file));
	free(bytes);
	if (file)
		fclose(file);
	return ok;
}

int main(int argc, char **argv)
{
	char path[4096];
	int count = 0, failed = 0;
	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		for (struct dirent *entry; folder && (entry = readdir(folder));) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			failed += !try_file(path);
			count++;
		}
		if (folder)
			closedir(folder);
	}
	printf("%d inputs, %d could not be read\n", count, failed);
	return count == 0 || failed > 0;
}
#endif
