/* BLAKE2b is libsodium's. sodium_init() is not called: it opens a source of random numbers, for a
 * function that was 5% faster (890 MB/s instead of 850). */
#include "base/hash.h"

#include <sodium.h>
#include <stdint.h>
#include <string.h>

#define HASH_BYTES (HASH_DIGITS / 2)

_Static_assert(sizeof(crypto_generichash_state) == sizeof(struct hash) &&
				   _Alignof(crypto_generichash_state) <= _Alignof(struct hash),
			   "libsodium's state is a struct hash");

static crypto_generichash_state *state_of(struct hash *hash)
{
	return (crypto_generichash_state *)hash->state;
}

void hash_begin(struct hash *hash)
{
	crypto_generichash_init(state_of(hash), NULL, 0, HASH_BYTES);
}

void hash_add_length(struct hash *hash, size_t count)
{
	const uint64_t length = count;
	hash_add_part(hash, &length, sizeof length);
}

void hash_add_part(struct hash *hash, const void *bytes, size_t count)
{
	crypto_generichash_update(state_of(hash), bytes, count);
}

void hash_add(struct hash *hash, const void *bytes, size_t count)
{
	hash_add_length(hash, count);
	hash_add_part(hash, bytes, count);
}

void hash_add_text(struct hash *hash, const char *text)
{
	hash_add(hash, text, strlen(text));
}

void hash_end(struct hash *hash, char out[HASH_TEXT])
{
	unsigned char value[HASH_BYTES];
	crypto_generichash_final(state_of(hash), value, sizeof value);
	sodium_bin2hex(out, HASH_TEXT, value, sizeof value);
}
