#include "serve/microhttpd.h"

#include <dlfcn.h>

bool microhttpd_load(struct microhttpd *out, struct error *err)
{
	out->library = dlopen(MICROHTTPD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (out->library == NULL)
		return error_set(err, "no " MICROHTTPD_LIBRARY ": install it (Debian: apt-get install "
							  "libmicrohttpd12)");
#define FIND(name)                                                                                 \
	if ((out->name = (__typeof__(out->name))dlsym(out->library, "MHD_" #name)) == NULL)            \
		return error_set(err, MICROHTTPD_LIBRARY " has no MHD_" #name);
	MICROHTTPD_FUNCTIONS(FIND)
#undef FIND
	return true;
}
