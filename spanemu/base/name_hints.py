"""Hints from the names of columns and tables. Findings that rely on a hint say so."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name: ("created", "at") for both created_at and CreatedAt."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+", " ", name)
    return tuple(spaced.lower().split())


def words_of(text: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(text.split())


_COUNTER = words_of("at time timestamp ts ms millis micros epoch seq sequence no num counter")
_STATUS = words_of(
    """status state type kind category flag level gender role priority phase stage active enabled
    deleted processed done"""
)
_ABSENT = words_of(
    """deleted removed cancelled canceled archived expired completed processed claimed
    failed finished closed released revoked suspended resolved"""
)
_TENANT = words_of("tenant org organization organisation workspace company merchant")
_SHARD = words_of("shard bucket partition hash")
_LOOKUP = words_of(
    """country countries province provinces county counties city cities currency currencies language
    languages locale locales region regions status statuses state states type types category
    categories config configs configuration setting settings role roles kind kinds plan plans
    timezone timezones"""
)
_LOG = words_of(
    """log logs event events history histories audit audits metric metrics trace traces activity
    activities journal telemetry impression impressions click clicks"""
)
_CHANGING = words_of(
    """email mail phone telephone mobile username nickname login handle name title slug url uri
    address domain"""
)
_PAYLOAD = words_of(
    "payload raw blob body content contents html xml json document message snapshot"
)
_LONG_TEXT = _PAYLOAD | words_of(
    "url urls uri uris path link text description comment note details query prompt stacktrace"
)
_EXPIRY = words_of("expire expires expired expiry expiration ttl delete deletion")
_IDS = words_of("ids uuids guids")
_AHEAD = words_of(
    """due deadline scheduled schedule planned ends until effective valid next reminder remind
    renewal renews appointment departure arrival maturity settlement eta"""
)
_BIRTH = words_of("birth birthday birthdate born dob death died founded")
_MIGRATIONS = words_of("migration migrations databasechangelog changelog flyway alembic")
_EMBEDDING = words_of("embedding embeddings emb embeds")
_LEASE = words_of("lease leased leases lock locked locks claim reserved held")
_LEASE_END = words_of(
    """lease leased lock locked at by until expires expiry expiration timeout owner holder worker
    user token time timestamp ts date on deadline"""
)
_NUMBERED = words_of(
    """seq sequence order invoice receipt ticket transaction block batch journal voucher queue"""
)
_PERIOD = words_of("year years quarter month week yyyy yyyymm yyyymmdd yearmonth day date")
_YEAR = words_of("year yearmonth yyyymm yyyymmdd")
_OTHER_YEARS = words_of("birth release model make vintage publication graduation founded per of")
_REFERENCE = words_of(
    """ref refs reference lookup lookups lkp lov dim dimension fact enum enums code codes type types
    master mst m t tbl tab cfg config conf stg staging tmp temp dict base sys system"""
)
_QUEUE = words_of("queue queues outbox inbox job jobs task tasks message messages work pending")


# Words of names besides those above, for names that are written in lower case without marks.
_PARTS = words_of(
    """access account accounts address album albums amount book booking by code created customer
    customers data date day days entry file first group groups id ids invoice item items key last
    line lines list lock member members month name names note notes number order orders owner page
    parent payment payments person player players post posts price product products purchase
    request row sale sales score session sessions shop singer singers song songs start stock store
    system table tables text track transaction transactions up updated user users value version
    visit visits year"""
)
_KNOWN_WORDS = frozenset().union(
    _COUNTER, _STATUS, _ABSENT, _TENANT, _SHARD, _LOOKUP, _LOG, _CHANGING, _LONG_TEXT, _EXPIRY,
    _QUEUE, _PARTS, _AHEAD, _BIRTH, _LEASE, _LEASE_END, _NUMBERED, _PERIOD,
)  # fmt: skip


@lru_cache(maxsize=4096)
def spaced(name: str) -> str:
    """Return a name in lower case with marks between its words: "user_id" for "userid".

    Names that are not wholly made of known words stay as they are.
    """
    if not name.isalpha() or not name.islower():
        return name
    parts: list[tuple[str, ...] | None] = [()]  # of the first letters of the name, by their number
    for end in range(1, len(name) + 1):
        candidates = [
            (*before, name[start:end])
            for start in range(end)
            if (before := parts[start]) is not None and name[start:end] in _KNOWN_WORDS
        ]
        parts.append(min(candidates, key=len, default=None))
    return "_".join(parts[-1] or (name,))


def like_counter(name: str) -> bool:
    """Return whether the values seem to increase: created_at, event_ms, Seq, InvoiceNumber."""
    *before, last = words(name) or ("",)
    return last in _COUNTER or (last == "number" and not _NUMBERED.isdisjoint(before[-1:]))


def like_period(name: str) -> bool:
    """Return whether the column seems to hold the year or a part of it: Year, tax_year, Month."""
    *kinds, last = words(name) or ("",)
    if last in _YEAR:
        return _OTHER_YEARS.isdisjoint(kinds)
    return last in _PERIOD and _PERIOD.issuperset(kinds)


def like_status(name: str) -> bool:
    """Return whether the column seems to hold one of few values: Status, order_state, IsActive."""
    parts = words(name)
    return parts[:1] in (("is",), ("has",)) or not _STATUS.isdisjoint(parts[-1:])


def like_absent(name: str) -> bool:
    """Return whether the column seems to be NULL in most rows: DeletedAt, completed_by."""
    return not _ABSENT.isdisjoint(words(name))


def like_tenant(name: str) -> bool:
    """Return whether the column seems to identify a tenant: TenantId, org_id."""
    return not _TENANT.isdisjoint(words(name))


def like_shard(name: str) -> bool:
    """Return whether the column seems to hold a shard number: ShardId, bucket."""
    return not _SHARD.isdisjoint(words(name))


def like_lookup(name: str) -> bool:
    """Return whether the table seems to be small and widely referenced: Countries, order_status."""
    return not _LOOKUP.isdisjoint(words(name))


def like_lookup_key(name: str) -> bool:
    """Return whether the column seems to refer to a small table: CountryId, region, currency."""
    *before, last = words(name) or ("",)
    return not _LOOKUP.isdisjoint(before[-1:] if last in ("id", "code") else [last])


def like_log(name: str) -> bool:
    """Return whether rows seem to be appended and seldom changed: UserAccessLogs, audit_events."""
    return not _LOG.isdisjoint(words(name.rpartition(".")[2])[-1:])


def like_queue(name: str) -> bool:
    """Return whether rows seem to be inserted and soon deleted: Outbox, job_queue."""
    return not _QUEUE.isdisjoint(words(name))


def like_changing(name: str) -> bool:
    """Return whether the values seem to be unique but changeable: Email, user_name, Slug."""
    return not _CHANGING.isdisjoint(words(name))


def like_expiry(name: str) -> bool:
    """Return whether the column seems to hold an expiry time: ExpiresAt, ttl, deletion_time."""
    return not _EXPIRY.isdisjoint(words(name))


def like_ahead(name: str) -> bool:
    """Return whether the time seems to lie ahead of its row's insert: DueDate, ExpiresAt."""
    return not (_AHEAD | _EXPIRY).isdisjoint(words(name))


def like_birth(name: str) -> bool:
    """Return whether the time seems to have nothing to do with the row's insert: BirthDate."""
    return not _BIRTH.isdisjoint(words(name))


def like_lease(name: str) -> bool:
    """Return whether the column seems to be set while a row is leased: LockedBy, lease_until."""
    parts = words(name)
    return not _LEASE.isdisjoint(parts) and parts[-1] in _LEASE_END


def like_migrations(name: str) -> bool:
    """Return whether the table seems to be a migration tool's own: schema_migrations."""
    return not _MIGRATIONS.isdisjoint(words(name))


def like_reference(name: str) -> bool:
    """Return whether the name marks a table of a general kind: ref, lookup, dim."""
    return _REFERENCE.issuperset(words(name))


def is_known(name: str) -> bool:
    """Return whether a name consists of words that these hints know, unlike a tenant's name."""
    return bool(words(name)) and _KNOWN_WORDS.issuperset(words(name))


def like_long_text(name: str) -> bool:
    """Return whether the values seem to be long: Url, message_body, Description."""
    return not _LONG_TEXT.isdisjoint(words(name)[-1:])


def like_ids(name: str) -> bool:
    """Return whether the values seem to be several ids: PlayerIds, item_uuids, userIDs, id_list."""
    parts = words(name.replace("IDs", "Ids"))
    return not _IDS.isdisjoint(parts[-1:]) or parts[-2:] == ("id", "list")


def like_payload(name: str) -> bool:
    """Return whether the values seem to be large: message_body, RawEvent, Document."""
    return not _PAYLOAD.isdisjoint(words(name))


def like_embedding(name: str) -> bool:
    """Return whether a name is that of a vector that a model computed."""
    return not _EMBEDDING.isdisjoint(words(name))
