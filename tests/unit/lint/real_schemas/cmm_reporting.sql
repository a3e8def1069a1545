CREATE TABLE MeasurementConsumers (MeasurementConsumerId INT64 NOT NULL) PRIMARY KEY (MeasurementConsumerId);
CREATE TABLE BasicReports (
  MeasurementConsumerId INT64 NOT NULL, BasicReportId INT64 NOT NULL,
  FOREIGN KEY (MeasurementConsumerId) REFERENCES MeasurementConsumers (MeasurementConsumerId)
) PRIMARY KEY (MeasurementConsumerId, BasicReportId), INTERLEAVE IN PARENT MeasurementConsumers ON DELETE CASCADE;
