"""Values of PROTO and ENUM columns, and the order of ENUM keys."""

from base64 import b64encode

import pytest
from google.protobuf import timestamp_pb2
from google.protobuf.descriptor_pb2 import (
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from google.type import date_pb2

from tests.conformance.raw import FP, insert, keys, on_both, refused, writes

PRESSED = b64encode(bytes([8, 42])).decode()  # Song.year = 42


def descriptors():
    """Return types that columns may have: music.Song and music.Mood."""
    file = FileDescriptorProto(name="music.proto", package="music", syntax="proto2")
    song = file.message_type.add(name="Song")
    song.field.add(
        name="year",
        number=1,
        label=FieldDescriptorProto.LABEL_OPTIONAL,
        type=FieldDescriptorProto.TYPE_INT64,
    )
    mood = file.enum_type.add(name="Mood")
    for name, number in (("SLOW", 0), ("FAST", 7), ("DARK", 2)):
        mood.value.add(name=name, number=number)
    return FileDescriptorSet(file=[file]).SerializeToString()


@pytest.fixture
def session(raw):
    raw.ddl(
        "CREATE PROTO BUNDLE (music.Song, music.Mood)",
        "CREATE TABLE Songs (Id INT64, Song music.Song, Mood music.Mood,"
        " Songs ARRAY<music.Song>, Moods ARRAY<music.Mood>) PRIMARY KEY (Id)",
        "CREATE TABLE Moods (Mood music.Mood) PRIMARY KEY (Mood DESC)",
        protos=descriptors(),
    )
    return raw.session()


@on_both
def test_protos_are_encoded_in_base64(session):
    session.commit(
        None, insert("Songs", "Id Song Songs", (1, PRESSED, [PRESSED, None]), (2, "", []))
    )
    assert session.rows("Songs", "Song Songs") == [[PRESSED, [PRESSED, None]], ["", []]]


@on_both
def test_a_proto_that_is_not_base64_is_refused(session):
    with refused(FP):
        session.commit(None, insert("Songs", "Id Song", (1, "not base64!")))


@on_both
def test_enums_are_encoded_as_their_numbers(session):
    session.commit(
        None, insert("Songs", "Id Mood Moods", (1, 7, ["2", None, "0"]), (2, None, None))
    )
    assert session.rows("Songs", "Mood Moods") == [["7", ["2", None, "0"]], [None, None]]


@on_both
@pytest.mark.parametrize("value", ["FAST", "7.0", 7.0, True, ""])
def test_names_of_enums_are_refused(session, value):
    with refused(FP):
        session.commit(None, writes("insert_or_update", "Songs", "Id Mood", (1, value)))


@on_both
def test_keys_of_enums_come_in_the_order_of_numbers(session):
    session.commit(None, insert("Moods", "Mood", (2,), (None,), (7,), (0,)))
    assert session.rows("Moods", "Mood") == [["7"], ["2"], ["0"], [None]]
    assert session.rows("Moods", "Mood", keys(2, 7)) == [["7"], ["2"]]


@on_both
def test_messages_of_google_may_be_in_a_bundle(raw):
    files = FileDescriptorSet()
    for module in (timestamp_pb2, date_pb2):
        module.DESCRIPTOR.CopyToProto(files.file.add())
    raw.ddl(
        "CREATE PROTO BUNDLE (google.protobuf.Timestamp, google.type.Date)",
        "CREATE TABLE T (Id INT64, Ts google.protobuf.Timestamp, D google.type.Date)"
        " PRIMARY KEY (Id)",
        protos=files.SerializeToString(),
    )
    session = raw.session()
    moment = b64encode(timestamp_pb2.Timestamp(seconds=5).SerializeToString()).decode()
    day = b64encode(date_pb2.Date(year=2024, month=1, day=2).SerializeToString()).decode()
    session.commit(None, insert("T", "Id Ts D", (1, moment, day)))
    assert session.rows("T", "Ts D") == [[moment, day]]
    (row,) = session.select("SELECT Ts.seconds, CAST(D AS STRING) FROM T")
    assert row == ["5", "year: 2024 month: 1 day: 2"]
