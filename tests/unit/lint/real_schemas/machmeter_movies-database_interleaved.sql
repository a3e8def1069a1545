CREATE TABLE directors (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE movies (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE actors (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE roles (id INT64 NOT NULL, movie_id INT64 NOT NULL, role STRING(20) NOT NULL)
  PRIMARY KEY (id, movie_id, role), INTERLEAVE IN PARENT actors ON DELETE CASCADE;
CREATE INDEX actor_id ON roles(id);
CREATE INDEX movie_id ON roles(movie_id);
CREATE TABLE directors_genres (id INT64 NOT NULL, genre STRING(20) NOT NULL)
  PRIMARY KEY (id, genre), INTERLEAVE IN PARENT directors ON DELETE CASCADE;
CREATE INDEX directors_genres_director_id ON directors_genres(id);
CREATE TABLE movies_directors (id INT64 NOT NULL, movie_id INT64 NOT NULL)
  PRIMARY KEY (id, movie_id), INTERLEAVE IN PARENT directors ON DELETE CASCADE;
CREATE INDEX movies_directors_director_id ON movies_directors(id);
CREATE INDEX movies_directors_movie_id ON movies_directors(movie_id);
CREATE TABLE movies_genres (id INT64 NOT NULL, genre STRING(20) NOT NULL)
  PRIMARY KEY (id, genre), INTERLEAVE IN PARENT movies ON DELETE CASCADE;
CREATE INDEX movies_genres_movie_id ON movies_genres(id);
ALTER TABLE movies_directors ADD CONSTRAINT of_movie FOREIGN KEY (movie_id) REFERENCES movies (id);
ALTER TABLE roles ADD CONSTRAINT in_movie FOREIGN KEY (movie_id) REFERENCES movies (id);
