CREATE TABLE awards_coaches (id INT64 NOT NULL, year INT64, coachID STRING(9), lgID STRING(9)) PRIMARY KEY (id);
CREATE INDEX coachID_2 ON awards_coaches(coachID, year);
CREATE INDEX coachID_29 ON awards_coaches(coachID);
CREATE INDEX coachID_3 ON awards_coaches(coachID, year);
CREATE INDEX year_2_33 ON awards_coaches(year, coachID);
CREATE INDEX year_32 ON awards_coaches(year, coachID);
CREATE INDEX year_3_34 ON awards_coaches(year, coachID, lgID);
CREATE TABLE awards_players (playerID STRING(9) NOT NULL, year INT64 NOT NULL, award STRING(9) NOT NULL)
  PRIMARY KEY (playerID, year, award);
CREATE INDEX playerID_37 ON awards_players(playerID);
CREATE TABLE coaches (
  coachID STRING(9) NOT NULL, year INT64 NOT NULL, tmID STRING(9) NOT NULL, stint INT64 NOT NULL, lgID STRING(9)
) PRIMARY KEY (coachID, year, tmID, stint);
CREATE INDEX coachID ON coaches(coachID);
CREATE INDEX tmID ON coaches(tmID, year);
CREATE INDEX tmID_2 ON coaches(tmID, year);
CREATE INDEX year ON coaches(year, coachID);
CREATE INDEX year_2 ON coaches(year, coachID, lgID);
CREATE INDEX year_3 ON coaches(year, tmID);
CREATE INDEX year_4 ON coaches(year, tmID);
CREATE TABLE player_allstar (playerID STRING(9) NOT NULL, season_id INT64 NOT NULL)
  PRIMARY KEY (playerID, season_id);
CREATE INDEX player_id ON player_allstar(playerID);
CREATE TABLE players_teams (
  playerID STRING(9) NOT NULL, id INT64 NOT NULL, tmID STRING(9), year INT64, fgAttempted INT64
) PRIMARY KEY (playerID, id);
CREATE INDEX fgAttempted ON players_teams(fgAttempted);
CREATE INDEX fgAttempted_2 ON players_teams(fgAttempted);
CREATE INDEX playerID ON players_teams(playerID);
CREATE INDEX tmID_23 ON players_teams(tmID, year);
CREATE INDEX tmID_2_24 ON players_teams(tmID, year);
CREATE INDEX tmID_3 ON players_teams(tmID, year);
CREATE INDEX year_26 ON players_teams(year, tmID);
CREATE TABLE teams (year INT64 NOT NULL, tmID STRING(9) NOT NULL) PRIMARY KEY (year, tmID);
CREATE INDEX tmID_2_44 ON teams(tmID, year);
CREATE INDEX tmID_43 ON teams(tmID);
