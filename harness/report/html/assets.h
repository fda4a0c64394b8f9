/* What the build takes from page.css and page.js (embed.cmake). For report/html/, and serve/, which
 * serves them. */
#ifndef GEMMJUDGE_REPORT_HTML_ASSETS_H
#define GEMMJUDGE_REPORT_HTML_ASSETS_H

extern const char html_style[], html_script[];
extern const char html_style_hash[], html_script_hash[]; /* "sha256-...", of the same bytes */

#endif
