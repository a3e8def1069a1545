CREATE TABLE WebFeatures (ID STRING(36) NOT NULL, FeatureKey STRING(64) NOT NULL) PRIMARY KEY (ID);
CREATE UNIQUE NULL_FILTERED INDEX WebFeaturesByFeatureID ON WebFeatures(FeatureKey);
CREATE TABLE WPTRuns (ID STRING(36) NOT NULL, ExternalRunID INT64 NOT NULL) PRIMARY KEY (ID);
CREATE UNIQUE NULL_FILTERED INDEX RunsByExternalRunID ON WPTRuns(ExternalRunID);
CREATE TABLE WPTRunFeatureMetrics (
  ID STRING(36) NOT NULL, WebFeatureID STRING(36) NOT NULL, Channel STRING(32) NOT NULL,
  BrowserName STRING(64) NOT NULL, TimeStart TIMESTAMP NOT NULL, TestPassRate NUMERIC, SubtestPassRate NUMERIC,
  FOREIGN KEY (WebFeatureID) REFERENCES WebFeatures (ID) ON DELETE CASCADE,
  FOREIGN KEY (ID) REFERENCES WPTRuns (ID)
) PRIMARY KEY (ID, WebFeatureID), INTERLEAVE IN PARENT WPTRuns ON DELETE CASCADE;
CREATE UNIQUE NULL_FILTERED INDEX MetricsByRunIDAndFeature ON WPTRunFeatureMetrics(ID, WebFeatureID);
CREATE INDEX MetricsFeatureChannelBrowserTime ON
  WPTRunFeatureMetrics(WebFeatureID, Channel, BrowserName, TimeStart DESC);
CREATE INDEX MetricsFeatureChannelBrowserTimeTestPassRate ON
  WPTRunFeatureMetrics(WebFeatureID, Channel, BrowserName, TimeStart DESC, TestPassRate);
CREATE INDEX MetricsFeatureChannelBrowserTimeSubtestPassRate ON
  WPTRunFeatureMetrics(WebFeatureID, Channel, BrowserName, TimeStart DESC, SubtestPassRate);
CREATE TABLE BrowserFeatureAvailabilities (WebFeatureID STRING(36) NOT NULL, BrowserName STRING(64) NOT NULL)
  PRIMARY KEY (WebFeatureID, BrowserName);
CREATE UNIQUE INDEX UniqueFeatureBrowser ON BrowserFeatureAvailabilities(WebFeatureID, BrowserName);
CREATE TABLE FeatureBaselineStatus (WebFeatureID STRING(36) NOT NULL) PRIMARY KEY (WebFeatureID);
CREATE INDEX IDX_FBS_FEATUREID ON FeatureBaselineStatus(WebFeatureID);
CREATE TABLE BrowserReleases (
  BrowserName STRING(64) NOT NULL, BrowserVersion STRING(8) NOT NULL, ReleaseDate TIMESTAMP NOT NULL
) PRIMARY KEY (BrowserName, BrowserVersion);
CREATE INDEX BrowserReleases_BrowserNamesByRelease ON BrowserReleases(BrowserName, ReleaseDate);
CREATE TABLE ChromiumHistogramEnums (ID STRING(36) NOT NULL, HistogramName STRING(MAX) NOT NULL) PRIMARY KEY (ID);
CREATE UNIQUE NULL_FILTERED INDEX ChromiumHistogramEnumsByHistogramName ON ChromiumHistogramEnums(HistogramName);
CREATE TABLE ChromiumHistogramEnumValues (
  ID STRING(36) NOT NULL, ChromiumHistogramEnumID STRING(36) NOT NULL, BucketID INT64 NOT NULL,
  FOREIGN KEY (ChromiumHistogramEnumID) REFERENCES ChromiumHistogramEnums (ID) ON DELETE CASCADE
) PRIMARY KEY (ID);
CREATE UNIQUE NULL_FILTERED INDEX UniqueEnumValuesByEnumAndBucket ON
  ChromiumHistogramEnumValues(ChromiumHistogramEnumID, BucketID);
CREATE TABLE BrowserFeatureSupportEvents (
  TargetBrowserName STRING(64) NOT NULL, EventBrowserName STRING(64) NOT NULL, EventReleaseDate TIMESTAMP NOT NULL,
  WebFeatureID STRING(36) NOT NULL, SupportStatus STRING(32) NOT NULL,
  FOREIGN KEY (WebFeatureID) REFERENCES WebFeatures (ID) ON DELETE CASCADE,
  FOREIGN KEY (EventBrowserName, EventReleaseDate) REFERENCES BrowserReleases (BrowserName, ReleaseDate)
    ON DELETE CASCADE
) PRIMARY KEY (TargetBrowserName, EventBrowserName, EventReleaseDate, WebFeatureID);
CREATE INDEX BrowserFeatureSupportEvents_AllFeatureStatusesOnBrowserRelease ON
  BrowserFeatureSupportEvents(EventReleaseDate DESC, TargetBrowserName, SupportStatus);
CREATE TABLE NotificationChannels (ID STRING(36) NOT NULL) PRIMARY KEY (ID);
CREATE TABLE NotificationChannelDeliveryAttempts (
  ID STRING(36) NOT NULL, ChannelID STRING(36) NOT NULL, AttemptTimestamp TIMESTAMP NOT NULL,
  FOREIGN KEY (ChannelID) REFERENCES NotificationChannels (ID) ON DELETE CASCADE
) PRIMARY KEY (ID);
CREATE INDEX IX_NotificationChannelDeliveryAttempt_AttemptTimestamp ON
  NotificationChannelDeliveryAttempts(ChannelID, AttemptTimestamp DESC);
CREATE TABLE SavedSearchState (SavedSearchId STRING(36) NOT NULL, SnapshotType STRING(64) NOT NULL)
  PRIMARY KEY (SavedSearchId, SnapshotType);
CREATE TABLE SavedSearchNotificationEvents (
  EventId STRING(36) NOT NULL, SavedSearchId STRING(36) NOT NULL, SnapshotType STRING(64) NOT NULL,
  Timestamp TIMESTAMP NOT NULL, EventType STRING(64) NOT NULL,
  FOREIGN KEY (SavedSearchId, SnapshotType) REFERENCES SavedSearchState (SavedSearchId, SnapshotType)
    ON DELETE CASCADE
) PRIMARY KEY (EventId);
CREATE INDEX SavedSearchNotificationEvents_BySearchAndType ON
  SavedSearchNotificationEvents(SavedSearchId, EventType, Timestamp DESC);
