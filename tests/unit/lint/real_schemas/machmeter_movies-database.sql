CREATE TABLE directors (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE movies (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE actors (id INT64 NOT NULL) PRIMARY KEY (id);
CREATE TABLE directors_genres (
  director_id INT64 NOT NULL, genre STRING(20) NOT NULL, FOREIGN KEY (director_id) REFERENCES directors (id)
) PRIMARY KEY (director_id, genre);
CREATE INDEX directors_genres_director_id ON directors_genres(director_id);
CREATE TABLE movies_directors (
  director_id INT64 NOT NULL, movie_id INT64 NOT NULL, FOREIGN KEY (director_id) REFERENCES directors (id),
  FOREIGN KEY (movie_id) REFERENCES movies (id)
) PRIMARY KEY (director_id, movie_id);
CREATE INDEX movies_directors_director_id ON movies_directors(director_id);
CREATE INDEX movies_directors_movie_id ON movies_directors(movie_id);
CREATE TABLE movies_genres (
  movie_id INT64 NOT NULL, genre STRING(20) NOT NULL, FOREIGN KEY (movie_id) REFERENCES movies (id)
) PRIMARY KEY (movie_id, genre);
CREATE INDEX movies_genres_movie_id ON movies_genres(movie_id);
CREATE TABLE roles (
  actor_id INT64 NOT NULL, movie_id INT64 NOT NULL, role STRING(20) NOT NULL,
  FOREIGN KEY (actor_id) REFERENCES actors (id), FOREIGN KEY (movie_id) REFERENCES movies (id)
) PRIMARY KEY (actor_id, movie_id, role);
CREATE INDEX actor_id ON roles(actor_id);
CREATE INDEX movie_id ON roles(movie_id);
