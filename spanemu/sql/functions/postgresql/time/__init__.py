"""Date, timestamptz and interval: their texts, their arithmetic and their fields.

fields              texts cut into fields, and the words that dates know
zones               time zones by the names that PostgreSQL accepts
date_time           the parts of a decoded date or timestamp, Julian days and ISO weeks
date_time_decoding  fields -> date, time of day and zone
interval_decoding   fields -> interval
text                input and output texts
arithmetic          functions behind the operators
parts               extract and date_trunc
functions           the table
"""
