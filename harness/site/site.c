#include "site/site.h"

#include "site/folder.h"
#include "site/pages.h"

static bool index_write(struct folder *folder, const struct site *site, struct error *err)
{
	FILE *page = folder_page(folder, "index.html", err);
	if (page == NULL)
		return false;
	pages_index_print(page, site);
	return folder_end_page(folder, err);
}

static bool field_write(struct folder *folder, const struct site *site, const struct field *field,
						struct error *err)
{
	FILE *page = folder_page(folder, field->page, err);
	if (page == NULL)
		return false;
	field_print(page, site, field);
	return folder_end_page(folder, err);
}

static bool submission_write(struct folder *folder, const struct site *site,
							 const struct page_submission *submission, struct error *err)
{
	FILE *page = folder_page(folder, submission->page, err);
	if (page == NULL)
		return false;
	return submission_print(page, site, submission) ? folder_end_page(folder, err)
													: error_set(err, "out of memory");
}

/* The first page first: it is put in place last. */
static bool pages_write(struct folder *folder, const struct site *site, struct error *err)
{
	bool ok = index_write(folder, site, err);
	for (size_t i = 0; i < site->field_count && ok; i++)
		ok = field_write(folder, site, &site->fields[i], err);
	for (size_t i = 0; i < site->submission_count && ok; i++)
		ok = submission_write(folder, site, &site->submissions[i], err);
	return ok && folder_finish(folder, err);
}

bool site_write(const char *path, const struct leaderboard *all, const char *version, size_t *pages,
				struct error *err)
{
	struct site site;
	struct folder folder;
	if (!site_make(all, version, &site))
		return error_set(err, "out of memory");
	bool ok = folder_open(path, &folder, err);
	if (ok) {
		ok = pages_write(&folder, &site, err);
		*pages = folder.count;
		folder_close(&folder);
	}
	site_free(&site);
	return ok;
}
