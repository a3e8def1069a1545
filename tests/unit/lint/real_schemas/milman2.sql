CREATE TABLE posts (id STRING(36) NOT NULL, published BOOL NOT NULL DEFAULT (false)) PRIMARY KEY (id);
CREATE INDEX posts_published_idx ON posts(published);
