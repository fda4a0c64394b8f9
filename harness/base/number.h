/* Numbers that a user wrote: the whole text or nothing. */
#ifndef GEMMJUDGE_BASE_NUMBER_H
#define GEMMJUDGE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits, or 0x and hexadecimal digits; nothing before or after. */
bool number_whole(const char *text, uint64_t max, uint64_t *out);

/* A finite decimal number; nothing before or after. */
bool number_real(const char *text, double *out);

#endif
