CREATE TABLE Products (
  ProductId STRING(36) NOT NULL,
  Name STRING(200) NOT NULL,
  Description STRING(MAX),
  Category STRING(40) NOT NULL,
  Tags ARRAY<STRING(40)>,
  Cents INT64 NOT NULL,
  Popularity INT64 NOT NULL,
  NameTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Name, token_category => 'title')) HIDDEN,
  DescriptionTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Description)) HIDDEN,
  Tokens TOKENLIST AS (TOKENLIST_CONCAT([NameTokens, DescriptionTokens])) HIDDEN,
  NameParts TOKENLIST AS (TOKENIZE_SUBSTRING(
    Name, ngram_size_min => 2, ngram_size_max => 3, relative_search_types => ['word_prefix'])) HIDDEN,
  TagTokens TOKENLIST AS (TOKEN(Tags)) HIDDEN,
) PRIMARY KEY (ProductId);

CREATE SEARCH INDEX ProductsByText ON Products (Tokens, NameParts, TagTokens)
  STORING (Name, Description, Category, Tags, Cents)
  ORDER BY Popularity DESC;

CREATE TABLE Synonyms (
  Key STRING(MAX) NOT NULL,
  Value ARRAY<STRING(MAX)> NOT NULL,
) PRIMARY KEY (Key),
  OPTIONS (fulltext_dictionary_table = true);
