"""Functions and operators on JSONB.

access        members and elements, existence, kinds
containment   @> and <@
paths         jsonb_set, jsonb_insert, #-
edit          || - and jsonb_strip_nulls
build         to_jsonb, jsonb_build_array, jsonb_build_object
convert       spanner.int64_array and the like
documents     documents that functions return
functions     the table of the chapter
"""
