CREATE TABLE Authors (author_id INT64 NOT NULL) PRIMARY KEY (author_id);
CREATE TABLE Books (id INT64 NOT NULL, author_id INT64, FOREIGN KEY (author_id) REFERENCES Authors (author_id))
  PRIMARY KEY (id);
CREATE INDEX author_id_6 ON Books(author_id);
CREATE TABLE Articles (author_id INT64 NOT NULL, id INT64 NOT NULL)
  PRIMARY KEY (author_id, id), INTERLEAVE IN PARENT Authors;
CREATE INDEX author_id ON Articles(author_id);
