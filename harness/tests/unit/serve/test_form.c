/* links: serve */
/* What forms send, in both encodings, well and badly formed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "serve/form.h"

static const char *header_of(const void *context, const char *name)
{
	return strcmp(name, "Content-Type") == 0 ? context : NULL;
}

static struct http_request request_of(const char *type, const char *body, size_t length)
{
	/* as http.c has it: with a 0 behind it, and no byte more */
	char *copy = malloc(length + 1);
	memcpy(copy, body, length);
	copy[length] = '\0';
	return (struct http_request){
		.body = copy, .length = length, .header = header_of, .context = type};
}

static void has(const struct http_request *request, const char *name, const char *want)
{
	json_t *got = form_field(request, name);
	if (want == NULL)
		cr_expect_null(got, "%s", name);
	else
		cr_expect_str_eq(got != NULL ? json_string_value(got) : "(none)", want);
	json_decref(got);
}

Test(form, encoded)
{
	static const char body[] = "source=a%0D%0Ab+%2B%26=&name=%41%zz&bad=%ff&x=%";
	struct http_request request =
		request_of("application/x-www-form-urlencoded", body, sizeof body - 1);
	json_t *text, *called;
	has(&request, "source", "a\nb +&=");
	has(&request, "name", "A%zz");
	has(&request, "bad", NULL);
	has(&request, "x", "%");
	has(&request, "ource", NULL);
	cr_expect_not(form_file(&request, "source", &text, &called));
	free((char *)request.body);
}

#define PART(head, content)                                                                        \
	"------b\r\nContent-Disposition: form-data; " head "\r\n\r\n" content "\r\n"
static const char parts[] =
	PART("name=\"source\"", "one\r\ntwo\r\n------by\n") PART("name=\"name\"", "")
		PART("name=\"file\"; filename=\"a%22b.cu\"\r\nContent-Type: text/plain", "\xc3\xbc\r\n")
			PART("name=\"none\"; filename=\"\"", "")
				PART("name=\"bad\"; filename=\"x\"", "\xff") "------b--\r\n";
static const char type[] = "multipart/form-data; boundary=----b";

Test(form, parts)
{
	struct http_request request = request_of(type, parts, sizeof parts - 1);
	json_t *text, *called;
	has(&request, "source", "one\ntwo\n------by\n");
	has(&request, "name", "");
	has(&request, "nam", NULL);
	cr_assert(form_file(&request, "file", &text, &called));
	cr_expect_str_eq(json_string_value(text), "\xc3\xbc\n");
	cr_expect_str_eq(json_string_value(called), "a\"b.cu");
	json_decref(text), json_decref(called);
	cr_expect_not(form_file(&request, "none", &text, &called));
	cr_expect(form_file(&request, "bad", &text, &called) && text == NULL);
	json_decref(called);
	free((char *)request.body);
}

/* Each beginning of it, with every byte of it changed: nothing outside is read. */
Test(form, cut_and_bent)
{
	for (size_t length = 0; length < sizeof parts; length++)
		for (int bent = 0; bent < 2; bent++) {
			struct http_request request = request_of(type, parts, length);
			json_t *text, *called;
			if (bent && length > 0)
				((char *)request.body)[length / 2] ^= 0x1f;
			json_decref(form_field(&request, "none"));
			if (form_file(&request, "bad", &text, &called)) {
				json_decref(text);
				json_decref(called);
			}
			free((char *)request.body);
		}
	static const char *const types[] = {"multipart/form-data", "multipart/form-data; boundary=",
										"multipart/form-data; boundary=\"\"", NULL};
	for (size_t i = 0; i < 4; i++) {
		struct http_request request = request_of(types[i], parts, sizeof parts - 1);
		has(&request, "source", NULL);
		free((char *)request.body);
	}
}
