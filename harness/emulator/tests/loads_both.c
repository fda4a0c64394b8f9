/* Two names, one emulator: libraries loaded by path in either order, and from a copy of the folder,
 * share their memory. Arguments: the folder, and which of the two comes first. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_in(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		printf("%s\n", dlerror());
	return library;
}

static int call(void *library, const char *name, void *out, const void *in, size_t size)
{
	int (*function)(void *, const void *, size_t, int);
	*(void **)&function = dlsym(library, name);
	return function ? function(out, in, size, 4) : -1;
}

int main(int count, char **arguments)
{
	const char *first = count == 3 ? arguments[2] : "";
	const char *second = strcmp(first, "libcuda.so.1") == 0 ? "libcudart.so.13" : "libcuda.so.1";
	void *one = open_in(arguments[1], first), *other = open_in(arguments[1], second);
	if (!one || !other)
		return 1;
	void *runtime = strcmp(first, "libcuda.so.1") == 0 ? other : one;
	void *driver = runtime == one ? other : one;
	char *memory = NULL;
	int value = 0, words[2] = {42, 43};
	int failed = call(runtime, "cudaMalloc", &memory, (void *)sizeof words, 0) ||
				 call(driver, "cuMemcpyHtoD_v2", memory, words, sizeof words) ||
				 call(runtime, "cudaMemcpy", &value, memory + 4, 4);
	printf("%d, %d\n", failed, value);
	return failed || value != 43 || dlopen("libcuda.so.1", RTLD_NOW) != driver;
}
