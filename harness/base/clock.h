/* Seconds, for durations and deadlines; and the date, for records. */
#ifndef GEMMJUDGE_BASE_CLOCK_H
#define GEMMJUDGE_BASE_CLOCK_H

/* Of a clock that nobody sets, from some moment on. Async-signal-safe. */
double clock_seconds(void);

/* Now, as "2026-11-23T05:19:07Z": ISO 8601, UTC. */
#define CLOCK_DATE 32
void clock_date(char out[CLOCK_DATE]);

#endif
