CREATE TABLE Directories (DirectoryID STRING(40) NOT NULL) PRIMARY KEY (DirectoryID);
CREATE TABLE Mutations (
  DirectoryID STRING(40) NOT NULL, LogID INT64 NOT NULL,
  Timestamp TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true), LocalID INT64 NOT NULL,
  Mutation BYTES(MAX)
) PRIMARY KEY (DirectoryID, LogID, Timestamp, LocalID), INTERLEAVE IN PARENT Directories ON DELETE CASCADE;
