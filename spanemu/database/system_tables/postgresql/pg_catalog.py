"""The tables and views of pg_catalog: names, columns and row functions.

The columns are those of PostgreSQL 15 that Spanner has, in PostgreSQL's order. A table without row
function has no rows in any database.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.database.system_tables.postgresql import pg_class
from spanemu.database.system_tables.postgresql.declaration import NamedRows, with_named_rows
from spanemu.database.system_tables.postgresql.objects import pg_proc
from spanemu.database.system_tables.postgresql.oids import (
    INDEX_ACCESS,
    NAMESPACES,
    PG_CATALOG,
    TABLE_ACCESS,
    named_oids,
)
from spanemu.database.system_tables.postgresql.pg_class import pg_constraint
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    PG_OID,
    TIMESTAMP,
    UUID,
    Type,
)

SCHEMA = "pg_catalog"

# Bytes of the types of fixed length; the others have -1. Up to 8 bytes are passed by value.
_LENGTHS: dict[Type, int] = {
    BOOL: 1, DATE: 4, FLOAT32: 4, PG_OID: 4, INT64: 8, FLOAT64: 8, TIMESTAMP: 8, INTERVAL: 16,
    UUID: 16,
}  # fmt: skip
_VARCHAR = (1043, "varchar", 1015)  # oid, name, oid of the arrays: text under another name
_PSEUDO_TYPES = (
    (2276, "any", 4),
    (2277, "anyarray", -1),
    (2283, "anyelement", 4),
    (2776, "anynonarray", 4),
    (5078, "anycompatiblearray", -1),
)  # oid, name, length


def pg_am(_: Source) -> NamedRows:
    """Yield the access methods of tables and of indexes."""
    yield {"oid": TABLE_ACCESS, "amname": "spanner_default", "amtype": "t"}
    yield {"oid": INDEX_ACCESS, "amname": "spanner_default", "amtype": "i"}


def pg_collation(_: Source) -> NamedRows:
    """Yield the collations: the order of code points under two names."""
    for oid, name, provider in ((100, "default", "d"), (950, "C", "c")):
        yield {
            "oid": oid,
            "collname": name,
            "collnamespace": PG_CATALOG,
            "collprovider": provider,
            "collisdeterministic": True,
            "collencoding": -1,
        }


def pg_namespace(source: Source) -> NamedRows:
    """Yield the schemas: those of every database, then users' schemas."""
    oids = named_oids(source)
    for name in (*NAMESPACES, *source.schema.named_schemas.values()):
        yield {"oid": oids.namespace(name), "nspname": name}


def pg_settings(_: Source) -> NamedRows:
    """Yield the setting that clients ask for."""
    yield {
        "name": "max_index_keys",
        "setting": "16",
        "category": "Preset Options",
        "short_desc": "Shows the maximum number of index keys.",
        "context": "internal",
        "vartype": "integer",
        "source": "default",
        "min_val": "16",
        "max_val": "16",
        "enumvals": [],
        "boot_val": "16",
        "reset_val": "16",
        "pending_restart": False,
    }


def pg_type(source: Source) -> NamedRows:
    """Yield the types, each with the type of its arrays."""
    for named in dialect_of(source.schema.dialect).named_types:
        if named.oid:
            length = _LENGTHS.get(named.type, -1)
            row = _type_row(named.oid, named.name, named.array_oid, named.category, length)
            yield {**row, "typispreferred": named.preferred}
            yield _array_type_row(named.array_oid, named.name, named.oid)
    oid, name, array_oid = _VARCHAR
    yield _type_row(oid, name, array_oid, "S", -1)
    yield _array_type_row(array_oid, name, oid)
    for oid, name, length in _PSEUDO_TYPES:
        yield {**_type_row(oid, name, 0, "P", length), "typtype": "p"}


def _type_row(oid: int, name: str, array_oid: int, category: str, length: int) -> dict[str, Any]:
    return {
        "oid": oid,
        "typname": name,
        "typnamespace": PG_CATALOG,
        "typlen": length,
        "typbyval": 0 < length <= 8,
        "typtype": "b",
        "typcategory": category,
        "typispreferred": False,
        "typisdefined": True,
        "typdelim": ",",
        "typrelid": 0,
        "typelem": 0,
        "typarray": array_oid,
    }


def _array_type_row(oid: int, name: str, element_oid: int) -> dict[str, Any]:
    return {**_type_row(oid, f"_{name}", 0, "A", -1), "typelem": element_oid}


def _none(_: Source) -> NamedRows:
    return ()


def _table(name: str, notation: str, rows: Callable[[Source], NamedRows] = _none) -> Declared:
    return with_named_rows(SCHEMA, name, notation, rows)


PG_CATALOG_TABLES: tuple[Declared, ...] = (
    _table("pg_am", "oid:oid amname amtype", pg_am),
    _table("pg_attrdef", "oid:oid adrelid:oid adnum:bigint adbin", pg_class.pg_attrdef),
    _table(
        "pg_attribute",
        """attrelid:oid attname atttypid:oid attstattarget:bigint attlen:bigint attnum:bigint
        attndims:bigint attcacheoff:bigint atttypmod:bigint attbyval:boolean attalign
        attstorage attcompression attnotnull:boolean atthasdef:boolean atthasmissing:boolean
        attidentity attgenerated attisdropped:boolean attislocal:boolean attinhcount:bigint
        attcollation:oid attoptions attfdwoptions""",
        pg_class.pg_attribute,
    ),
    _table(
        "pg_available_extension_versions",
        """name version installed:boolean superuser:boolean trusted:boolean relocatable:boolean
        schema requires:[] comment""",
    ),
    _table("pg_available_extensions", "name default_version installed_version comment"),
    _table(
        "pg_backend_memory_contexts",
        """name ident parent level:bigint total_bytes:bigint total_nblocks:bigint
        free_bytes:bigint free_chunks:bigint used_bytes:bigint""",
    ),
    _table(
        "pg_class",
        """oid:oid relname relnamespace:oid reltype:oid reloftype:oid relowner:oid relam:oid
        relfilenode:oid reltablespace:oid relpages:bigint reltuples:float8
        relallvisible:bigint reltoastrelid:oid relhasindex:boolean relisshared:boolean
        relpersistence relkind relnatts:bigint relchecks:bigint relhasrules:boolean
        relhastriggers:boolean relhassubclass:boolean relrowsecurity:boolean
        relforcerowsecurity:boolean relispopulated:boolean relreplident
        relispartition:boolean relrewrite:oid relfrozenxid:bigint relminmxid:bigint
        reloptions relpartbound""",
        pg_class.pg_class,
    ),
    _table(
        "pg_collation",
        """oid:oid collname collnamespace:oid collowner:oid collprovider
        collisdeterministic:boolean collencoding:bigint collcollate collctype colliculocale
        collversion""",
        pg_collation,
    ),
    _table("pg_config", "name setting"),
    _table(
        "pg_constraint",
        """oid:oid conname connamespace:oid contype condeferrable:boolean condeferred:boolean
        convalidated:boolean conrelid:oid contypid:oid conindid:oid conparentid:oid
        confrelid:oid confupdtype confdeltype confmatchtype conislocal:boolean
        coninhcount:bigint connoinherit:boolean conkey:bigint[] confkey:bigint[]
        conpfeqop:oid[] conppeqop:oid[] conffeqop:oid[] conexclop:oid[] conbin""",
        pg_constraint,
    ),
    _table(
        "pg_cursors",
        """name statement is_holdable:boolean is_binary:boolean is_scrollable:boolean
        creation_time:timestamptz""",
    ),
    _table("pg_description", "objoid:oid classoid:oid objsubid:bigint description"),
    _table("pg_enum", "oid:oid enumtypid:oid enumsortorder:float8 enumlabel"),
    _table(
        "pg_extension",
        """oid:oid extname extowner:oid extnamespace:oid extrelocatable:boolean extversion
        extconfig:oid[] extcondition:[]""",
    ),
    _table(
        "pg_file_settings",
        "sourcefile sourceline:bigint seqno:bigint name setting applied:boolean error",
    ),
    _table(
        "pg_hba_file_rules",
        """line_number:bigint type database:[] user_name:[] address netmask auth_method
        options:[] error""",
    ),
    _table(
        "pg_index",
        """indexrelid:oid indrelid:oid indnatts:bigint indnkeyatts:bigint indisunique:boolean
        indisprimary:boolean indisexclusion:boolean indimmediate:boolean
        indisclustered:boolean indisvalid:boolean indcheckxmin:boolean indisready:boolean
        indislive:boolean indisreplident:boolean indkey:bigint[] indcollation:bigint[]
        indclass:bigint[] indoption:bigint[] indexprs indpred""",
        pg_class.pg_index,
    ),
    _table("pg_indexes", "schemaname tablename indexname tablespace indexdef", pg_class.pg_indexes),
    _table(
        "pg_language",
        """oid:oid lanname lanowner:oid lanispl:boolean lanpltrusted:boolean lanplcallfoid:oid
        laninline:oid lanvalidator:oid lanacl""",
    ),
    _table(
        "pg_matviews",
        """schemaname matviewname matviewowner tablespace hasindexes:boolean ispopulated:boolean
        definition""",
    ),
    _table("pg_namespace", "oid:oid nspname nspowner:oid", pg_namespace),
    _table(
        "pg_policies",
        "schemaname tablename policyname permissive roles:[] cmd qual with_check",
    ),
    _table("pg_prepared_xacts", "transaction:bigint gid prepared:timestamptz owner database"),
    _table(
        "pg_proc",
        """oid:oid proname pronamespace:oid proowner:oid prolang:oid procost:float8
        prorows:float8 provariadic:oid prokind prosecdef:boolean proleakproof:boolean
        proisstrict:boolean proretset:boolean provolatile proparallel pronargs:bigint
        pronargdefaults:bigint prorettype:oid proargtypes:oid[] proallargtypes:oid[]
        proargmodes:[] proargnames:[] proargdefaults protrftypes:oid[] prosrc probin
        prosqlbody proconfig:[]""",
        pg_proc,
    ),
    _table("pg_publication_tables", "pubname schemaname tablename"),
    _table(
        "pg_range",
        """rngtypid:oid rngsubtype:oid rngmultitypid:oid rngcollation:oid rngsubopc:oid
        rngcanonical:bigint rngsubdiff:bigint""",
    ),
    _table(
        "pg_roles",
        """rolname rolsuper:boolean rolinherit:boolean rolcreaterole:boolean rolcreatedb:boolean
        rolcanlogin:boolean rolreplication:boolean rolconnlimit:bigint rolpassword
        rolvaliduntil:timestamptz rolbypassrls:boolean rolconfig:[] oid:oid""",
    ),
    _table("pg_rules", "schemaname tablename rulename definition"),
    _table(
        "pg_sequence",
        """seqrelid:oid seqtypid:oid seqstart:bigint seqincrement:bigint seqmax:bigint
        seqmin:bigint seqcache:bigint seqcycle:boolean""",
        pg_class.pg_sequence,
    ),
    _table(
        "pg_sequences",
        """schemaname sequencename sequenceowner start_value:bigint min_value:bigint
        max_value:bigint increment_by:bigint cycle:boolean cache_size:bigint
        last_value:bigint""",
        pg_class.pg_sequences,
    ),
    _table(
        "pg_settings",
        """name setting unit category short_desc extra_desc context vartype source min_val
        max_val enumvals:[] boot_val reset_val sourcefile sourceline:bigint
        pending_restart:boolean""",
        pg_settings,
    ),
    _table("pg_shmem_allocations", "name off:bigint size:bigint allocated_size:bigint"),
    _table(
        "pg_tables",
        """schemaname tablename tableowner tablespace hasindexes:boolean hasrules:boolean
        hastriggers:boolean rowsecurity:boolean""",
        pg_class.pg_tables,
    ),
    _table(
        "pg_type",
        """oid:oid typname typnamespace:oid typowner:oid typlen:bigint typbyval:boolean typtype
        typcategory typispreferred:boolean typisdefined:boolean typdelim typrelid:oid
        typelem:oid typarray:oid typalign typstorage typnotnull:boolean typbasetype:oid
        typtypmod:bigint typndims:bigint typcollation:oid typdefaultbin typdefault""",
        pg_type,
    ),
    _table("pg_views", "schemaname viewname viewowner definition", pg_class.pg_views),
)
