#include "client/libcurl.h"

#include <dlfcn.h>

bool libcurl_load(struct libcurl *out, struct error *err)
{
	out->library = dlopen(LIBCURL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (out->library == NULL)
		return error_set(err, "no " LIBCURL_LIBRARY ": install it (Debian: apt-get install "
							  "libcurl4)");
#define FIND(name)                                                                                 \
	if ((out->name = (__typeof__(out->name))dlsym(out->library, "curl_" #name)) == NULL)           \
		return error_set(err, LIBCURL_LIBRARY " has no curl_" #name);
	LIBCURL_FUNCTIONS(FIND)
#undef FIND
	return out->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ||
		   error_set(err, LIBCURL_LIBRARY " does not start");
}
