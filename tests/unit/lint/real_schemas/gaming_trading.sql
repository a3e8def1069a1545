CREATE TABLE players (playerUUID STRING(36) NOT NULL) PRIMARY KEY (playerUUID);
CREATE TABLE player_items (playerUUID STRING(36) NOT NULL, playerItemUUID STRING(36) NOT NULL)
  PRIMARY KEY (playerUUID, playerItemUUID), INTERLEAVE IN PARENT players ON DELETE CASCADE;
CREATE TABLE trade_orders (
  orderUUID STRING(36) NOT NULL, playerItemUUID STRING(36) NOT NULL, active BOOL NOT NULL,
  FOREIGN KEY (playerItemUUID) REFERENCES player_items (playerItemUUID)
) PRIMARY KEY (orderUUID);
CREATE INDEX TradeItem ON trade_orders(playerItemUUID, active);
