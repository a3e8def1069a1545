CREATE TABLE StockPrice (Ticker INT64 NOT NULL, Day DATE NOT NULL) PRIMARY KEY (Ticker, Day);
CREATE TABLE OrderHistory (
  Ticker INT64 NOT NULL, Day DATE NOT NULL, OrderId STRING(36), OrderType INT64 NOT NULL
) PRIMARY KEY (Ticker, Day, OrderId), INTERLEAVE IN PARENT StockPrice ON DELETE CASCADE;
CREATE INDEX OrderSummaryByDayOrderType ON OrderHistory(Day, OrderType);
