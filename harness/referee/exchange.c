#include "referee/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "testcases/values_run.h"

bool exchange_open(struct exchange_memory *exchange, uint32_t sets, const char *whose,
				   struct error *err)
{
	struct arena *arena = &exchange->arena;
	buffers_lay_out(&exchange->buffers, arena);
	arena->sets = sets;
	arena->bytes = sets * arena->set_stride;
	exchange->open = true;
	exchange->memory = NULL;
	exchange->fd = memfd_create("gemmjudge-exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* sealed, so that nobody else can make our own reads fault */
	if (exchange->fd >= 0 && ftruncate(exchange->fd, (off_t)arena->bytes) == 0 &&
		fcntl(exchange->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		void *memory =
			mmap(NULL, arena->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, exchange->fd, 0);
		exchange->memory = memory != MAP_FAILED ? memory : NULL;
	}
	if (exchange->memory != NULL)
		return true;
	error_set(err, "no shared memory of %llu bytes for %s: %s", (unsigned long long)arena->bytes,
			  whose, strerror(errno));
	exchange_close(exchange);
	return false;
}

#define RUN 4096 /* blocks */

void exchange_draw(uint8_t *to, const struct values *values)
{
	static _Thread_local uint32_t bits[RUN * VALUES_BLOCK];
	for (uint64_t i = 0; i < values->elements; i += RUN * VALUES_BLOCK) {
		uint64_t left = values->elements - i;
		uint64_t count = left < RUN * VALUES_BLOCK ? left : RUN * VALUES_BLOCK;
		values_run(values, i / VALUES_BLOCK, (count + VALUES_BLOCK - 1) / VALUES_BLOCK, bits);
		for (uint64_t j = 0; j < count; j++)
			values_store(&values->format, to, i + j, bits[j]);
	}
}

void exchange_close(struct exchange_memory *exchange)
{
	if (!exchange->open)
		return;
	if (exchange->memory != NULL)
		munmap(exchange->memory, exchange->arena.bytes);
	if (exchange->fd >= 0)
		close(exchange->fd);
	*exchange = (struct exchange_memory){0};
}
