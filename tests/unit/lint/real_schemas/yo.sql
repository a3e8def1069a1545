CREATE TABLE FullTypes (PKey STRING(32) NOT NULL, FTTimestamp TIMESTAMP NOT NULL) PRIMARY KEY (PKey);
CREATE INDEX FullTypesByTimestamp ON FullTypes(FTTimestamp);
CREATE TABLE CompositePrimaryKeys (
  PKey1 STRING(32) NOT NULL, PKey2 INT64 NOT NULL, Error INT64 NOT NULL, Y STRING(32), Z STRING(32)
) PRIMARY KEY (PKey1, PKey2);
CREATE INDEX CompositePrimaryKeysByError ON CompositePrimaryKeys(Error);
CREATE INDEX CompositePrimaryKeysByError2 ON CompositePrimaryKeys(Error) STORING (Z);
CREATE INDEX CompositePrimaryKeysByError3 ON CompositePrimaryKeys(Error) STORING (Z, Y);
CREATE TABLE CustomCompositePrimaryKeys (
  PKey1 STRING(32) NOT NULL, PKey2 INT64 NOT NULL, Error INT64 NOT NULL, Y STRING(32), Z STRING(32)
) PRIMARY KEY (PKey1, PKey2);
CREATE INDEX CustomCompositePrimaryKeysByError ON CustomCompositePrimaryKeys(Error);
CREATE INDEX CustomCompositePrimaryKeysByError2 ON CustomCompositePrimaryKeys(Error) STORING (Z);
CREATE INDEX CustomCompositePrimaryKeysByError3 ON CustomCompositePrimaryKeys(Error) STORING (Z, Y);
