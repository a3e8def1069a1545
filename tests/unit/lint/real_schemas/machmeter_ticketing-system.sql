CREATE TABLE issues (issue_id INT64) PRIMARY KEY (issue_id);
CREATE TABLE comments (issue_id INT64, comment_id INT64, FOREIGN KEY (issue_id) REFERENCES issues (issue_id))
  PRIMARY KEY (issue_id, comment_id), INTERLEAVE IN PARENT issues ON DELETE CASCADE;
CREATE TABLE history (issue_id INT64, change_id INT64, FOREIGN KEY (issue_id) REFERENCES issues (issue_id))
  PRIMARY KEY (issue_id, change_id), INTERLEAVE IN PARENT issues ON DELETE CASCADE;
