-- Singers with their albums and songs, one interleaved in the other, and concerts at venues.
CREATE TABLE Singers (
  SingerId bigint PRIMARY KEY,
  FirstName varchar(1024),
  LastName varchar(1024) NOT NULL,
  BirthDate date,
  FullName varchar(2049) GENERATED ALWAYS AS (
    CASE WHEN FirstName IS NULL THEN LastName ELSE FirstName || ' ' || LastName END
  ) STORED
);

CREATE TABLE Albums (
  SingerId bigint,
  AlbumId bigint,
  AlbumTitle text NOT NULL,
  MarketingBudget bigint,
  PRIMARY KEY (SingerId, AlbumId)
) INTERLEAVE IN PARENT Singers ON DELETE CASCADE;

CREATE TABLE Songs (
  SingerId bigint,
  AlbumId bigint,
  TrackId bigint,
  SongName text NOT NULL,
  Seconds bigint,
  PRIMARY KEY (SingerId, AlbumId, TrackId)
) INTERLEAVE IN PARENT Albums ON DELETE CASCADE;

CREATE TABLE Venues (
  VenueId varchar(36) PRIMARY KEY DEFAULT spanner.generate_uuid(),
  VenueName varchar(200) NOT NULL,
  Facts jsonb
);

CREATE TABLE Concerts (
  VenueId varchar(36),
  SingerId bigint,
  ConcertDate date,
  TicketPrices bigint[],
  CONSTRAINT ConcertOfSinger FOREIGN KEY (SingerId) REFERENCES Singers (SingerId),
  PRIMARY KEY (VenueId, SingerId, ConcertDate)
) INTERLEAVE IN PARENT Venues;

CREATE INDEX SingersByLastName ON Singers (LastName, FirstName);
CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle) INCLUDE (MarketingBudget);
CREATE INDEX SongsByName ON Songs (SingerId, AlbumId, SongName) INTERLEAVE IN Albums;

INSERT INTO Singers (SingerId, FirstName, LastName, BirthDate) VALUES
  (1, 'Marta', 'Lind', '1978-04-02'), (2, NULL, 'Okafor', '1990-11-30'), (3, 'Ines', 'Prado', NULL);
INSERT INTO Albums (SingerId, AlbumId, AlbumTitle, MarketingBudget) VALUES
  (1, 1, 'Salt and Rope', 100000), (1, 2, 'Low Water', NULL), (2, 1, 'Kerosene', 45000);
INSERT INTO Songs (SingerId, AlbumId, TrackId, SongName, Seconds) VALUES
  (1, 1, 1, 'Harbour', 214), (1, 1, 2, 'Knots', 187), (2, 1, 1, 'Lamp', 242);
INSERT INTO Venues (VenueId, VenueName, Facts) VALUES
  ('north', 'North Hall', '{"seats": 800}'), ('garden', 'The Garden', '{"open_air": true}');
INSERT INTO Concerts (VenueId, SingerId, ConcertDate, TicketPrices) VALUES
  ('north', 1, '2025-05-01', '{25, 60}'), ('garden', 2, '2025-06-20', '{30}');
