/* links: judge; seeds: solutions/gemm_f16 harness/tests/leetgpu */
/* words: harness/judge/hints/signature.c */
/* Sources: how solve() is declared is read from any text. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "judge/hints/signature.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct signature signature;
	char *text = malloc(size + 1);
	if (text == NULL)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	signature_find(text, "solve", &signature);
	if (signature.has_body && !signature.found)
		fuzz_found("a body of a function that was not found");
	for (size_t i = 0; i < signature.count && i < SIGNATURE_PARAMETERS; i++)
		if (memchr(signature.parameters[i].type, '\0', SIGNATURE_WORD) == NULL ||
			memchr(signature.parameters[i].name, '\0', SIGNATURE_WORD) == NULL)
			fuzz_found("a word without its end");
	free(text);
}
