#include "contestant/fault.h"

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
		char name[FAULT_NAME];
		uintptr_t base;
		size_t bytes;
	} buffers[BUFFERS_MAX];
} known;

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

/* Names what lies at an address of the device: a buffer of the call, or an allocation that the
 * emulated GPU knows. "": neither.
 */
static void name_place(uintptr_t at, char out[2 * FAULT_NAME])
{
	out[0] = '\0';
	for (uint32_t i = 0; i < known.count; i++)
		if (at - known.buffers[i].base < known.buffers[i].bytes)
			snprintf(out, (size_t)2 * FAULT_NAME, "%s", known.buffers[i].name);
	if (out[0] == '\0' && known.cudart.emulated_where != NULL)
		known.cudart.emulated_where((const void *)at, out, (size_t)2 * FAULT_NAME);
}

static void tell_fault(const siginfo_t *info)
{
	char place[2 * FAULT_NAME];
	uintptr_t at = (uintptr_t)info->si_addr;
	name_place(at, place);
	if (place[0] != '\0')
		tell(FAULT_TOUCHED "%s" FAULT_OF_DEVICE "\n", place);
	else if (at < 16 * PAGE && info->si_code == SEGV_MAPERR)
		tell(FAULT_TOUCHED "address 0x%llx" FAULT_OF_NULL "\n", (unsigned long long)at);
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
	int doing = atomic_load(&known.doing);
	(void)number;
	if (known.cudart.emulated_where_now != NULL)
		known.cudart.emulated_where_now();
	if (doing == FAULT_SOLVE)
		tell(FAULT_IN_SOLVE "\n");
	if (doing == FAULT_DEVICE)
		tell(FAULT_ON_DEVICE "\n");
}

void fault_open(const struct cudart *cudart)
{
	const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction fault = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
							  .sa_sigaction = on_fault};
	struct sigaction deadline = {.sa_flags = SA_ONSTACK | SA_RESTART, .sa_handler = on_deadline};
	known.cudart = *cudart;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(CHILD_ASKS, &deadline, NULL);
}

void fault_forget(void)
{
	known.count = 0;
}

void fault_buffer(const char *name, const void *base, size_t bytes)
{
	if (known.count == BUFFERS_MAX)
		return;
	snprintf(known.buffers[known.count].name, FAULT_NAME, "%s", name);
	known.buffers[known.count].base = (uintptr_t)base;
	known.buffers[known.count].bytes = bytes;
	known.count++;
}

void fault_is(enum fault_doing doing)
{
	atomic_store(&known.doing, (int)doing);
}
