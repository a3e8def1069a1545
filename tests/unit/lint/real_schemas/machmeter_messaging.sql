CREATE TABLE Spaces (spaceId INT64 NOT NULL) PRIMARY KEY (spaceId);
CREATE TABLE Messages (spaceId INT64 NOT NULL, messageId INT64 NOT NULL, updatedAt TIMESTAMP)
  PRIMARY KEY (spaceId, messageId), INTERLEAVE IN PARENT Spaces ON DELETE CASCADE;
CREATE INDEX messages_spaceId ON Messages(spaceId);
CREATE INDEX messages_updatedAt ON Messages(updatedAt);
