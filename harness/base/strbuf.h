/* A text that grows while it is put together. All zero is an empty one.
 *
 * Where memory runs out nothing more is added, and `failed` says so from then on: whoever puts a
 * text together looks once, at its end. */
#ifndef GEMMJUDGE_BASE_STRBUF_H
#define GEMMJUDGE_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *bytes; /* `length` of them, and a NUL; NULL before anything is added */
	size_t length, capacity;
	bool failed;
};

/* Never NULL; valid until the next change. */
const char *strbuf_text(const struct strbuf *buf);

void strbuf_add(struct strbuf *buf, const char *text);
void strbuf_add_bytes(struct strbuf *buf, const char *bytes, size_t length);
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes it empty, and keeps its memory; and, at once, what it holds from then on. */
void strbuf_clear(struct strbuf *buf);
void strbuf_setf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, which is the caller's to free, and the buffer empty. NULL where memory ran out. */
char *strbuf_detach(struct strbuf *buf);

/* Frees what is there. The buffer is empty, and can be used again. */
void strbuf_release(struct strbuf *buf);

#endif
