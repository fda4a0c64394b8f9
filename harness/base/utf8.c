#include "base/utf8.h"

#include <stdio.h>

static bool continues(char byte)
{
	return (byte & 0xC0) == 0x80;
}

size_t utf8_decode(const char *text, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* else it is overlong */
	const unsigned char first = (unsigned char)text[0];
	const size_t length = first < 0x80   ? 1
						  : first < 0xC0 ? 0
						  : first < 0xE0 ? 2
						  : first < 0xF0 ? 3
						  : first < 0xF8 ? 4
										 : 0;
	if (length <= 1) {
		*character = first;
		return length;
	}
	uint32_t value = first & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (!continues(text[i]))
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3Fu);
	}
	const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
	*character = value;
	return value < least[length] || value > 0x10FFFF || surrogate ? 0 : length;
}

/* Unicode 15: the general categories Cc, Zl and Zp, the properties Bidi_Control and
 * Default_Ignorable_Code_Point (DerivedCoreProperties.txt), the annotations of U+FFF9 and the
 * format controls of hieroglyphs. Sorted. */
static const uint32_t unseen[][2] = {
	{0x00, 0x08},       {0x0B, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},
	{0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
	{0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
	{0x3164, 0x3164},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool utf8_is_unseen(uint32_t character)
{
	if ((character & 0xFFFE) == 0xFFFE) /* noncharacters, two of each plane */
		return true;
	for (size_t i = 0; i < sizeof unseen / sizeof *unseen && character >= unseen[i][0]; i++)
		if (character <= unseen[i][1])
			return true;
	return false;
}

size_t utf8_escape(char out[UTF8_ESCAPE_BYTES], uint32_t character)
{
	return (size_t)snprintf(out, UTF8_ESCAPE_BYTES, character > 0xFFFF ? "\\U%08x" : "\\u%04x",
							(unsigned)character);
}
