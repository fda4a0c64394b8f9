#include "judge/submission/file_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 4096 /* what is looked at */
#define WANTED "; what is judged is CUDA C++ source that defines solve()"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* ELF: which machine, and what for. */
static const char *kind_of_elf(const unsigned char *head)
{
	enum { TYPE = 16, MACHINE = 18, RELOCATABLE = 1, SHARED = 3, CUDA = 190 };
	if (head[MACHINE] == CUDA)
		return "a cubin, machine code of a GPU";
	return head[TYPE] == RELOCATABLE ? "an object file, compiled already"
		   : head[TYPE] == SHARED    ? "a shared library or a program, compiled already"
									 : "a program, compiled already";
}

static const char *kind_of_bytes(const unsigned char *head, size_t size)
{
	static const unsigned char fatbin[] = {0x50, 0xED, 0x55, 0xBA};
	if (size > 20 && memcmp(head, "\177ELF", 4) == 0)
		return kind_of_elf(head);
	if (size > 4 && memcmp(head, fatbin, 4) == 0)
		return "a fat binary, machine code of GPUs";
	return size > 8 && memcmp(head, "!<arch>\n", 8) == 0 ? "a static library" : NULL;
}

/* The first line that is neither empty nor a comment, as this mark begins one. */
static const char *first_line(const char *text, const char *mark)
{
	for (;;) {
		text += strspn(text, " \t\r\n");
		if (!begins(text, mark))
			return text;
		text += strcspn(text, "\n");
	}
}

/* "import torch", "from a import b", "def f(...):", a docstring. A line of C++ that
 * begins so ends with a semicolon. */
static bool is_python(const char *text)
{
	static const char *const beginnings[] = {"import ", "from ", "def ", "\"\"\"", "'''"};
	if (begins(text, "#!") && strstr(text, "python") != NULL)
		return strstr(text, "python") < text + strcspn(text, "\n");
	const char *line = first_line(text, "#");
	size_t length = strcspn(line, "\r\n");
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		length--;
	bool semicolon = length > 0 && (line[length - 1] == ';' || line[length - 1] == '{');
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (begins(line, beginnings[i]))
			return !semicolon;
	return false;
}

static const char *kind_of_text(const char *path, const char *text)
{
	const char *dot = strrchr(path, '.');
	if (dot != NULL && strcmp(dot, ".ipynb") == 0 && *first_line(text, "//") == '{')
		return "a notebook";
	if (begins(first_line(text, "//"), ".version"))
		return "PTX, which a compiler made";
	if ((dot != NULL && strcmp(dot, ".py") == 0) || is_python(text))
		return "a Python script";
	return NULL;
}

bool file_kind_other(const char *path, struct error *err)
{
	char head[HEAD_BYTES + 1];
	FILE *file = fopen(path, "re");
	size_t size = file != NULL ? fread(head, 1, HEAD_BYTES, file) : 0;
	if (file != NULL)
		fclose(file);
	head[size] = '\0';
	const char *kind = kind_of_bytes((const unsigned char *)head, size);
	if (kind == NULL)
		kind = kind_of_text(path, head);
	return kind != NULL && !error_set(err, "is %s" WANTED, kind);
}
