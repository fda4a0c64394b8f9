/* links: chain buffers testcases base; seeds: epilogues harness/tests/fuzz/seeds/chain */
/* words: harness/chain/declaration.c */
/* Chains of epilogue stages, as --epilogue names them, and the declarations in the files of stages:
 * the first line is the chain, the rest is the file mine.cuh, which it may name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/chain.h"
#include "fuzz.h"
#include "process/buffers.h"

#define STAGES FUZZ_SOURCE "/epilogues"

static void look_at_chain(const struct chain *chain, const struct chain_files *files)
{
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_of_shape(problem, &problem->large, NULL, 1);
	void *addresses[CHAIN_BUFFERS_MAX] = {NULL};
	struct buffers buffers;
	struct arena arena = {.sets = 1};
	buffers_of_case(problem, &test, chain, &buffers);
	buffers_lay_out(&buffers, &arena);
	for (uint32_t i = 0; i < chain->count; i++) {
		unsigned char members[CHAIN_BYTES_MAX];
		chain_serialise(&chain->stages[i], addresses, members);
	}
	for (uint32_t i = 0; i < chain->buffers; i++) {
		const struct chain_stage *stage;
		char name[BUFFER_NAME_MAX];
		if (chain_buffer(chain, i, &stage) == NULL)
			fuzz_found("a buffer that no stage has");
		buffers_name(problem, chain, (uint32_t)problem_operands(problem) + i, name);
	}
	char *header = chain_header(chain, files, 0, chain->count);
	if (header == NULL)
		fuzz_found("no header");
	free(header);
}

/* The error may quote a line of the file, and file names may hold anything. */
void fuzz_one(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t length = end != NULL ? (size_t)(end - data) : size;
	char *text = strndup((const char *)data, length);
	struct chain chain;
	struct chain_files files;
	struct chain_stage stage;
	struct error err = {{0}};
	const char *path =
		fuzz_file("mine.cuh", end != NULL ? end + 1 : data, end != NULL ? size - length - 1 : 0);
	if (text == NULL || chdir(fuzz_folder()) != 0)
		fuzz_found("cannot begin");
	if (chain_parse(text, STAGES, &chain, &files, &err))
		look_at_chain(&chain, &files);
	else if (err.message[0] == '\0')
		fuzz_found("refused without a word");
	if (!chain_read_stage(path, &stage, &err) && err.message[0] == '\0')
		fuzz_found("refused without a word");
	free(text);
}
