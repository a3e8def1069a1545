CREATE TABLE account (accountid bytea NOT NULL, PRIMARY KEY (accountid));
CREATE TABLE transactionhistory (
  accountid bytea NOT NULL, eventtimestamp spanner.commit_timestamp NOT NULL, amount numeric,
  PRIMARY KEY (accountid, eventtimestamp)
) INTERLEAVE IN PARENT account ON DELETE CASCADE;
CREATE UNIQUE INDEX transactionhistorytime ON transactionhistory (accountid, eventtimestamp DESC);
