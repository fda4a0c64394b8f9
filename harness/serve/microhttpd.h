/* libmicrohttpd, which speaks HTTP: loaded when a server starts, so that all else works where it is
 * not installed. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_MICROHTTPD_H
#define GEMMJUDGE_SERVE_MICROHTTPD_H

#include <microhttpd.h>

#include "base/error.h"

#define MICROHTTPD_LIBRARY "libmicrohttpd.so.12"

/* Its functions that we call, under their names without MHD_. */
#define MICROHTTPD_FUNCTIONS(F)                                                                    \
	F(start_daemon)                                                                                \
	F(stop_daemon)                                                                                 \
	F(get_connection_values_n)                                                                     \
	F(lookup_connection_value_n)                                                                   \
	F(get_connection_info)                                                                         \
	F(queue_response)                                                                              \
	F(create_response_from_buffer)                                                                 \
	F(create_response_from_callback)                                                               \
	F(add_response_header)                                                                         \
	F(destroy_response)                                                                            \
	F(suspend_connection)                                                                          \
	F(resume_connection)

#define MICROHTTPD_MEMBER(name) __typeof__(MHD_##name) *name;
struct microhttpd {
	void *library;
	MICROHTTPD_FUNCTIONS(MICROHTTPD_MEMBER)
};

/* False with err where it is not installed. It stays loaded. */
bool microhttpd_load(struct microhttpd *out, struct error *err);

#endif
