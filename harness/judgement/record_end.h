/* What record.def's rows meant is over: the next one who includes it says what they become. */
#undef VALUE
#undef VALUE_AT
#undef SIZE_AT
#undef SEED
#undef SEED_AT
#undef NAMED
#undef DIMENSIONS
#undef PART
#undef SAME
#undef INSIDE
#undef LIST
#undef ARRAY_AT
#undef MADE
#undef OWN
#undef STORED
#undef FIELD
#undef RECORD_ALL
