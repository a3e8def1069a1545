"""Protocol buffer messages and enums that users define, as values of SQL.

A message is bytes in proto2's wire format, an enum value its number. In reading order: `pool`
(descriptors -> types), `message` (a message type), `field` (one of its fields), `enum`, `errors`.
Not the wire of Spanner's own API: that is `frontend`.
"""
