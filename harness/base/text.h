/* Text that grows. */
#ifndef GEMMJUDGE_BASE_TEXT_H
#define GEMMJUDGE_BASE_TEXT_H

#include <stdbool.h>

/* Appends to *text, which is NULL or from malloc(), and the caller's to free. False
 * when memory runs out; *text is then as before. */
bool text_append(char **text, const char *more);

#endif
