CREATE TABLE ImpressionMetadata (
  DataProviderResourceId STRING(40) NOT NULL, ImpressionMetadataId INT64 NOT NULL, BlobUri STRING(MAX) NOT NULL
) PRIMARY KEY (DataProviderResourceId, ImpressionMetadataId);
CREATE UNIQUE INDEX ImpressionMetadataByBlobUri ON ImpressionMetadata(DataProviderResourceId, BlobUri);
CREATE INDEX ImpressionMetadataByBlobUriPrefix ON ImpressionMetadata(DataProviderResourceId, BlobUri);
CREATE TABLE RawImpressionUploadFile (
  DataProviderResourceId STRING(40) NOT NULL, FileId INT64 NOT NULL, BlobUri STRING(MAX) NOT NULL
) PRIMARY KEY (DataProviderResourceId, FileId);
CREATE UNIQUE INDEX RawImpressionUploadFileByBlobUri ON RawImpressionUploadFile(DataProviderResourceId, BlobUri);
CREATE TABLE RankIndexBlob (
  DataProviderResourceId STRING(40) NOT NULL, RankIndexBlobId INT64 NOT NULL, BlobUri STRING(MAX) NOT NULL
) PRIMARY KEY (DataProviderResourceId, RankIndexBlobId);
CREATE UNIQUE INDEX RankIndexBlobByBlobUri ON RankIndexBlob(DataProviderResourceId, BlobUri);
