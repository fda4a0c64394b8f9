/* links: base */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/strbuf.h"

Test(strbuf, grows)
{
	struct strbuf buf = {0};
	cr_expect_str_eq(strbuf_text(&buf), "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&buf, "%03d%s", i, i % 2 == 0 ? "," : ";");
	cr_expect_eq(buf.length, 4000);
	cr_expect_eq(strlen(strbuf_text(&buf)), 4000);
	cr_expect_eq(strncmp(strbuf_text(&buf), "000,001;002,", 12), 0);
	cr_expect_str_eq(strbuf_text(&buf) + 3992, "998,999;");
	strbuf_release(&buf);
	cr_expect_str_eq(strbuf_text(&buf), "");
}

Test(strbuf, takes_pieces_and_keeps_none)
{
	struct strbuf buf = {0};
	strbuf_add(&buf, "abc");
	strbuf_add_bytes(&buf, "defghi", 2);
	strbuf_add(&buf, "");
	cr_expect_str_eq(strbuf_text(&buf), "abcde");
	strbuf_setf(&buf, "%d", 7);
	cr_expect_str_eq(strbuf_text(&buf), "7", "what was there is gone");
	char *text = strbuf_detach(&buf);
	cr_assert_str_eq(text, "7");
	free(text);
	cr_expect_str_eq(strbuf_text(&buf), "", "and can be filled again");
	text = strbuf_detach(&buf);
	cr_assert_str_eq(text, "", "an empty text is one, too");
	free(text);
}

/* What nobody has memory for is not added, nor is anything behind it. */
Test(strbuf, remembers_that_memory_ran_out)
{
	struct strbuf buf = {0};
	strbuf_add(&buf, "before");
	strbuf_add_bytes(&buf, "x", SIZE_MAX);
	cr_expect(buf.failed);
	strbuf_add(&buf, "behind");
	strbuf_addf(&buf, "%d", 1);
	cr_expect_str_eq(strbuf_text(&buf), "before");
	cr_expect_null(strbuf_detach(&buf));
	cr_expect_not(buf.failed, "it is empty, and begins anew");
	strbuf_add_bytes(&buf, "x", PTRDIFF_MAX);
	cr_expect(buf.failed);
	strbuf_release(&buf);
	strbuf_addf(&buf, "%lc", (wint_t)0x7fffffff); /* is no character */
	cr_expect(buf.failed);
	strbuf_release(&buf);
}
