/* The columns of a section of record.def, as they stand in CREATE TABLE: string literals, each with
 * a comma in front. Included after RECORD_<section> was defined, once for each table. */
#define RECORD_SQL_NONE
#define RECORD_SQL_TEXT(name) ", " #name " TEXT"
#define RECORD_SQL_REAL(name) ", " #name " REAL"
#define RECORD_SQL_INTEGER(name) ", " #name " INTEGER"
#define RECORD_SQL_LATER_TEXT(name)
#define RECORD_SQL_LATER_INTEGER(name)
#define VALUE(declaration, member, rule, json, column, unit, sentence) RECORD_SQL_##column
#define VALUE_AT(member, rule, json, column, unit, sentence) RECORD_SQL_##column
#define SIZE_AT(member, json, column, sentence) RECORD_SQL_##column
#define SEED(declaration, member, rule, json, column, sentence) RECORD_SQL_##column
#define SEED_AT(member, json, column, sentence) RECORD_SQL_##column
#define NAMED(declaration, member, names, rule, json, column, sentence) RECORD_SQL_##column
#define DIMENSIONS(declaration, member, json, sentence)
#define PART(declaration, member, section, rule, json, sentence)
#define SAME(declaration, member, section)
#define INSIDE(section, json, sentence)
#define LIST(declaration, member, count, section, rule, json, sentence)
#define ARRAY_AT(member, count, section, rule, json, sentence)
#define MADE(json, type, column, unit, sentence) RECORD_SQL_##column
#define OWN(json, type, column, unit, sentence) RECORD_SQL_##column
#define STORED(declaration, member, column, sentence) RECORD_SQL_##column
#define FIELD(declaration)
#include "judgement/record.def"
#undef RECORD_SQL_NONE
#undef RECORD_SQL_TEXT
#undef RECORD_SQL_REAL
#undef RECORD_SQL_INTEGER
#undef RECORD_SQL_LATER_TEXT
#undef RECORD_SQL_LATER_INTEGER
