-- Singers with their albums and songs, one interleaved in the other, and concerts at venues.
CREATE TABLE Singers (
  SingerId INT64 NOT NULL,
  FirstName STRING(1024),
  LastName STRING(1024) NOT NULL,
  BirthDate DATE,
  FullName STRING(2049) AS (IF(FirstName IS NULL, LastName, FirstName || ' ' || LastName)) STORED,
) PRIMARY KEY (SingerId);

CREATE TABLE Albums (
  SingerId INT64 NOT NULL,
  AlbumId INT64 NOT NULL,
  AlbumTitle STRING(MAX) NOT NULL,
  MarketingBudget INT64,
) PRIMARY KEY (SingerId, AlbumId),
  INTERLEAVE IN PARENT Singers ON DELETE CASCADE;

CREATE TABLE Songs (
  SingerId INT64 NOT NULL,
  AlbumId INT64 NOT NULL,
  TrackId INT64 NOT NULL,
  SongName STRING(MAX) NOT NULL,
  Seconds INT64,
) PRIMARY KEY (SingerId, AlbumId, TrackId),
  INTERLEAVE IN PARENT Albums ON DELETE CASCADE;

CREATE TABLE Venues (
  VenueId STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  VenueName STRING(200) NOT NULL,
  Facts JSON,
) PRIMARY KEY (VenueId);

CREATE TABLE Concerts (
  VenueId STRING(36) NOT NULL,
  SingerId INT64 NOT NULL,
  ConcertDate DATE NOT NULL,
  TicketPrices ARRAY<INT64>,
  CONSTRAINT ConcertOfSinger FOREIGN KEY (SingerId) REFERENCES Singers (SingerId),
) PRIMARY KEY (VenueId, SingerId, ConcertDate),
  INTERLEAVE IN PARENT Venues;

CREATE INDEX SingersByLastName ON Singers (LastName, FirstName);
CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle) STORING (MarketingBudget);
CREATE INDEX SongsByName ON Songs (SingerId, AlbumId, SongName), INTERLEAVE IN Albums;

INSERT INTO Singers (SingerId, FirstName, LastName, BirthDate) VALUES
  (1, 'Marta', 'Lind', DATE '1978-04-02'), (2, NULL, 'Okafor', DATE '1990-11-30'),
  (3, 'Ines', 'Prado', NULL);
INSERT INTO Albums (SingerId, AlbumId, AlbumTitle, MarketingBudget) VALUES
  (1, 1, 'Salt and Rope', 100000), (1, 2, 'Low Water', NULL), (2, 1, 'Kerosene', 45000);
INSERT INTO Songs (SingerId, AlbumId, TrackId, SongName, Seconds) VALUES
  (1, 1, 1, 'Harbour', 214), (1, 1, 2, 'Knots', 187), (2, 1, 1, 'Lamp', 242);
INSERT INTO Venues (VenueId, VenueName, Facts) VALUES
  ('north', 'North Hall', JSON '{"seats": 800}'), ('garden', 'The Garden', JSON '{"open_air": true}');
INSERT INTO Concerts (VenueId, SingerId, ConcertDate, TicketPrices) VALUES
  ('north', 1, DATE '2025-05-01', [25, 60]), ('garden', 2, DATE '2025-06-20', [30]);
