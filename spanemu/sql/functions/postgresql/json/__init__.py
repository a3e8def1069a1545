"""Functions and operators on JSONB.

access        members and elements, existence, kinds, @> and <@
convert       to_jsonb, jsonb_build_array, jsonb_build_object, spanner.int64_array and the like
edit          || - #- jsonb_set, jsonb_insert and jsonb_strip_nulls
functions     the table of the chapter
"""
