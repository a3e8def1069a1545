-- People, the accounts that they own, and transfers from one account to another.
CREATE TABLE Person (
  id bigint PRIMARY KEY,
  name text,
  birthday timestamptz,
  country text
);

CREATE TABLE Account (
  id bigint PRIMARY KEY,
  create_time timestamptz,
  is_blocked boolean,
  nick_name text
);

CREATE TABLE PersonOwnAccount (
  id bigint,
  account_id bigint REFERENCES Account (id),
  create_time timestamptz,
  PRIMARY KEY (id, account_id)
) INTERLEAVE IN PARENT Person ON DELETE CASCADE;

CREATE TABLE AccountTransferAccount (
  id bigint,
  to_id bigint REFERENCES Account (id),
  create_time timestamptz,
  amount double precision,
  order_number text,
  PRIMARY KEY (id, to_id, create_time)
) INTERLEAVE IN PARENT Account ON DELETE CASCADE;

INSERT INTO Person (id, name, birthday, country) VALUES
  (1, 'Noor', '1991-12-21 00:00:00Z', 'NO'), (2, 'Tomas', '1980-10-31 00:00:00Z', 'CZ');
INSERT INTO Account (id, create_time, is_blocked, nick_name) VALUES
  (7, '2020-01-10 06:22:20Z', FALSE, 'rent'), (16, '2020-01-28 01:55:09Z', TRUE, 'boat');
INSERT INTO PersonOwnAccount (id, account_id, create_time) VALUES
  (1, 7, '2020-01-10 06:22:20Z'), (2, 16, '2020-01-28 01:55:09Z');
INSERT INTO AccountTransferAccount (id, to_id, create_time, amount, order_number) VALUES
  (7, 16, '2020-08-29 15:28:58Z', 300.0, 'n-1'), (16, 7, '2020-09-25 02:36:14Z', 120.5, 'n-2');
