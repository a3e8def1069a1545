CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive');
CREATE TABLE Singers (SingerId INT64, Name STRING(100) NOT NULL) PRIMARY KEY (SingerId);
CREATE TABLE Albums (SingerId INT64, AlbumId INT64, Title STRING(MAX)) PRIMARY KEY (SingerId, AlbumId),
  INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE UNIQUE INDEX AlbumsByTitle ON Albums (Title);
INSERT INTO Singers (SingerId, Name) VALUES (1, 'Marc'), (2, 'Catalina');
INSERT INTO Albums (SingerId, AlbumId, Title) VALUES (1, 1, 'Go'), (2, 1, 'Green');
