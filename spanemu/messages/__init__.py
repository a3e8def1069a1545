"""Protocol buffer messages and enums that users define, as values of SQL.

A message is bytes in proto2's wire format; an enum value is its number. In reading order: `pool`
(descriptors to types; enum types), `message` (a message type), `field` (a field of a message type)
and `errors`. Not here: the messages of Spanner's own API, which `frontend` handles.
"""
