/* What sealed calls said of times, in words. Internal to report/. */
#ifndef GEMMJUDGE_REPORT_SEAL_H
#define GEMMJUDGE_REPORT_SEAL_H

#include "base/strbuf.h"
#include "judgement/judgement.h"

/* "confirmed by sealed calls: 02_tiled.cu (host-side time 303 +-9.1 us), ..."; "" where nobody's
 * was. */
void seal_confirmed(const struct timing_result *timing, struct strbuf *out);

/* What there is to say of an entry whose time is not confirmed, though that was tried; "" where
 * there is nothing. */
void seal_doubt(const struct timing_entry *entry, bool span, struct strbuf *out);

#endif
