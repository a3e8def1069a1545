-- Customers of a bank, their accounts, and what was booked on them.
CREATE TABLE Customers (
  CustomerId varchar(36) PRIMARY KEY DEFAULT spanner.generate_uuid(),
  Name varchar(200) NOT NULL,
  Email varchar(320),
  Since timestamptz NOT NULL DEFAULT current_timestamp
);

CREATE SEQUENCE AccountNumbers BIT_REVERSED_POSITIVE START COUNTER WITH 1000;  -- past the rows below

CREATE TABLE Accounts (
  AccountId bigint PRIMARY KEY DEFAULT nextval('accountnumbers'),
  CustomerId varchar(36) NOT NULL,
  Kind varchar(10) NOT NULL,
  Balance numeric NOT NULL DEFAULT 0.00,
  CONSTRAINT KnownKind CHECK (Kind IN ('current', 'savings')),
  CONSTRAINT AccountOfCustomer FOREIGN KEY (CustomerId) REFERENCES Customers (CustomerId)
);

CREATE TABLE Bookings (
  AccountId bigint,
  BookingId varchar(36) DEFAULT spanner.generate_uuid(),
  Amount numeric NOT NULL,
  Purpose varchar(140),
  BookedAt spanner.commit_timestamp NOT NULL,
  PRIMARY KEY (AccountId, BookingId)
) INTERLEAVE IN PARENT Accounts ON DELETE CASCADE;

CREATE UNIQUE INDEX CustomersByEmail ON Customers (Email) WHERE Email IS NOT NULL;
CREATE INDEX BookingsByTime ON Bookings (AccountId, BookedAt DESC) INTERLEAVE IN Accounts;
CREATE VIEW Wealth SQL SECURITY INVOKER AS
  SELECT a.CustomerId, SUM(a.Balance) AS Total FROM Accounts AS a GROUP BY a.CustomerId;

INSERT INTO Customers (CustomerId, Name, Email) VALUES
  ('ada', 'Ada Moss', 'ada@example.com'), ('ben', 'Ben Roth', NULL);
INSERT INTO Accounts (AccountId, CustomerId, Kind, Balance) VALUES
  (4611686018427387904, 'ada', 'current', 250), (2305843009213693952, 'ada', 'savings', 1000),
  (6917529027641081856, 'ben', 'current', 40);
INSERT INTO Bookings (AccountId, BookingId, Amount, Purpose, BookedAt) VALUES
  (4611686018427387904, 'b1', 300, 'wages', '2025-01-31 08:00:00Z'),
  (4611686018427387904, 'b2', -50, 'books', '2025-02-02 10:30:00Z');
