#include "serve/framing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct headers {
	size_t lengths, encodings, hosts;
	const char *length, *encoding;
	bool odd;
};

/* A name has no blank, which some readers take off; and nothing has a zero, which ends some. */
static bool is_odd(const char *name, size_t name_length, const char *value, size_t value_length)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								   "!#$%&'*+-.^_`|~";
	return name_length == 0 || strspn(name, of_names) != name_length ||
		   (value != NULL && strnlen(value, value_length) != value_length);
}

/* Whether it is this header. One that goes on in a second line, as nobody writes it any more,
 * reaches us with that behind its name: it counts as odd. */
static bool is_named(struct headers *headers, const char *name, const char *wanted)
{
	const size_t length = strlen(wanted);
	if (strncasecmp(name, wanted, length) != 0)
		return false;
	headers->odd = headers->odd || name[length] != '\0';
	return name[length] == '\0';
}

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
								   size_t name_length, const char *value, size_t value_length)
{
	struct headers *headers = context;
	(void)kind;
	headers->odd = headers->odd || is_odd(name, name_length, value, value_length);
	if (is_named(headers, name, "Content-Length")) {
		headers->lengths++;
		headers->length = value;
	} else if (is_named(headers, name, "Transfer-Encoding")) {
		headers->encodings++;
		headers->encoding = value;
	}
	headers->hosts += strcasecmp(name, "Host") == 0;
	return MHD_YES;
}

/* Whether an escape of it is a zero, behind which nobody else reads on. */
static bool has_zero(const char *address)
{
	return strstr(address, "%00") != NULL;
}

bool framing_read(const struct microhttpd *mhd, struct MHD_Connection *connection,
				  const char *address, const char *version, struct framing *out, struct error *err)
{
	struct headers headers = {.odd = false};
	mhd->get_connection_values_n(connection, MHD_HEADER_KIND, take_header, &headers);
	out->chunked = headers.encodings > 0;
	out->length = headers.length != NULL ? strtoull(headers.length, NULL, 10) : 0;
	if (headers.encodings > 0 && headers.lengths > 0)
		return error_set(err, "Content-Length and Transfer-Encoding exclude each other");
	if (headers.lengths > 1 || headers.encodings > 1 || headers.hosts > 1)
		return error_set(err, "Content-Length, Transfer-Encoding and Host may be there once");
	if (headers.encodings > 0 &&
		(headers.encoding == NULL || strcasecmp(headers.encoding, "chunked") != 0 ||
		 strcmp(version, "HTTP/1.1") != 0))
		return error_set(err, "Transfer-Encoding may be 'chunked', in HTTP/1.1");
	if (headers.lengths > 0 && (headers.length == NULL || headers.length[0] == '\0' ||
								headers.length[strspn(headers.length, "0123456789")] != '\0'))
		return error_set(err, "Content-Length has other characters than digits");
	if (headers.odd)
		return error_set(err,
						 "a header has a blank in its name, two lines, or a character of code 0");
	return !has_zero(address) || error_set(err, "the address has a character of code 0");
}
