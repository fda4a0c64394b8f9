/* What a row of forms/ says of an instruction's operands (forms.h), and whether they are it. */
#include <stdio.h>
#include <string.h>

#include "emulator/ptx/forms.h"

#define TYPES_MOST 4
#define LANES 32
#define GROUP_LANES 128 /* of a wgmma */
#define OCTET_LANES 8   /* mma.m8n8k4 of f16 is four products, each of eight lanes */

/* ------------------------------------------------------------------------
 * The parts that operands follow from */

struct operand_parts {
	enum ptx_type types[TYPES_MOST];
	int count;
	int vector;     /* .v2, .v4, .v8; 1 */
	int matrices;   /* .x1, .x2, .x4; 1 */
	int dimensions; /* .1d to .5d; 0 */
	int m, n, k;    /* .m16n8k16 */
	bool sparse;
	bool is_narrow; /* a state space whose addresses may be of 32 bits */
};

/* Of .shared::cta, too. */
static bool is_narrow_space(const char *part)
{
	static const char *const names[] = {"shared", "const", "local", "param"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const size_t length = strlen(names[i]);
		if (strncmp(part, names[i], length) == 0 && (!part[length] || part[length] == ':'))
			return true;
	}
	return false;
}

static void read_part(struct operand_parts *parts, const char *part)
{
	const enum ptx_type type = ptx_type_named(part);
	if (type != PTX_NONE && parts->count < TYPES_MOST)
		parts->types[parts->count++] = type;
	else if (part[0] == 'm' && part[1] >= '1' && part[1] <= '9')
		sscanf(part, "m%3dn%3dk%3d", &parts->m, &parts->n, &parts->k);
	else if (part[0] == 'v' && part[1] >= '2' && part[1] <= '8' && !part[2])
		parts->vector = part[1] - '0';
	else if (part[0] == 'x' && part[1] >= '1' && part[1] <= '8' && !part[2])
		parts->matrices = part[1] - '0';
	else if (part[0] >= '1' && part[0] <= '5' && part[1] == 'd' && !part[2])
		parts->dimensions = part[0] - '0';
	else if (strncmp(part, "sp", 2) == 0 && (!part[2] || part[2] == ':'))
		parts->sparse = true;
	else
		parts->is_narrow |= is_narrow_space(part);
}

static struct operand_parts parts_of(const struct ptx_instruction *in)
{
	struct operand_parts parts = {.vector = 1, .matrices = 1};
	for (uint32_t i = 1; i < in->part_count; i++)
		read_part(&parts, in->parts[i]);
	return parts;
}

static int bits_of(enum ptx_type type)
{
	if (type == PTX_PRED || type == PTX_B1)
		return 1;
	return type == PTX_S4 || type == PTX_U4 ? 4 : (int)ptx_type_size(type) * 8;
}

static enum ptx_type first_type(const struct operand_parts *parts)
{
	return parts->types[0];
}

static enum ptx_type last_type(const struct operand_parts *parts)
{
	return parts->types[parts->count ? parts->count - 1 : 0];
}

/* ------------------------------------------------------------------------
 * Fragments of matrices */

static enum ptx_type fragment_type(const struct operand_parts *parts, char which)
{
	if (which == 'D' || parts->count == 1)
		return first_type(parts);
	if (which == 'C')
		return last_type(parts);
	return parts->count == 2 ? PTX_F16 : parts->types[which == 'A' ? 1 : 2];
}

/* The registers that one lane holds: the elements of the matrix are shared out evenly. The f16
 * factors of a wmma are the exception, which have elements twice. */
static void expect_fragment(struct ptx_expected *out, const struct ptx_instruction *in,
							const struct operand_parts *parts, char which)
{
	const enum ptx_type type = fragment_type(parts, which);
	const bool is_factor = which == 'A' || which == 'B',
			   is_wmma = strcmp(in->parts[0], "wmma") == 0;
	int elements = which == 'A'   ? parts->m * parts->k / (parts->sparse ? 2 : 1)
				   : which == 'B' ? parts->k * parts->n
								  : parts->m * parts->n * parts->matrices;
	int lanes = strcmp(in->parts[0], "wgmma") == 0 ? GROUP_LANES : LANES;
	if (strcmp(in->parts[0], "mma") == 0 && parts->k == 4 && parts->m == 8 && parts->count == 4 &&
		parts->types[1] == PTX_F16)
		lanes = OCTET_LANES;
	if (is_wmma && is_factor && type == PTX_F16)
		elements = 16 * LANES;
	out->is_vector = true;
	out->no_integer = ptx_type_is_float(type);
	out->bits = type == PTX_F64 ? 64 : 32;
	out->least = out->most = (uint8_t)(elements * (type ? bits_of(type) : 8) / lanes / out->bits);
}

/* ------------------------------------------------------------------------
 * Items of a row */

static void expect_registers(struct ptx_expected *out, const struct operand_parts *parts,
							 enum ptx_type type)
{
	out->bits = (uint8_t)bits_of(type);
	out->least = out->most = (uint8_t)parts->vector;
	out->is_vector = parts->vector > 1;
	out->no_integer = ptx_type_is_float(type) && !out->is_vector;
	out->no_number = ptx_type_name(type)[0] == 'u' || ptx_type_name(type)[0] == 's';
}

static void expect_vector(struct ptx_expected *out, int bits, int least, int most)
{
	*out = (struct ptx_expected){.what = out->what, .item = out->item, .is_vector = true};
	out->bits = (uint8_t)bits;
	out->least = (uint8_t)least;
	out->most = (uint8_t)most;
}

/* `item`: one letter of forms.h, and what follows it. */
static struct ptx_expected expect(const struct ptx_instruction *in,
								  const struct operand_parts *parts, const char *item,
								  bool is_first)
{
	struct ptx_expected out = {.what = item[0], .item = item, .least = 1, .most = 1};
	switch (item[0]) {
	case 'd':
	case 'e': expect_registers(&out, parts, first_type(parts)); break;
	case 'a':
	case 'b':
	case 'c':
	case 'm': expect_registers(&out, parts, last_type(parts)); break;
	case 'w':
	case 'y': out.bits = (uint8_t)(2 * bits_of(first_type(parts))); break;
	case 'p':
	case 'q': out.bits = 1; break;
	case 'h': out.bits = 16; break;
	case 'n':
	case 'r':
	case 'f': out.bits = 32; break;
	case 'x': out.bits = 64; break;
	case 'k': expect_vector(&out, 32, parts->dimensions, parts->dimensions); break;
	case 't': expect_vector(&out, 32, parts->dimensions, 4); break;
	case 'o': expect_vector(&out, 16, parts->dimensions - 2, parts->dimensions - 2); break;
	case 'v': expect_vector(&out, 0, 2, 4); break;
	case 'A':
	case 'B':
	case 'C':
	case 'D': expect_fragment(&out, in, parts, item[0]); break;
	default: break;
	}
	const char *end = item + strcspn(item, "<,/?");
	out.range = *end == '<' ? end : NULL;
	out.wider = item[1] == '>';
	out.is_pair = item[1] == '|';
	out.is_result =
		strchr("dnwp", item[0]) != NULL || (is_first && strchr("DABv", item[0]) != NULL);
	out.no_register = strchr("ij_", item[0]) != NULL;
	out.no_number |= strchr("ihrxksj_", item[0]) != NULL;
	out.no_integer |= strchr("fsj_", item[0]) != NULL;
	return out;
}

/* The letters of an item, `d/d|p`: each is a way that the operand can be. */
static void add_item(struct ptx_expectation *to, const struct ptx_instruction *in,
					 const struct operand_parts *parts, const char *item)
{
	const size_t length = strcspn(item, ",?");
	const bool is_first = to->count == 0;
	bool another = true;
	for (const char *end = item + length; another && to->count < PTX_EXPECTED_MOST;) {
		struct ptx_expected *out = &to->expected[to->count++];
		const char *next = memchr(item, '/', (size_t)(end - item));
		if (item[0] == '[') {
			*out = (struct ptx_expected){.what = '[', .item = item};
			out->least = out->most = (uint8_t)(strcspn(item, "]") - 1);
			out->bits = item[1] == 'x' && !parts->is_narrow ? 64 : 0;
		} else
			*out = expect(in, parts, item, is_first);
		another = out->or_next = next != NULL;
		item = another ? next + 1 : item;
	}
}

static size_t count_items(const char *items, char separator)
{
	size_t count = 0;
	for (; *items; items++)
		count += *items == separator;
	return count;
}

void ptx_expect_operands(struct ptx_expectation *out, const struct ptx_instruction *in,
						 const struct ptx_match *match)
{
	const char *operands = match->form->operands;
	const struct operand_parts parts = parts_of(in);
	const size_t most = operands[0] ? count_items(operands, ',') + 1 : 0;
	size_t optional = count_items(operands, '?');
	size_t missing = most + strlen(match->more) - in->operand_count;
	*out = (struct ptx_expectation){.dimensions = parts.dimensions};
	for (const char *item = operands; most && item != NULL;) {
		const char *comma = strchr(item, ',');
		const char *mark = strchr(item, '?');
		const bool is_optional = mark != NULL && (comma == NULL || mark < comma);
		if (!is_optional || optional > missing)
			add_item(out, in, &parts, item);
		else
			missing--;
		optional -= is_optional;
		item = comma != NULL ? comma + 1 : NULL;
	}
	for (const char *more = match->more; *more; more++)
		add_item(out, in, &parts, *more == 'h' ? "h" : *more == 'q' ? "q" : "x");
}

/* ------------------------------------------------------------------------
 * Operands */

static bool register_fits(const struct ptx_expected *expected, enum ptx_type type)
{
	const int bits = bits_of(type);
	return bits == expected->bits || !expected->bits || (expected->wider && bits > expected->bits);
}

/* A register of the GPU is read as what it is, or in part. */
static bool special_fits(const struct ptx_expected *expected, const struct ptx_operand *operand)
{
	const struct ptx_special *special = ptx_special_named(operand->name);
	return expected->what == 'm' && special != NULL &&
		   (special->bits & expected->bits || (expected->bits == 16 && special->bits & 32));
}

static bool value_fits(const struct ptx_expected *expected, const struct ptx_operand *operand)
{
	const bool is_source = !expected->is_result;
	if (operand->has_selector || (operand->negated && (expected->bits != 1 || !is_source)))
		return false;
	switch (operand->kind) {
	case PTX_OP_REGISTER: return !expected->no_register && register_fits(expected, operand->type);
	case PTX_OP_INTEGER:
		return is_source && !expected->no_integer &&
			   (expected->range == NULL || ptx_range_has(expected->range, (long)operand->integer));
	case PTX_OP_FLOAT: return is_source && !expected->no_number;
	case PTX_OP_SPECIAL: return special_fits(expected, operand);
	case PTX_OP_SINK: return expected->what == '_' || (expected->is_vector && expected->is_result);
	case PTX_OP_VARIABLE:
	case PTX_OP_FUNCTION: return expected->what == 's';
	case PTX_OP_LABEL: return expected->what == 'j';
	default: return false;
	}
}

/* The registers of a vector that is one value: their sizes add up to it. */
static bool packs(const struct ptx_operand *vector, int bits)
{
	for (uint32_t i = 0; i < vector->count; i++) {
		const struct ptx_operand *item = &vector->items[i];
		if (item->kind == PTX_OP_REGISTER && bits_of(item->type) * (int)vector->count != bits)
			return false;
	}
	return true;
}

static bool vector_fits(const struct ptx_expected *expected, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OP_VECTOR || operand->count < expected->least ||
		operand->count > expected->most)
		return false;
	for (uint32_t i = 0; i < operand->count; i++)
		if (!value_fits(expected, &operand->items[i]))
			return false;
	return true;
}

static bool address_fits(const struct ptx_expected *expected, const struct ptx_operand *operand,
						 int dimensions)
{
	if (operand->kind != PTX_OP_ADDRESS || operand->count != expected->most)
		return false;
	const struct ptx_operand *base = &operand->items[0];
	if (base->has_selector)
		return false;
	if (expected->bits && base->kind == PTX_OP_REGISTER && bits_of(base->type) != expected->bits)
		return false;
	for (uint32_t i = 1; i < operand->count; i++) {
		struct ptx_expected item = {.what = expected->item[i + 1], .item = ""};
		if (item.what != 'k' && item.what != 't')
			continue;
		expect_vector(&item, 32, dimensions, item.what == 'k' ? dimensions : 4);
		const bool is_one =
			item.what == 't' && dimensions == 1 && operand->items[i].kind != PTX_OP_VECTOR;
		if (is_one ? !value_fits(&item, &operand->items[i])
				   : !vector_fits(&item, &operand->items[i]))
			return false;
	}
	return true;
}

static bool pair_fits(const struct ptx_expected *expected, const struct ptx_operand *operand)
{
	const struct ptx_expected second = {.what = 'p', .item = "", .bits = 1, .is_result = true};
	if (operand->kind != PTX_OP_PAIR)
		return false;
	const struct ptx_operand *a = &operand->items[0], *b = &operand->items[1];
	return (a->kind == PTX_OP_SINK || value_fits(expected, a)) &&
		   (b->kind == PTX_OP_SINK || value_fits(&second, b));
}

static bool fits(const struct ptx_expected *expected, const struct ptx_operand *operand,
				 const struct ptx_instruction *in, int dimensions)
{
	if (expected->what == 'l')
		return true;
	if (expected->what == '[')
		return address_fits(expected, operand, dimensions);
	if (expected->is_pair)
		return pair_fits(expected, operand);
	if (expected->is_vector)
		return vector_fits(expected, operand) &&
			   (expected->what != 'v' ||
				packs(operand, bits_of(ptx_type_named(in->parts[in->part_count - 1]))));
	if (operand->kind == PTX_OP_VECTOR && operand->count == 1 && expected->wider)
		operand = &operand->items[0];
	return value_fits(expected, operand);
}

int ptx_misfit(const struct ptx_expectation *expectation, const struct ptx_instruction *in)
{
	int at = 0;
	for (uint32_t i = 0; i < in->operand_count && at < expectation->count; i++) {
		bool fit = false;
		for (bool more = true; more; at++) {
			const struct ptx_expected *expected = &expectation->expected[at];
			fit = fit || fits(expected, &in->operands[i], in, expectation->dimensions);
			more = expected->or_next;
		}
		if (!fit)
			return (int)i;
	}
	return -1;
}

/* ------------------------------------------------------------------------
 * Messages */

static int describe_one(const struct ptx_expected *expected, char *to, size_t size)
{
	if (expected->what == 'i')
		return snprintf(to, size, "a constant %.*s",
						expected->range != NULL ? (int)strcspn(expected->range, ">") + 1 : 0,
						expected->range != NULL ? expected->range : "");
	if (expected->what == '[')
		return snprintf(to, size, "an address of the form %.*s", (int)expected->most + 2,
						expected->item);
	if (expected->what == '_')
		return snprintf(to, size, "_");
	if (expected->what == 's' || expected->what == 'j')
		return snprintf(to, size, expected->what == 's' ? "a variable" : "a label");
	if (expected->what == 'v')
		return snprintf(to, size, "registers that together have the size of the type");
	if (expected->is_vector && expected->least == expected->most)
		return snprintf(to, size, "{%u of %u bits}", expected->most, expected->bits);
	if (expected->bits == 1)
		return snprintf(to, size, "a predicate");
	return snprintf(to, size, "%u bits%s%s", expected->bits, expected->wider ? " or wider" : "",
					expected->is_pair ? "|a predicate" : "");
}

void ptx_describe(const struct ptx_expectation *expectation, int operand, char *to, size_t size)
{
	const struct ptx_expected *expected = expectation->expected;
	size_t used = 0;
	for (; operand > 0; expected++)
		operand -= !expected->or_next;
	for (bool more = true; more && used < size; expected++) {
		more = expected->or_next;
		used += (size_t)describe_one(expected, to + used, size - used);
		if (more && used < size)
			used += (size_t)snprintf(to + used, size - used, " or ");
	}
}
