CREATE TABLE measurements_range (id INT64) PRIMARY KEY (id);
