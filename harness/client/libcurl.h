/* libcurl, which speaks HTTP and TLS: loaded when a client begins, so that all else works where it
 * is not installed. Internal to client/. */
#ifndef GEMMJUDGE_CLIENT_LIBCURL_H
#define GEMMJUDGE_CLIENT_LIBCURL_H

#include <curl/curl.h>

#include "base/error.h"

#define LIBCURL_LIBRARY "libcurl.so.4"

/* Its functions that we call, under their names without curl_. */
#define LIBCURL_FUNCTIONS(F)                                                                       \
	F(global_init)                                                                                 \
	F(easy_init)                                                                                   \
	F(easy_reset)                                                                                  \
	F(easy_setopt)                                                                                 \
	F(easy_perform)                                                                                \
	F(easy_getinfo)                                                                                \
	F(easy_strerror)                                                                               \
	F(easy_cleanup)                                                                                \
	F(slist_append)                                                                                \
	F(slist_free_all)

#define LIBCURL_MEMBER(name) __typeof__(curl_##name) *name;
struct libcurl {
	void *library;
	LIBCURL_FUNCTIONS(LIBCURL_MEMBER)
};

/* False with err where it is not installed. It stays loaded. */
bool libcurl_load(struct libcurl *out, struct error *err);

#endif
