CREATE TABLE user_groups (group_id STRING(36) NOT NULL, user_id STRING(36) NOT NULL) PRIMARY KEY (group_id, user_id);
CREATE UNIQUE INDEX idx_group_users_group_id ON user_groups(group_id);
