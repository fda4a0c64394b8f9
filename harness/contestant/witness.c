#include "contestant/witness.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "process/child.h"

#define PAGE 4096u
#define STACK_BYTES ((size_t)64 << 10) /* of the handlers: the solution's may be what is full */

/* One a process: handlers are given nothing. */
static struct {
	struct cudart cudart;
	_Atomic int doing;
	uint32_t count;
	struct {
		char name[WITNESS_NAME];
		uintptr_t base;
		size_t bytes;
	} buffers[BUFFERS_MAX];
} witness;

static _Alignas(16) char handler_stack[STACK_BYTES];

/* As printf() to stderr, with what handlers may call: snprintf() of strings and integers allocates
 * nothing here. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	char line[512];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (length > 0) {
		size_t bytes = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
		ssize_t ignored = write(STDERR_FILENO, line, bytes);
		(void)ignored;
	}
}

/* What lies there on the device: a buffer of the call, or what the emulated GPU knows. "": neither.
 */
static void name_place(uintptr_t at, char out[2 * WITNESS_NAME])
{
	out[0] = '\0';
	for (uint32_t i = 0; i < witness.count; i++)
		if (at - witness.buffers[i].base < witness.buffers[i].bytes)
			snprintf(out, (size_t)2 * WITNESS_NAME, "%s", witness.buffers[i].name);
	if (out[0] == '\0' && witness.cudart.emulated_where != NULL)
		witness.cudart.emulated_where((const void *)at, out, (size_t)2 * WITNESS_NAME);
}

static void tell_fault(const siginfo_t *info)
{
	char place[2 * WITNESS_NAME];
	uintptr_t at = (uintptr_t)info->si_addr;
	name_place(at, place);
	if (place[0] != '\0')
		tell(WITNESS_TOUCHED "%s" WITNESS_OF_DEVICE "\n", place);
	else if (at < 16 * PAGE && info->si_code == SEGV_MAPERR)
		tell(WITNESS_TOUCHED "address 0x%llx" WITNESS_OF_NULL "\n", (unsigned long long)at);
}

/* The process then ends by the signal as if nobody had looked. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	signal(number, SIG_DFL);
	if (info->si_code > 0)
		tell_fault(info);
	else /* somebody sent it */
		raise(number);
}

static void on_deadline(int number)
{
	int doing = atomic_load(&witness.doing);
	(void)number;
	if (witness.cudart.emulated_where_now != NULL)
		witness.cudart.emulated_where_now();
	if (doing == WITNESS_SOLVE)
		tell(WITNESS_IN_SOLVE "\n");
	if (doing == WITNESS_DEVICE)
		tell(WITNESS_ON_DEVICE "\n");
}

void witness_open(const struct cudart *cudart)
{
	const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction fault = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
							  .sa_sigaction = on_fault};
	struct sigaction deadline = {.sa_flags = SA_ONSTACK | SA_RESTART, .sa_handler = on_deadline};
	witness.cudart = *cudart;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(CHILD_ASKS, &deadline, NULL);
}

void witness_forget(void)
{
	witness.count = 0;
}

void witness_buffer(const char *name, const void *base, size_t bytes)
{
	if (witness.count == BUFFERS_MAX)
		return;
	snprintf(witness.buffers[witness.count].name, WITNESS_NAME, "%s", name);
	witness.buffers[witness.count].base = (uintptr_t)base;
	witness.buffers[witness.count].bytes = bytes;
	witness.count++;
}

void witness_is(enum witness_doing doing)
{
	atomic_store(&witness.doing, (int)doing);
}
