CREATE TABLE games (gameUUID STRING(36) NOT NULL) PRIMARY KEY (gameUUID);
CREATE TABLE players (
  playerUUID STRING(36) NOT NULL, current_game STRING(36), FOREIGN KEY (current_game) REFERENCES games (gameUUID)
) PRIMARY KEY (playerUUID);
CREATE INDEX PlayerGame ON players(current_game);
