"""Errors of the queries that read change streams, in the order in which they are checked."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class StartMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "start_timestamp must not be null."


class StartTooOld(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is too far in the past. Please specify a start_timestamp "
        "within the earliest read timestamp: {earliest}. Received start_timestamp: {start}."
    )
    earliest: str
    start: str


class StartTooLate(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is too far in the future. Please specify a start_timestamp "
        "within the earliest read timestamp: {earliest}, and the current maximum start timestamp: "
        "{latest}. Received start_timestamp: {start}."
    )
    earliest: str
    latest: str
    start: str


class EndBeforeStart(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received "
        "start_timestamp: {start}, end_timestamp: {end}."
    )
    start: str
    end: str


class MutableEndMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "end_timestamp must not be null for change stream {stream}, whose partition_mode is "
        "MUTABLE_KEY_RANGE."
    )
    stream: str


class MutableWindowTooLong(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "end_timestamp must be at most {minutes} minutes after start_timestamp for change stream "
        "{stream}, whose partition_mode is MUTABLE_KEY_RANGE. Received start_timestamp: {start}, "
        "end_timestamp: {end}."
    )
    stream: str
    minutes: int
    start: str
    end: str


class HeartbeatMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "heartbeat_milliseconds must not be null."


class HeartbeatOutOfRange(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "heartbeat_milliseconds must be within min {least} and max {most}. Received "
        "heartbeat_milliseconds: {given}."
    )
    least: int
    most: int
    given: int


class ReadOptionsGiven(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "read_options must be null."


class TokenUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Specified partition_token is invalid, as it does not belong to the Change Stream "
        "associated with the TVF. Received partition_token: {token}."
    )
    token: str


class PartitionExpired(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "This partition is no longer valid. All Change Stream records associated with this "
        "partition have expired and have been deleted, as specified by the Change Stream "
        "retention period."
    )


class RecordsExpired(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "The query fell behind the retention period of change stream {stream}: it had read up to "
        "{position}, and records before {earliest} are no longer available."
    )
    stream: str
    position: str
    earliest: str


class StartOutsidePartition(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp "
        "within {start} and {end}. Received start_timestamp: {given}."
    )
    start: str
    end: str
    given: str


class TooManyReaders(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = (
        "{limit} queries read partition {token} of change stream {stream} at present; no more may."
    )
    limit: int
    token: str
    stream: str


class ReadStreamNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Change stream not found: {stream}"
    stream: str


class PositionUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The resume token is invalid: its position in change stream {stream} is malformed."
    stream: str


class ClockSetBack(SpannerError, code=Code.ABORTED):
    prose = (
        "The clock was set back while change stream {stream} was read: changes to come would be "
        "earlier than records and heartbeats that were returned. Start the reading again."
    )
    stream: str
