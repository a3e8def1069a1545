CREATE TABLE games (game_uuid STRING(36) NOT NULL) PRIMARY KEY (game_uuid);
CREATE TABLE players (player_uuid STRING(36) NOT NULL, current_game STRING(36)) PRIMARY KEY (player_uuid);
CREATE INDEX player_game ON players(current_game);
ALTER TABLE players ADD FOREIGN KEY (current_game) REFERENCES games (game_uuid);
