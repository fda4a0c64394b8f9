#include "store/pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* ---- which ------------------------------------------------------------------------ */

static bool suits(const struct measured *a, const struct measured *b, bool timed, bool one_device)
{
	return same(a->problem, b->problem) && (a->id == 0 || a->id != b->id) &&
		   (!one_device || same(a->device, b->device)) &&
		   (!timed || (a->time_count > 0 && b->time_count > 0));
}

bool pair_choose(const struct measured_list *a, const struct measured_list *b, bool one_device,
				 const struct measured **chosen_a, const struct measured **chosen_b)
{
	/* timed on one device, on one device, timed, any */
	for (int pass = 0; pass < (one_device ? 2 : 4); pass++)
		for (size_t i = a->count; i-- > 0;)
			for (size_t j = b->count; j-- > 0;) {
				if (!suits(&a->items[i], &b->items[j], pass % 2 == 0, pass < 2))
					continue;
				*chosen_a = &a->items[i];
				*chosen_b = &b->items[j];
				return true;
			}
	return false;
}

/* ---- times -------------------------------------------------------------------------- */

static const struct measured_time *time_at(const struct measured *run,
										   const struct measured_time *shape)
{
	for (size_t i = 0; i < run->time_count; i++)
		if (measured_same_shape(&run->times[i], shape))
			return &run->times[i];
	return NULL;
}

static void shapes_judge(struct pair *out)
{
	double sum = 0.0;
	for (size_t i = 0; i < out->shape_count; i++) {
		struct pair_shape *shape = &out->shapes[i];
		shape->difference = difference_of(shape->a, shape->b, out->shape_count);
		out->slower += shape->difference.kind == DIFFERENCE_SLOWER;
		out->faster += shape->difference.kind == DIFFERENCE_FASTER;
		sum += log(shape->difference.ratio);
	}
	if (out->shape_count > 0)
		out->mean = exp(sum / (double)out->shape_count);
}

static bool shapes_make(struct pair *out)
{
	out->shapes = calloc(out->a->time_count + 1, sizeof *out->shapes);
	for (size_t i = 0; i < out->a->time_count && out->shapes != NULL; i++) {
		const struct measured_time *b = time_at(out->b, &out->a->times[i]);
		if (b != NULL && out->a->times[i].median > 0.0 && b->median > 0.0)
			out->shapes[out->shape_count++] = (struct pair_shape){.a = &out->a->times[i], .b = b};
	}
	if (out->shapes != NULL)
		shapes_judge(out);
	return out->shapes != NULL;
}

/* ---- counters ------------------------------------------------------------------------ */

static bool one_kernel(const struct measured *run)
{
	for (size_t i = 1; i < run->counter_count; i++)
		if (!same(run->counters[0].kernel, run->counters[i].kernel))
			return false;
	return run->counter_count > 0;
}

/* Kernels are the same by their names, or as the only ones of both. */
static bool counters_make(struct pair *out)
{
	const struct measured *a = out->a, *b = out->b;
	bool only = one_kernel(a) && one_kernel(b);
	out->counted = a->counter_count > 0 && b->counter_count > 0;
	out->counters = calloc(a->counter_count + 1, sizeof *out->counters);
	for (size_t i = 0; i < a->counter_count && out->counters != NULL; i++)
		for (size_t j = 0; j < b->counter_count; j++)
			if (same(a->counters[i].name, b->counters[j].name) &&
				(only || same(a->counters[i].kernel, b->counters[j].kernel)) &&
				a->counters[i].value != b->counters[j].value)
				out->counters[out->counter_count++] =
					(struct pair_counter){&a->counters[i], &b->counters[j]};
	return out->counters != NULL;
}

/* ---- what else differs ----------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void note(struct pair *out, const char *format, ...)
{
	va_list args;
	if (out->note_count == PAIR_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(out->notes[out->note_count++], PAIR_NOTE, format, args);
	va_end(args);
}

static void note_text(struct pair *out, const char *what, const char *a, const char *b)
{
	if (!same(a, b))
		note(out, "%s differs: %.100s in %s, %.100s in %s", what, a[0] != '\0' ? a : "none",
			 out->names[0], b[0] != '\0' ? b : "none", out->names[1]);
}

/* Of what reports, or older stores, do not say. */
static void note_known(struct pair *out, const char *what, const char *a, const char *b)
{
	if (a[0] != '\0' && b[0] != '\0')
		note_text(out, what, a, b);
}

/* A library of one version is the same code in both runs: what it takes longer is the machine's. */
static void note_library(struct pair *out)
{
	double sum = 0.0;
	size_t count = 0;
	const char *label = "";
	for (size_t i = 0; i < out->shape_count; i++) {
		const struct measured_time *a = out->shapes[i].a, *b = out->shapes[i].b;
		if (!same(a->library, b->library) || !(a->library_microseconds > 0.0) ||
			!(b->library_microseconds > 0.0))
			continue;
		sum += log(b->library_microseconds / a->library_microseconds);
		label = count == 0 || same(label, a->library) ? a->library : "the library";
		count++;
	}
	double ratio = count > 0 ? exp(sum / (double)count) : 1.0;
	if (fabs(log(ratio)) > log(1.0 + DIFFERENCE_MARGIN))
		note(out, "%s itself took %.3f times as long in %s as in %s: that much is the machine's%s",
			 label, ratio, out->names[1], out->names[0],
			 same(measured_library(out->a), measured_library(out->b)) ? ""
																	  : ", or the other version's");
}

static void note_clocks(struct pair *out)
{
	for (size_t i = 0; i < out->shape_count; i++) {
		const struct measured_time *a = out->shapes[i].a, *b = out->shapes[i].b;
		double low = fmin(a->sm_clock_mhz, b->sm_clock_mhz);
		if (!(low > 0.0) || fabs(a->sm_clock_mhz - b->sm_clock_mhz) <= DIFFERENCE_MARGIN * low)
			continue;
		note(out, "the SM clock differs: %.0f MHz in %s, %.0f MHz in %s", a->sm_clock_mhz,
			 out->names[0], b->sm_clock_mhz, out->names[1]);
		break;
	}
	for (size_t i = 0; i < out->shape_count; i++)
		if (out->shapes[i].a->throttled || out->shapes[i].b->throttled) {
			note(out, "the GPU slowed down while %s was timed",
				 !out->shapes[i].b->throttled   ? out->names[0]
				 : !out->shapes[i].a->throttled ? out->names[1]
												: "each");
			break;
		}
	for (size_t i = 0; i < out->shape_count; i++)
		if (out->shapes[i].difference.clocks_differ) {
			note(out,
				 "not measured alike: %s in %s, %s in %s (span: on the device; event: with the "
				 "launch; host_side: of sealed calls; steady: back to back)",
				 out->shapes[i].a->clock, out->names[0], out->shapes[i].b->clock, out->names[1]);
			break;
		}
}

static void notes_make(struct pair *out)
{
	const struct measured *a = out->a, *b = out->b;
	note_text(out, "the device", a->device, b->device);
	note_text(out, "the driver", a->driver, b->driver);
	note_known(out, "nvcc", a->nvcc, b->nvcc);
	note_known(out, "the library", measured_library(a), measured_library(b));
	note_known(out, "the machine", a->host, b->host);
	note_known(out, "gemmjudge", a->commit, b->commit);
	note_text(out, "the epilogue", a->epilogue, b->epilogue);
	note_text(out, "--nvcc-flag", a->nvcc_flags, b->nvcc_flags);
	note_text(out, "the tolerance", a->tolerance, b->tolerance);
	note_clocks(out);
	note_library(out);
}

bool pair_make_named(const struct measured *a, const struct measured *b, const char *name_a,
					 const char *name_b, struct pair *out, struct error *err)
{
	*out = (struct pair){.a = a, .b = b, .names = {name_a, name_b}};
	bool good_a = verdict_is(a->verdict, VERDICT_ACCEPTED),
		 good_b = verdict_is(b->verdict, VERDICT_ACCEPTED);
	out->worse = good_a && !good_b;
	out->better = !good_a && good_b;
	if (!shapes_make(out) || !counters_make(out)) {
		pair_free(out);
		return error_set(err, "out of memory");
	}
	notes_make(out);
	return true;
}

bool pair_make(const struct measured *a, const struct measured *b, struct pair *out,
			   struct error *err)
{
	return pair_make_named(a, b, "A", "B", out, err);
}

void pair_free(struct pair *pair)
{
	free(pair->shapes);
	free(pair->counters);
	pair->shapes = NULL;
	pair->counters = NULL;
}
