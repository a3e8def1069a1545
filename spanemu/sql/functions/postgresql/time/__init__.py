"""Date, timestamptz and interval: their texts, their arithmetic and their fields.

errors              errors of dates and times
fields              texts cut into fields, and the words that dates know
zones               time zones by the names that PostgreSQL accepts
date_time           the parts of a decoded date or timestamp
date_time_decoding  fields -> date, time of day and zone
interval_decoding   fields -> interval
text                input and output texts of date and timestamptz
interval_text       input and output texts of interval
    arithmetic          functions behind the operators
    iso_week            Julian days and ISO weeks
    parts               extract and date_trunc
    functions           the table
"""
