/* Functions of the device runtime that kernels call: printf and assert. */
#include <stdio.h>

#include "emulator/exec/access.h"
#include "emulator/simd/lanes.h"

#define TEXT_MAX 1024

/* in->list: local addresses of the result (or -1) and of the arguments */
static bool argument(struct warp *w, const struct exec_instruction *in, int lane, int index,
					 void *out, size_t bytes)
{
	const void *host = exec_access(w, in, lane, PTX_LOCAL, (uint64_t)(uint32_t)in->list[1 + index],
								   bytes, 1, false);
	if (host != NULL)
		memcpy(out, host, bytes);
	return host != NULL;
}

/* A string of the module; false after a fault. */
static bool fetch_string(struct warp *w, const struct exec_instruction *in, int lane,
						 uint64_t address, char *out, size_t size)
{
	size_t used = 0;
	while (used + 1 < size) {
		const char *c = exec_access(w, in, lane, PTX_GENERIC, address + used, 1, 1, false);
		if (c == NULL)
			return false;
		if (!*c)
			break;
		out[used++] = *c;
	}
	out[used] = '\0';
	return true;
}

struct output {
	char text[4 * TEXT_MAX];
	size_t used;
};

static void put(struct output *output, const char *text, size_t length)
{
	size_t room = sizeof output->text - output->used;
	length = length < room ? length : room;
	memcpy(output->text + output->used, text, length);
	output->used += length;
}

/* Prints one conversion, whose text is spec[0..length); takes its argument from
 * *at, the next free byte of the argument list. */
static bool convert(struct warp *w, const struct exec_instruction *in, int lane, const char *spec,
					size_t length, uint64_t *at, struct output *output)
{
	char format[64], text[TEXT_MAX], string[TEXT_MAX];
	char kind = spec[length - 1];
	bool wide = memchr(spec, 'l', length) != NULL || memchr(spec, 'z', length) != NULL ||
				memchr(spec, 'j', length) != NULL || memchr(spec, 't', length) != NULL ||
				strchr("pseEfFgGaA", kind) != NULL;
	size_t bytes = wide ? 8 : 4;
	if (length + 3 > sizeof format ||
		strspn(spec + 1, "-+ #0123456789.hlzjt") + 2 != length) /* no '*', no 'n' */
		return true;
	*at = (*at + bytes - 1) / bytes * bytes;
	const void *host = exec_access(w, in, lane, PTX_GENERIC, *at, bytes, 1, false);
	if (host == NULL)
		return false;
	uint64_t bits = 0;
	double number;
	memcpy(&bits, host, bytes);
	memcpy(&number, &bits, sizeof number);
	*at += bytes;
	/* the length modifiers are replaced by what the host is given */
	size_t used = 0;
	for (size_t i = 0; i + 1 < length; i++)
		if (strchr("hlzjt", spec[i]) == NULL)
			format[used++] = spec[i];
	if (strchr("diuoxX", kind) != NULL && wide)
		format[used++] = 'l';
	format[used++] = kind;
	format[used] = '\0';
	int written = 0;
	if (kind == 's') {
		if (!fetch_string(w, in, lane, bits, string, sizeof string))
			return false;
		written = snprintf(text, sizeof text, format, string);
	} else if (strchr("eEfFgGaA", kind) != NULL) {
		written = snprintf(text, sizeof text, format, number);
	} else if (kind == 'p') {
		written = snprintf(text, sizeof text, format, (void *)(uintptr_t)bits);
	} else if (strchr("diuoxXc", kind) != NULL) {
		written = wide && kind != 'c' ? snprintf(text, sizeof text, format, (long)bits)
									  : snprintf(text, sizeof text, format, (int)bits);
	}
	if (written > 0)
		put(output, text, (size_t)written < sizeof text ? (size_t)written : sizeof text - 1);
	return true;
}

static bool print_lane(struct warp *w, const struct exec_instruction *in, int lane)
{
	uint64_t pointers[2];
	char format[TEXT_MAX];
	struct output output = {.used = 0};
	if (!argument(w, in, lane, 0, &pointers[0], 8) || !argument(w, in, lane, 1, &pointers[1], 8) ||
		!fetch_string(w, in, lane, pointers[0], format, sizeof format))
		return false;
	uint64_t at = pointers[1];
	for (const char *c = format; *c;) {
		size_t plain = strcspn(c, "%");
		put(&output, c, plain);
		c += plain;
		if (c[0] == '%' && c[1] == '%') {
			put(&output, "%", 1);
			c += 2;
		} else if (c[0] == '%') {
			size_t length = 1 + strcspn(c + 1, "diuoxXcspeEfFgGaA") + 1;
			if (length > strlen(c))
				break;
			if (!convert(w, in, lane, c, length, &at, &output))
				return false;
			c += length;
		}
	}
	fwrite(output.text, 1, output.used, stdout);
	return true;
}

HANDLER(call_vprintf)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		int lane = first_lane(left);
		if (!print_lane(w, in, lane))
			return EXEC_FAULT;
		uint32_t result = 0;
		if (in->list[0] >= 0) {
			void *host =
				exec_access(w, in, lane, PTX_LOCAL, (uint64_t)(uint32_t)in->list[0], 4, 1, true);
			if (host == NULL)
				return EXEC_FAULT;
			memcpy(host, &result, sizeof result);
		}
	}
	return EXEC_NEXT;
}

/* As NVIDIA's runtime says it, a line for each thread. */
static void say_assert(const struct warp *w, uint32_t mask, const char *file, uint32_t line,
					   const char *function, const char *message)
{
	const uint32_t *block = w->block->id, *size = w->worker->launch->launch->block;
	fflush(stdout);
	for (; mask; mask &= mask - 1) {
		uint32_t thread = w->index * EXEC_LANES + (uint32_t)first_lane(mask);
		fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
				file, line, function, block[0], block[1], block[2], thread % size[0],
				thread / size[0] % size[1], thread / size[0] / size[1], message);
	}
}

/* __assertfail(message, file, line, function, size of a character) */
HANDLER(call_assertfail)
{
	int lane = first_lane(mask);
	uint64_t pointers[4] = {0};
	uint32_t line = 0;
	char message[160] = "?", file[160] = "?", function[128] = "?";
	if (!argument(w, in, lane, 0, &pointers[0], 8) || !argument(w, in, lane, 1, &pointers[1], 8) ||
		!argument(w, in, lane, 2, &line, 4) || !argument(w, in, lane, 3, &pointers[3], 8) ||
		!fetch_string(w, in, lane, pointers[0], message, sizeof message) ||
		!fetch_string(w, in, lane, pointers[1], file, sizeof file) ||
		!fetch_string(w, in, lane, pointers[3], function, sizeof function))
		return EXEC_FAULT;
	say_assert(w, mask, file, line, function, message);
	return exec_fail(w, in, lane, FAULT_ASSERT, 0, "%s:%u: %s: assertion `%s' failed", file, line,
					 function, message);
}
