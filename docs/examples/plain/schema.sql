CREATE TABLE Customers (
  CustomerId STRING(36) NOT NULL,
  Name STRING(100) NOT NULL,
) PRIMARY KEY (CustomerId);

CREATE TABLE Orders (
  OrderId STRING(36) NOT NULL,
  CustomerId STRING(36) NOT NULL,
  Status STRING(10) NOT NULL,
  Cents INT64 NOT NULL,
  CONSTRAINT OrdersOfCustomers FOREIGN KEY (CustomerId) REFERENCES Customers (CustomerId),
) PRIMARY KEY (OrderId);

CREATE INDEX OrdersByStatus ON Orders (Status) STORING (CustomerId, Cents);

CREATE TABLE Charges (
  ChargeId STRING(36) NOT NULL,
  OrderId STRING(36) NOT NULL,
  Cents INT64 NOT NULL,
) PRIMARY KEY (ChargeId);

CREATE TABLE EventsByTime (
  SavedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  EventId STRING(36) NOT NULL,
) PRIMARY KEY (SavedAt, EventId);

CREATE TABLE Events (
  EventId STRING(36) NOT NULL,
  SavedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (EventId);
