CREATE TABLE Decisions (decision_id STRING(36) NOT NULL) PRIMARY KEY (decision_id);
CREATE TABLE Customers (customer_id STRING(36) NOT NULL) PRIMARY KEY (customer_id);
CREATE TABLE Policies (policy_id STRING(36) NOT NULL) PRIMARY KEY (policy_id);
CREATE TABLE Outcomes (outcome_id STRING(36) NOT NULL) PRIMARY KEY (outcome_id);
CREATE TABLE AboutCustomer (decision_id STRING(36) NOT NULL, customer_id STRING(36) NOT NULL)
  PRIMARY KEY (decision_id, customer_id), INTERLEAVE IN PARENT Decisions ON DELETE CASCADE;
CREATE TABLE FollowedPolicy (decision_id STRING(36) NOT NULL, policy_id STRING(36) NOT NULL)
  PRIMARY KEY (decision_id, policy_id), INTERLEAVE IN PARENT Decisions ON DELETE CASCADE;
CREATE TABLE ResultedIn (decision_id STRING(36) NOT NULL, outcome_id STRING(36) NOT NULL)
  PRIMARY KEY (decision_id, outcome_id), INTERLEAVE IN PARENT Decisions ON DELETE CASCADE;
CREATE PROPERTY GRAPH Context
  NODE TABLES (Decisions, Customers, Policies, Outcomes)
  EDGE TABLES (
    AboutCustomer SOURCE KEY (decision_id) REFERENCES Decisions (decision_id)
      DESTINATION KEY (customer_id) REFERENCES Customers (customer_id),
    FollowedPolicy SOURCE KEY (decision_id) REFERENCES Decisions (decision_id)
      DESTINATION KEY (policy_id) REFERENCES Policies (policy_id),
    ResultedIn SOURCE KEY (decision_id) REFERENCES Decisions (decision_id)
      DESTINATION KEY (outcome_id) REFERENCES Outcomes (outcome_id)
  );
