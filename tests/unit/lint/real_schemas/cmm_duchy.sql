CREATE TABLE Computations (ComputationId INT64 NOT NULL, LockOwner STRING(99)) PRIMARY KEY (ComputationId);
CREATE INDEX ComputationsByLockOwner ON Computations(LockOwner);
