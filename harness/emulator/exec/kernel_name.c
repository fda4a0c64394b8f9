#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "emulator/exec/kernel_name.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)::"
#define NESTING_MAX 8 /* of template lists that are shown whole */

static void remove_all(char *text, const char *part)
{
	size_t length = strlen(part);
	for (char *at = text; (at = strstr(at, part)) != NULL;)
		memmove(at, at + length, strlen(at + length) + 1);
}

/* The parenthesis that the last character of the text closes; NULL if it closes none. */
static char *opening_of(char *text)
{
	int depth = 0;
	for (char *at = text + strlen(text); at > text;) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			return *at == '(' ? at : NULL;
	}
	return NULL;
}

/* "void (anonymous namespace)::gemm<tile<64> >(float*)" becomes "gemm<tile<64>>". */
static void strip_signature(char *name)
{
	char *parameters = opening_of(name);
	if (parameters != NULL && parameters > name)
		*parameters = '\0';
	if (strncmp(name, "void ", 5) == 0) /* which kernels return; only of templates it is named */
		memmove(name, name + 5, strlen(name) - 5 + 1);
	remove_all(name, ANONYMOUS);
	for (char *at = name; (at = strstr(at, "> >")) != NULL;) /* as C++ wrote it before 2011 */
		memmove(at + 1, at + 2, strlen(at + 2) + 1);
}

/* Copies the name with the template lists that lie deeper than `deepest` as "<...>".
 * False where it does not fit. */
static bool copy_to_depth(const char *name, int deepest, char *out, size_t size)
{
	size_t used = 0;
	int depth = 0;
	for (; *name != '\0' && used < size; name++) {
		bool was_hidden = depth > deepest;
		depth += (*name == '<') - (*name == '>' && depth > 0);
		bool hidden = depth > deepest;
		if (was_hidden && hidden)
			continue;
		if (hidden)
			used += (size_t)snprintf(out + used, size - used, "<...");
		else
			out[used++] = *name;
	}
	if (used >= size)
		return false;
	out[used] = '\0';
	return true;
}

void kernel_name_shorten(char *demangled, char *out, size_t size)
{
	strip_signature(demangled);
	bool fits = strlen(demangled) < size;
	if (fits)
		strcpy(out, demangled);
	for (int deepest = NESTING_MAX; deepest >= 0 && !fits; deepest--)
		fits = copy_to_depth(demangled, deepest, out, size);
	if (!fits)
		snprintf(out, size, "%s", demangled);
}

/* __cxa_demangle of the Itanium C++ ABI. The library is asked for by its name, too: one that came
 * with a plug-in is not in the global scope. It is not loaded for this: beside a second C++ library
 * a program's own could fail. */
typedef char *demangler(const char *symbol, char *buffer, size_t *capacity, int *status);

static demangler *find_demangler(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	void *library = symbol != NULL ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (library != NULL)
		symbol = dlsym(library, "__cxa_demangle");
	return (demangler *)symbol;
}

void kernel_name_show(const char *symbol, char *out, size_t size)
{
	bool mangled = strncmp(symbol, "_Z", 2) == 0; /* it would read "f" as the type float */
	demangler *demangle = mangled ? find_demangler() : NULL;
	int status;
	char *demangled = demangle != NULL ? demangle(symbol, NULL, NULL, &status) : NULL;
	if (demangled != NULL)
		kernel_name_shorten(demangled, out, size);
	else
		snprintf(out, size, "%s", symbol);
	free(demangled);
}
