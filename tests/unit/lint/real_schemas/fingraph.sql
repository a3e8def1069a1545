CREATE TABLE Account (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE AccountTransferAccount (
  id INT64 NOT NULL, to_id INT64 NOT NULL, create_time TIMESTAMP NOT NULL, amount FLOAT64,
  FOREIGN KEY (to_id) REFERENCES Account (id)
) PRIMARY KEY (id, to_id, create_time), INTERLEAVE IN PARENT Account ON DELETE CASCADE;
