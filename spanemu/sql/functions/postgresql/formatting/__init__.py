"""to_char, to_number, to_date and to_timestamp, with all templates of PostgreSQL.

    number_template    the template of a number, parsed
    number_writer      to_char of a number
    number_reader      to_number
    date_template      the template of a date or timestamp, parsed
    date_writer        to_char of a timestamp or interval
    date_reader        fields of a text, by a template
    date_assembly      fields -> date and time
    functions          the table

Follows the section "Data type formatting functions" of PostgreSQL's manual, and PostgreSQL 15 where
the manual is silent. The locale is C: the decimal point is ".", the group separator ",", and the
currency symbol a blank.
"""
