#include "judge/submission/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO "ptxas info"

/* Of the Itanium C++ ABI, which has it in C too; libsupc++ defines it. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *capacity, int *status);

/* "gemm<128, 64>" for a kernel's symbol: without result and parameters. */
static void show_name(const char *symbol, char out[KERNEL_USE_NAME])
{
	static const char result[] = "void ", unnamed[] = "(anonymous namespace)::";
	int status, depth = 0;
	char *plain =
		strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	const char *name = plain != NULL ? plain : symbol;
	if (strncmp(name, result, sizeof result - 1) == 0)
		name += sizeof result - 1;
	if (strncmp(name, unnamed, sizeof unnamed - 1) == 0)
		name += sizeof unnamed - 1;
	size_t length = 0;
	while (name[length] != '\0' && (depth > 0 || name[length] != '(')) {
		depth += (name[length] == '<') - (name[length] == '>');
		length++;
	}
	bool cut = length >= KERNEL_USE_NAME;
	snprintf(out, KERNEL_USE_NAME, "%.*s%s", cut ? KERNEL_USE_NAME - 3 : (int)length, name,
			 cut ? ".." : "");
	free(plain);
}

/* The symbol in quotes, or up to the end of the line. */
static void take_symbol(const char *at, char *out, size_t size)
{
	at += *at == '\'';
	snprintf(out, size, "%.*s", (int)strcspn(at, "'\n"), at);
}

static struct kernel_use *add_kernel(struct judgement *out, const char *symbol)
{
	struct kernel_use *more = realloc(out->uses, (out->use_count + 1) * sizeof *more);
	if (more == NULL)
		return NULL;
	out->uses = more;
	more += out->use_count++;
	*more = (struct kernel_use){.registers = 0};
	show_name(symbol, more->name);
	return more;
}

/* The number before these words; 0 where they are not there. */
static int64_t number_before(const char *line, const char *words)
{
	const char *end = line + strcspn(line, "\n"), *at = strstr(line, words);
	if (at == NULL || at > end)
		return 0;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return strtoll(at, NULL, 10);
}

/* Where the reader of the lines is. */
struct reader {
	char symbol[2048];       /* of the kernel */
	char properties[2048];   /* of the function that the next line tells of */
	struct kernel_use *used; /* the kernel, in the judgement; NULL: none yet, or no memory */
};

/* Whether the line is one of -v. */
static bool take_line(struct reader *reader, const char *line, struct judgement *out)
{
	static const char entry[] = "Compiling entry function ",
					  function[] = "Function properties for ", use[] = "Used ",
					  frame[] = " bytes stack frame, ";
	const char *end = line + strcspn(line, "\n"), *at = line + strlen(INFO);
	if (line[0] == ' ') {
		const char *found = strstr(line, frame);
		if (found == NULL || found > end)
			return false;
		if (reader->used != NULL && strcmp(reader->symbol, reader->properties) == 0) {
			reader->used->stack_bytes = number_before(line, frame);
			reader->used->spill_stores = number_before(line, " bytes spill stores");
			reader->used->spill_loads = number_before(line, " bytes spill loads");
		}
		return true;
	}
	if (strncmp(line, INFO, strlen(INFO)) != 0)
		return false;
	at += strspn(at, " :");
	if (*at == '(')
		return false; /* a note with a number */
	if (strncmp(at, entry, sizeof entry - 1) == 0) {
		take_symbol(at + sizeof entry - 1, reader->symbol, sizeof reader->symbol);
		reader->used = add_kernel(out, reader->symbol);
	} else if (strncmp(at, function, sizeof function - 1) == 0) {
		take_symbol(at + sizeof function - 1, reader->properties, sizeof reader->properties);
	} else if (strncmp(at, use, sizeof use - 1) == 0 && reader->used != NULL &&
			   strcmp(reader->symbol, reader->properties) == 0) {
		reader->used->registers = (int)number_before(at, " registers");
		reader->used->shared_bytes = number_before(at, " bytes smem");
	}
	return true;
}

void ptxas_take(char *log, struct judgement *out)
{
	struct reader reader = {.symbol = ""};
	char *to = log;
	if (log == NULL)
		return;
	for (char *line = log; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		length += line[length] == '\n';
		if (!take_line(&reader, line, out)) {
			memmove(to, line, length);
			to += length;
		}
		line += length;
	}
	*to = '\0';
}
