/* The members of a struct out of record.def: included between its braces, after RECORD_<section>
 * was defined. Included once for each struct. */
#define VALUE(declaration, member, rule, json, column, unit, sentence) declaration;
#define VALUE_AT(member, rule, json, column, unit, sentence)
#define SIZE_AT(member, json, column, sentence)
#define SEED(declaration, member, rule, json, column, sentence) declaration;
#define SEED_AT(member, json, column, sentence)
#define NAMED(declaration, member, names, rule, json, column, sentence) declaration;
#define DIMENSIONS(declaration, member, json, sentence) declaration;
#define PART(declaration, member, section, rule, json, sentence) declaration;
#define SAME(declaration, member, section) declaration;
#define INSIDE(section, json, sentence)
#define LIST(declaration, member, count, section, rule, json, sentence) declaration;
#define ARRAY_AT(member, count, section, rule, json, sentence)
#define MADE(json, type, column, unit, sentence)
#define OWN(json, type, column, unit, sentence)
#define STORED(declaration, member, column, sentence) declaration;
#define FIELD(declaration) declaration;
#include "judgement/record.def"
