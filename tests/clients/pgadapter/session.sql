CREATE TABLE singers (singer_id bigint PRIMARY KEY, name varchar(100) NOT NULL, born date, paid numeric, info jsonb, seen timestamptz);
CREATE INDEX singers_by_name ON singers (name);
CREATE TABLE albums (singer_id bigint, album_id bigint, title text, PRIMARY KEY (singer_id, album_id)) INTERLEAVE IN PARENT singers ON DELETE CASCADE;
\d
\dt albums
\x on
\di singers_by_name
\x off
\d singers
INSERT INTO singers VALUES (1, 'Marc', '1990-01-31', 10.50, '{"b": 1, "aa": 2}', '2024-01-02 03:04:05.678901+00');
INSERT INTO singers (singer_id, name) VALUES (2, 'Cata'), (3, 'Alice') RETURNING singer_id, name;
SET TIME ZONE 'UTC';
SELECT * FROM singers ORDER BY name;
BEGIN;
UPDATE singers SET paid = 2.5 WHERE singer_id = 2;
SELECT name, paid FROM singers WHERE singer_id = 2;
ROLLBACK;
SELECT name, paid FROM singers WHERE singer_id = 2;
COPY albums (singer_id, album_id, title) FROM STDIN;
1	1	Green
1	2	\N
\.
COPY (SELECT * FROM albums ORDER BY album_id) TO STDOUT;
SELECT nope FROM singers;
DELETE FROM singers WHERE singer_id = 1;
SELECT count(*) FROM albums;
