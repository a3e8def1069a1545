CREATE TABLE playlist (playlist_id INT64 NOT NULL) PRIMARY KEY (playlist_id);
CREATE TABLE playlist_track (
  playlist_id INT64 NOT NULL, track_id INT64 NOT NULL,
  FOREIGN KEY (playlist_id) REFERENCES playlist (playlist_id)
) PRIMARY KEY (playlist_id, track_id);
