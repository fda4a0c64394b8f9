/* Decoding of asynchronous copies and tensor instructions. */
#include "emulator/exec_decode.h"

const struct decode_entry decode_async_table[] = {
	{NULL, NULL},
};
