CREATE TABLE Accounts (AccountId INT64 NOT NULL) PRIMARY KEY (AccountId);
CREATE TABLE DataProviders (DataProviderId INT64 NOT NULL) PRIMARY KEY (DataProviderId);
CREATE TABLE ModelProviders (ModelProviderId INT64 NOT NULL) PRIMARY KEY (ModelProviderId);
CREATE TABLE MeasurementConsumers (MeasurementConsumerId INT64 NOT NULL) PRIMARY KEY (MeasurementConsumerId);
CREATE TABLE Measurements (MeasurementConsumerId INT64 NOT NULL, MeasurementId INT64 NOT NULL)
  PRIMARY KEY (MeasurementConsumerId, MeasurementId), INTERLEAVE IN PARENT MeasurementConsumers ON DELETE CASCADE;
CREATE TABLE DuchyMeasurementResults (
  MeasurementConsumerId INT64 NOT NULL, MeasurementId INT64 NOT NULL, DuchyId INT64 NOT NULL,
  FOREIGN KEY (MeasurementConsumerId, MeasurementId)
    REFERENCES Measurements (MeasurementConsumerId, MeasurementId)
) PRIMARY KEY (MeasurementConsumerId, MeasurementId, DuchyId), INTERLEAVE IN PARENT Measurements ON DELETE CASCADE;
CREATE TABLE MeasurementConsumerOwners (
  AccountId INT64 NOT NULL, MeasurementConsumerId INT64 NOT NULL,
  FOREIGN KEY (AccountId) REFERENCES Accounts (AccountId),
  FOREIGN KEY (MeasurementConsumerId) REFERENCES MeasurementConsumers (MeasurementConsumerId)
) PRIMARY KEY (AccountId, MeasurementConsumerId), INTERLEAVE IN PARENT Accounts ON DELETE CASCADE;
CREATE TABLE RecurringExchanges (
  RecurringExchangeId INT64 NOT NULL, ModelProviderId INT64 NOT NULL, DataProviderId INT64 NOT NULL,
  NextExchangeDate DATE NOT NULL, FOREIGN KEY (ModelProviderId) REFERENCES ModelProviders (ModelProviderId),
  FOREIGN KEY (DataProviderId) REFERENCES DataProviders (DataProviderId)
) PRIMARY KEY (RecurringExchangeId);
CREATE INDEX RecurringExchangesByDataProviderId ON RecurringExchanges(DataProviderId);
CREATE INDEX RecurringExchangesByModelProviderId ON RecurringExchanges(ModelProviderId);
CREATE INDEX RecurringExchangesByNextExchangeDate ON RecurringExchanges(NextExchangeDate);
CREATE TABLE Exchanges (RecurringExchangeId INT64 NOT NULL, Date DATE NOT NULL)
  PRIMARY KEY (RecurringExchangeId, Date), INTERLEAVE IN PARENT RecurringExchanges ON DELETE CASCADE;
CREATE INDEX ExchangesByDate ON Exchanges(Date);
CREATE TABLE ModelRollouts (
  ModelProviderId INT64 NOT NULL, ModelSuiteId INT64 NOT NULL, ModelLineId INT64 NOT NULL,
  ModelRolloutId INT64 NOT NULL, PreviousModelRolloutId INT64,
  FOREIGN KEY (ModelProviderId, ModelSuiteId, PreviousModelRolloutId)
    REFERENCES ModelRollouts (ModelProviderId, ModelSuiteId, ModelRolloutId)
) PRIMARY KEY (ModelProviderId, ModelSuiteId, ModelLineId, ModelRolloutId);
CREATE TABLE DataProviderAvailabilityIntervals (
  DataProviderId INT64 NOT NULL, ModelLineId INT64 NOT NULL,
  FOREIGN KEY (DataProviderId) REFERENCES DataProviders (DataProviderId)
) PRIMARY KEY (DataProviderId, ModelLineId), INTERLEAVE IN PARENT DataProviders;
CREATE TABLE ClientAccounts (
  MeasurementConsumerId INT64 NOT NULL, ClientAccountId INT64 NOT NULL,
  FOREIGN KEY (MeasurementConsumerId) REFERENCES MeasurementConsumers (MeasurementConsumerId)
) PRIMARY KEY (MeasurementConsumerId, ClientAccountId);
CREATE TABLE UnlinkedClientAccounts (
  DataProviderId INT64 NOT NULL, ClientAccountReferenceId STRING(36) NOT NULL,
  FOREIGN KEY (DataProviderId) REFERENCES DataProviders (DataProviderId)
) PRIMARY KEY (DataProviderId, ClientAccountReferenceId);
CREATE TABLE EventGroups (DataProviderId INT64 NOT NULL, EventGroupId INT64 NOT NULL)
  PRIMARY KEY (DataProviderId, EventGroupId), INTERLEAVE IN PARENT DataProviders ON DELETE CASCADE;
CREATE TABLE EventGroupActivities (
  DataProviderId INT64 NOT NULL, EventGroupId INT64 NOT NULL, EventGroupActivityId INT64 NOT NULL,
  ActivityDate DATE NOT NULL
) PRIMARY KEY (DataProviderId, EventGroupId, EventGroupActivityId), INTERLEAVE IN PARENT EventGroups ON DELETE CASCADE;
CREATE UNIQUE INDEX EventGroupActivityByActivityDate
  ON EventGroupActivities(DataProviderId, EventGroupId, ActivityDate);
