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
	static const struct {
		const char *ending, *kind;
	} others[] = {
		{".mojo", "a Mojo program"}, {".py", "a Python script"}, {".md", "a page of Markdown"}};
	const char *dot = strrchr(path, '.');
	if (dot != NULL && strcmp(dot, ".ipynb") == 0 && *first_line(text, "//") == '{')
		return "a notebook";
	for (size_t i = 0; dot != NULL && i < sizeof others / sizeof *others; i++)
		if (strcmp(dot, others[i].ending) == 0)
			return others[i].kind;
	if (begins(first_line(text, "//"), ".version"))
		return "PTX, which a compiler made";
	return is_python(text) ? "a Python script" : NULL;
}

/* Which line of the file has a NUL in it; 0: none. */
static size_t line_of_nul(FILE *file)
{
	char bytes[16384];
	size_t line = 1, got;
	rewind(file);
	while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
		const char *nul = memchr(bytes, '\0', got);
		const char *end = nul != NULL ? nul : bytes + got;
		for (const char *at = bytes; at < end; at++)
			line += *at == '\n';
		if (nul != NULL)
			return line;
	}
	return 0;
}

bool file_kind_other(const char *path, struct error *err)
{
	char head[HEAD_BYTES + 1];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return false;
	const size_t size = fread(head, 1, HEAD_BYTES, file);
	head[size] = '\0';
	const char *kind = kind_of_bytes((const unsigned char *)head, size);
	if (kind == NULL)
		kind = kind_of_text(path, head);
	const size_t line = kind == NULL ? line_of_nul(file) : 0;
	fclose(file);
	if (line > 0)
		return !error_set(err,
						  "is no text: line %zu has a NUL, or half of a pair of surrogates; save "
						  "it as UTF-8",
						  line);
	return kind != NULL && !error_set(err, "is %s" WANTED, kind);
}
