/* BLAKE2b with 256 bits (RFC 7693) of pieces: what files and results are known by. Nobody can make
 * two things of one hash, so that equal hashes are the same thing. */
#ifndef GEMMJUDGE_BASE_HASH_H
#define GEMMJUDGE_BASE_HASH_H

#include <stddef.h>

#define HASH_DIGITS 64 /* hexadecimal, of lower case */
#define HASH_TEXT (HASH_DIGITS + 1)

struct hash {
	_Alignas(64) unsigned char state[384]; /* libsodium's */
};

void hash_begin(struct hash *hash);
/* Each piece goes in with its length, so that "ab", "c" differs from "a", "bc". */
void hash_add(struct hash *hash, const void *bytes, size_t count);
/* A piece in parts: its length first. */
void hash_add_length(struct hash *hash, size_t count);
void hash_add_part(struct hash *hash, const void *bytes, size_t count);
void hash_add_text(struct hash *hash, const char *text);
void hash_end(struct hash *hash, char out[HASH_TEXT]);

#endif
