/* links: emulator_core; seeds: harness/emulator/tests/fuzz/seeds */
/* words: harness/emulator/ptx/?*.c harness/emulator/decode/?*.c */
/* PTX: any text gives an error, or programs of which none is run here. */
#include "emulator/decode/decode.h"
#include "emulator/ptx/ir.h"
#include "fuzz.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct fault fault = {0};
	struct ptx_module *module = ptx_parse((const char *)data, size, &fault);
	for (struct ptx_function *f = module != NULL ? module->functions : NULL; f != NULL; f = f->next)
		if (f->is_entry && f->has_body)
			decode_program_free(decode_program(f, &fault));
	ptx_module_free(module);
}
