#include "contestant/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} facts[] = {{"id", offsetof(struct library_algorithm, id)},
			 {"tile", offsetof(struct library_algorithm, tile)},
			 {"stages", offsetof(struct library_algorithm, stages)},
			 {"split_k", offsetof(struct library_algorithm, split_k)},
			 {"reduction", offsetof(struct library_algorithm, reduction)},
			 {"swizzle", offsetof(struct library_algorithm, swizzle)},
			 {"custom", offsetof(struct library_algorithm, custom)},
			 {"inner", offsetof(struct library_algorithm, inner)},
			 {"cluster", offsetof(struct library_algorithm, cluster)}};

/* A function pointer of the name, into *pointer. */
static void find(void *loaded, const char *name, void *pointer)
{
	void *address = dlsym(loaded, name);
	memcpy(pointer, &address, sizeof address);
}

void library_find(struct library_functions *out, void *loaded)
{
	find(loaded, "library_set_mode", &out->mode);
	find(loaded, "library_use", &out->use);
	find(loaded, "library_algorithms", &out->algorithms);
	find(loaded, "library_fact", &out->fact);
	find(loaded, "cublasGetProperty", &out->property);
	find(loaded, "cublasLtGetVersion", &out->version);
}

/* MAJOR * 10000 + MINOR * 100 + PATCH, as cublasLtGetVersion() has it; 0: unknown. What the process
 * has loaded tells it, and not a file's name. cuBLAS brings cuBLASLt along, so that it is asked
 * first. */
static uint32_t version_of(const struct library_functions *functions)
{
	int part[3] = {0}; /* libraryPropertyType: MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL */
	if (functions->property == NULL)
		return functions->version != NULL ? (uint32_t)functions->version() : 0;
	for (int i = 0; i < 3; i++)
		if (functions->property(i, &part[i]) != 0 || part[i] < 0)
			return 0;
	return (uint32_t)(part[0] * 10000 + part[1] * 100 + part[2]);
}

void library_choose(const struct library_functions *functions,
					const struct contestant_library *request,
					struct contestant_library_reply *reply)
{
	reply->has_modes = functions->mode != NULL;
	reply->has_algorithms = functions->use != NULL && functions->algorithms != NULL;
	if (functions->mode != NULL)
		functions->mode((int)request->mode, request->thorough != 0);
	if (functions->use != NULL)
		functions->use(request->use);
	reply->algorithms = functions->algorithms != NULL ? functions->algorithms() : 1;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		int32_t value = LIBRARY_UNKNOWN;
		if (functions->fact != NULL)
			value = functions->fact(request->tell, facts[i].name);
		if (value == LIBRARY_UNKNOWN && i > 0) /* cuBLASLt's own word for it */
			value = 0;
		memcpy((char *)&reply->facts + facts[i].offset, &value, sizeof value);
	}
	reply->version = version_of(functions);
	reply->refused = functions->fact != NULL && functions->fact(request->tell, "refused") == 1;
}
