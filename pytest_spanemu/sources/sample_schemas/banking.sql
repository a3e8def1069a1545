-- Customers of a bank, their accounts, and what was booked on them.
CREATE TABLE Customers (
  CustomerId STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  Name STRING(200) NOT NULL,
  Email STRING(320),
  Since TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
) PRIMARY KEY (CustomerId);

CREATE SEQUENCE AccountNumbers OPTIONS (
  sequence_kind = 'bit_reversed_positive', start_with_counter = 1000  -- past the rows below
);

CREATE TABLE Accounts (
  AccountId INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE AccountNumbers)),
  CustomerId STRING(36) NOT NULL,
  Kind STRING(10) NOT NULL,
  Balance NUMERIC NOT NULL DEFAULT (0),
  CONSTRAINT KnownKind CHECK (Kind IN ('current', 'savings')),
  CONSTRAINT AccountOfCustomer FOREIGN KEY (CustomerId) REFERENCES Customers (CustomerId),
) PRIMARY KEY (AccountId);

CREATE TABLE Bookings (
  AccountId INT64 NOT NULL,
  BookingId STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  Amount NUMERIC NOT NULL,
  Purpose STRING(140),
  BookedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (AccountId, BookingId),
  INTERLEAVE IN PARENT Accounts ON DELETE CASCADE;

CREATE UNIQUE NULL_FILTERED INDEX CustomersByEmail ON Customers (Email);
CREATE INDEX BookingsByTime ON Bookings (AccountId, BookedAt DESC), INTERLEAVE IN Accounts;
CREATE VIEW Wealth SQL SECURITY INVOKER AS
  SELECT a.CustomerId, SUM(a.Balance) AS Total FROM Accounts AS a GROUP BY a.CustomerId;

INSERT INTO Customers (CustomerId, Name, Email) VALUES
  ('ada', 'Ada Moss', 'ada@example.com'), ('ben', 'Ben Roth', NULL);
INSERT INTO Accounts (AccountId, CustomerId, Kind, Balance) VALUES
  (4611686018427387904, 'ada', 'current', 250), (2305843009213693952, 'ada', 'savings', 1000),
  (6917529027641081856, 'ben', 'current', 40);
INSERT INTO Bookings (AccountId, BookingId, Amount, Purpose, BookedAt) VALUES
  (4611686018427387904, 'b1', 300, 'wages', TIMESTAMP '2025-01-31 08:00:00Z'),
  (4611686018427387904, 'b2', -50, 'books', TIMESTAMP '2025-02-02 10:30:00Z');
