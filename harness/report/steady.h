/* What a steady stream showed besides its times, in words. Internal to report/. */
#ifndef GEMMJUDGE_REPORT_STEADY_H
#define GEMMJUDGE_REPORT_STEADY_H

#include <stdio.h>

#include "base/strbuf.h"
#include "judgement/judgement.h"

/* A figure of a table, "-" where it is not known: "700", "1395", "0.1584". */
#define STEADY_FIGURE 16
const char *steady_watts(const struct timing_entry *entry, char out[STEADY_FIGURE]);
const char *steady_mhz(const struct timing_entry *entry, char out[STEADY_FIGURE]);
const char *steady_joules(const struct timing_entry *entry, char out[STEADY_FIGURE]);

/* "a product takes: 02_tiled.cu 0.1584 J (700 W, 1395 MHz), ..."; "" where nothing is known. */
void steady_energies(const struct timing_result *timing, struct strbuf *out);

/* "in bursts: 02_tiled.cu 179.2 us, ..."; "" where there were none. */
void steady_bursts(const struct timing_result *timing, struct strbuf *out);

/* "5 blocks of back-to-back calls each, after 6.1 s of warming up"; and when that was too short. ""
 * where the times are of no steady stream. */
void steady_blocks(const struct timing_result *timing, struct strbuf *out);

/* All of these as sentences, behind a table of a Markdown report. */
void steady_markdown(const struct timing_result *timing, FILE *out);

/* Whether power or clock still changed when blocks began to count. */
bool steady_unsettled(const struct timing_result *timing);
#define STEADY_UNSETTLED "power or clock still changed when the blocks began to count"

#endif
