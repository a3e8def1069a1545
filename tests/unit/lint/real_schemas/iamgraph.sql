CREATE TABLE Identities (identity_id INT64 NOT NULL) PRIMARY KEY (identity_id);
CREATE TABLE UserGroups (group_id INT64 NOT NULL) PRIMARY KEY (group_id);
CREATE TABLE Resources (resource_id INT64 NOT NULL) PRIMARY KEY (resource_id);
CREATE TABLE Membership (
  identity_id INT64 NOT NULL, group_id INT64 NOT NULL,
  FOREIGN KEY (identity_id) REFERENCES Identities (identity_id),
  FOREIGN KEY (group_id) REFERENCES UserGroups (group_id)
) PRIMARY KEY (identity_id, group_id), INTERLEAVE IN PARENT Identities ON DELETE CASCADE;
CREATE TABLE Permissions (
  group_id INT64 NOT NULL, resource_id INT64 NOT NULL, role STRING(20) NOT NULL,
  FOREIGN KEY (group_id) REFERENCES UserGroups (group_id),
  FOREIGN KEY (resource_id) REFERENCES Resources (resource_id)
) PRIMARY KEY (group_id, resource_id, role);
CREATE TABLE DirectAccess (
  identity_id INT64 NOT NULL, resource_id INT64 NOT NULL, revoked BOOL,
  FOREIGN KEY (identity_id) REFERENCES Identities (identity_id),
  FOREIGN KEY (resource_id) REFERENCES Resources (resource_id)
) PRIMARY KEY (identity_id, resource_id);
