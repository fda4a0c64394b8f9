/* A section of record.def as members of a table. Included after RECORD_<section> was defined, once
 * for each table; the compiler finds the type of a member. */
#define ROW_TYPE(member)                                                                           \
	_Generic(&((STRUCT *)NULL)->member,                                                            \
		char **: RECORD_STRING,                                                                    \
		bool *: RECORD_FLAG,                                                                       \
		int32_t *: RECORD_INT,                                                                     \
		uint32_t *: RECORD_UNSIGNED,                                                               \
		int64_t *: RECORD_LONG,                                                                    \
		uint64_t *: RECORD_SIZE,                                                                   \
		double *: RECORD_REAL,                                                                     \
		default: RECORD_TEXT)
#define ROW_SIZE(member) sizeof(((STRUCT *)NULL)->member)
#define ROW_COLUMN_NONE .column = NULL
#define ROW_COLUMN_TEXT(name) .column = #name
#define ROW_COLUMN_REAL(name) .column = #name, .column_is_real = true
#define ROW_COLUMN_INTEGER(name) .column = #name
#define ROW_COLUMN_LATER_TEXT(name) .column = #name
#define ROW_COLUMN_LATER_INTEGER(name) .column = #name
#define ROW_ALWAYS .rule = RECORD_ALWAYS
#define ROW_NULL_WITHOUT(m)                                                                        \
	.rule = RECORD_NULL, .when = offsetof(STRUCT, m), .when_size = ROW_SIZE(m)
#define ROW_ABSENT_WITHOUT(m)                                                                      \
	.rule = RECORD_ABSENT, .when = offsetof(STRUCT, m), .when_size = ROW_SIZE(m)
#define ROW_AT(what, m) .kind = what, .at = offsetof(STRUCT, m), .size = ROW_SIZE(m)
#define ROW_COUNT(m) .count_at = offsetof(STRUCT, m), .count_size = ROW_SIZE(m)

#define VALUE(declaration, member, rule, name, to, unit, sentence)                                 \
	{.json = #name, ROW_COLUMN_##to, ROW_AT(ROW_TYPE(member), member), ROW_##rule},
#define VALUE_AT(member, rule, name, to, unit, sentence)                                           \
	{.json = #name, ROW_COLUMN_##to, ROW_AT(ROW_TYPE(member), member), ROW_##rule},
#define SIZE_AT(member, name, to, sentence)                                                        \
	{.json = #name, ROW_COLUMN_##to, ROW_AT(RECORD_LENGTH, member)},
#define SEED(declaration, member, rule, name, to, sentence)                                        \
	{.json = #name, ROW_COLUMN_##to, ROW_AT(RECORD_SEED, member), ROW_##rule},
#define SEED_AT(member, name, to, sentence)                                                        \
	{.json = #name, ROW_COLUMN_##to, ROW_AT(RECORD_SEED, member)},
#define NAMED(declaration, member, of, rule, name, to, sentence)                                   \
	{.json = #name,                                                                                \
	 ROW_COLUMN_##to,                                                                              \
	 ROW_AT(RECORD_NAME, member),                                                                  \
	 ROW_##rule,                                                                                   \
	 .names = &names_of_##of},
#define DIMENSIONS(declaration, member, name, sentence)                                            \
	{.json = #name, ROW_AT(RECORD_DIMENSIONS, member)},
#define PART(declaration, member, section, rule, name, sentence)                                   \
	{.json = #name, ROW_AT(RECORD_PART, member), ROW_##rule, .record = &record_##section},
#define SAME(declaration, member, section)                                                         \
	{ROW_AT(RECORD_SAME, member), .record = &record_##section},
#define INSIDE(section, name, sentence)                                                            \
	{.json = #name, .kind = RECORD_INSIDE, .record = &record_##section},
#define LIST(declaration, member, number, section, rule, name, sentence)                           \
	{.json = #name,                                                                                \
	 ROW_AT(RECORD_LIST, member),                                                                  \
	 ROW_COUNT(number),                                                                            \
	 ROW_##rule,                                                                                   \
	 .record = &record_##section},
#define ARRAY_AT(member, number, section, rule, name, sentence)                                    \
	{.json = #name,                                                                                \
	 ROW_AT(RECORD_ARRAY, member),                                                                 \
	 ROW_COUNT(number),                                                                            \
	 ROW_##rule,                                                                                   \
	 .record = &record_##section},
#define MADE(name, type, to, unit, sentence)                                                       \
	{.json = #name, ROW_COLUMN_##to, .kind = RECORD_OWN, .write = NAME_OF(write, SECTION, name)},
#define OWN(name, type, to, unit, sentence)                                                        \
	{.json = #name,                                                                                \
	 ROW_COLUMN_##to,                                                                              \
	 .kind = RECORD_OWN,                                                                           \
	 .write = NAME_OF(write, SECTION, name),                                                       \
	 .read = NAME_OF(read, SECTION, name)},
#define STORED(declaration, member, to, sentence)                                                  \
	{ROW_COLUMN_##to, ROW_AT(ROW_TYPE(member), member)},
#define FIELD(declaration)
#include "judgement/record.def"
#undef ROW_TYPE
#undef ROW_SIZE
#undef ROW_COLUMN_NONE
#undef ROW_COLUMN_TEXT
#undef ROW_COLUMN_REAL
#undef ROW_COLUMN_INTEGER
#undef ROW_COLUMN_LATER_TEXT
#undef ROW_COLUMN_LATER_INTEGER
#undef ROW_ALWAYS
#undef ROW_NULL_WITHOUT
#undef ROW_ABSENT_WITHOUT
#undef ROW_AT
#undef ROW_COUNT
