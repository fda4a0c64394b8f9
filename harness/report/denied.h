/* What a file tried and the jail denied, as reports show it. */
#ifndef GEMMJUDGE_REPORT_DENIED_H
#define GEMMJUDGE_REPORT_DENIED_H

#include "base/strbuf.h"
#include "judgement/denied.h"

/* "socket AF_INET (3 times)". Gives out. */
#define DENIED_CALL_TEXT 160
const char *denied_call_print(const struct denied_call *call, char out[DENIED_CALL_TEXT]);

/* The first of them: "socket AF_INET (3 times), open /etc/passwd, and 4 more calls"; nothing where
 * it tried nothing. */
void denied_add_text(const struct denied_list *list, struct strbuf *out);

#endif
