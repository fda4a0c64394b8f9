#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 63

static int smallest(int a, int b)
{
	return a < b ? a : b;
}

/* Damerau-Levenshtein distance in its optimal-string-alignment form. */
static int edits_between(const char *a, const char *b)
{
	int rows[3][WORD_MAX + 1];
	int *before = rows[0], *above = rows[1], *row = rows[2];
	int length_a = (int)strlen(a), length_b = (int)strlen(b);
	for (int j = 0; j <= length_b; j++)
		above[j] = j;
	for (int i = 1; i <= length_a; i++) {
		row[0] = i;
		for (int j = 1; j <= length_b; j++) {
			int cost = a[i - 1] != b[j - 1];
			row[j] = smallest(smallest(above[j], row[j - 1]) + 1, above[j - 1] + cost);
			bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
			if (swapped)
				row[j] = smallest(row[j], before[j - 2] + 1);
		}
		int *free_row = before;
		before = above;
		above = row;
		row = free_row;
	}
	return above[length_b];
}

const char *suggest_nearest(const char *word, const char *const *names, size_t count)
{
	size_t length = strlen(word);
	if (length == 0 || length > WORD_MAX)
		return NULL;
	const char *nearest = NULL;
	/* a third of the letters may be wrong, three at most */
	int allowed = length < 3 ? 1 : smallest(3, (int)(length + 2) / 3);
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(names[i]);
		if (other > WORD_MAX)
			continue;
		int edits = edits_between(word, names[i]);
		/* the beginning of a longer name is meant before all: "gemm" is not "sgemm" */
		if (length >= 3 && strncmp(word, names[i], length) == 0)
			return names[i];
		if (edits > allowed || (nearest != NULL && edits == allowed))
			continue;
		nearest = names[i];
		allowed = edits;
	}
	return nearest;
}

const char *suggest_phrase(char out[160], const char *word, const char *const *names, size_t count)
{
	const char *nearest = suggest_nearest(word, names, count);
	out[0] = '\0';
	if (nearest != NULL)
		snprintf(out, 160, "; did you mean '%s'?", nearest);
	return out;
}

/* '_' as '-'; of a word without capitals, capitals do not matter. */
static bool letter_is(char wanted, char c, bool capitals)
{
	char plain = c == '_' ? '-' : capitals ? c : (char)tolower((unsigned char)c);
	return plain == wanted;
}

/* Whether it is the word of `length` letters, or begins as it where that ends in '*'. */
static bool word_is(const char *wanted, size_t length, const char *word)
{
	bool capitals = false, open = length > 1 && wanted[length - 1] == '*';
	for (size_t i = 0; i < length; i++)
		capitals = capitals || isupper((unsigned char)wanted[i]);
	length -= open;
	for (size_t i = 0; i < length; i++)
		if (word[i] == '\0' || !letter_is(wanted[i], word[i], capitals))
			return false;
	return open || word[length] == '\0';
}

bool suggest_means(const char *words, const char *word)
{
	for (const char *at = words; at != NULL && *at != '\0'; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		if (word_is(at, length, word))
			return word[0] != '\0';
		at += length;
	}
	return false;
}

const char *suggest_meant(char out[SUGGEST_TEXT], const char *name, const char *says)
{
	if (name == NULL)
		snprintf(out, SUGGEST_TEXT, ": %s", says);
	else
		snprintf(out, SUGGEST_TEXT, "; did you mean '%s'?%s%s%s", name, says != NULL ? " (" : "",
				 says != NULL ? says : "", says != NULL ? ")" : "");
	return out;
}

const char *suggest_meaning(char out[SUGGEST_TEXT], const struct meaning *rows, const char *word)
{
	out[0] = '\0';
	while (rows->words != NULL && !suggest_means(rows->words, word))
		rows++;
	return rows->words != NULL ? suggest_meant(out, rows->name, rows->says) : out;
}
