/* What sealed calls said of times, in words. Internal to report/. */
#ifndef GEMMJUDGE_REPORT_SEAL_H
#define GEMMJUDGE_REPORT_SEAL_H

#include "judgement/judgement.h"

/* "confirmed by sealed calls: 02_tiled.cu (host-side time 303 +-9.1 us), ..."; "" where nobody's
 * was. */
#define SEAL_LINE 1024
void seal_confirmed(const struct timing_result *timing, char out[SEAL_LINE]);

/* What there is to say of an entry whose time is not confirmed, though that was tried; "" where
 * there is nothing. */
void seal_doubt(const struct timing_entry *entry, bool span, char out[SEAL_LINE]);

#endif
