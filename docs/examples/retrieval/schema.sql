CREATE TABLE Documents (
  Id INT64 NOT NULL,
  Text STRING(MAX) NOT NULL,
  Embedding ARRAY<FLOAT64>(vector_length=>64),
) PRIMARY KEY (Id);

CREATE MODEL Embedder
  INPUT (content STRING(MAX))
  OUTPUT (embeddings STRUCT<values ARRAY<FLOAT64>>)
  REMOTE OPTIONS (
    endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/text-embedding-005',
    default_batch_size = 10
  );

CREATE MODEL Writer
  INPUT (prompt STRING(MAX))
  OUTPUT (content STRING(MAX))
  REMOTE OPTIONS (
    endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/gemini-2.5-flash',
    default_batch_size = 1
  );
