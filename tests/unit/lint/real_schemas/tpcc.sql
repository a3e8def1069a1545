CREATE TABLE warehouse (w_id int NOT NULL, PRIMARY KEY (w_id));
CREATE TABLE district (w_id int NOT NULL, d_id int NOT NULL, PRIMARY KEY (w_id, d_id));
CREATE TABLE customer (w_id int NOT NULL, d_id int NOT NULL, c_id int NOT NULL, PRIMARY KEY (w_id, d_id, c_id));
CREATE TABLE item (i_id int NOT NULL, PRIMARY KEY (i_id));
CREATE TABLE stock (w_id int NOT NULL, s_i_id int NOT NULL, PRIMARY KEY (w_id, s_i_id));
CREATE TABLE orders (
  w_id int NOT NULL, d_id int NOT NULL, c_id int NOT NULL, o_id int NOT NULL, PRIMARY KEY (w_id, d_id, c_id, o_id)
);
CREATE TABLE order_line (
  w_id int NOT NULL, d_id int NOT NULL, c_id int NOT NULL, o_id int NOT NULL, ol_number int NOT NULL,
  ol_supply_w_id int, ol_i_id int, PRIMARY KEY (w_id, d_id, c_id, o_id, ol_number)
);
CREATE TABLE history (
  c_id int, d_id int, w_id int, h_d_id int, h_w_id int, h_date timestamptz,
  PRIMARY KEY (c_id, d_id, w_id, h_d_id, h_w_id, h_date)
);
CREATE INDEX idx_orders ON orders (w_id, d_id, c_id, o_id);
CREATE INDEX fkey_stock_2 ON stock (s_i_id);
CREATE INDEX fkey_order_line_2 ON order_line (ol_supply_w_id, ol_i_id);
CREATE INDEX fkey_history_1 ON history (w_id, d_id, c_id);
CREATE INDEX fkey_history_2 ON history (h_w_id, h_d_id);
ALTER TABLE orders ADD CONSTRAINT of_customer FOREIGN KEY (w_id, d_id, c_id) REFERENCES customer (w_id, d_id, c_id);
ALTER TABLE customer ADD CONSTRAINT in_district FOREIGN KEY (w_id, d_id) REFERENCES district (w_id, d_id);
ALTER TABLE district ADD CONSTRAINT of_warehouse FOREIGN KEY (w_id) REFERENCES warehouse (w_id);
ALTER TABLE order_line ADD CONSTRAINT of_order
  FOREIGN KEY (w_id, d_id, c_id, o_id) REFERENCES orders (w_id, d_id, c_id, o_id);
ALTER TABLE order_line ADD CONSTRAINT from_stock
  FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES stock (w_id, s_i_id);
ALTER TABLE stock ADD CONSTRAINT in_warehouse FOREIGN KEY (w_id) REFERENCES warehouse (w_id);
ALTER TABLE stock ADD CONSTRAINT of_item FOREIGN KEY (s_i_id) REFERENCES item (i_id);
ALTER TABLE history ADD CONSTRAINT by_customer FOREIGN KEY (w_id, d_id, c_id) REFERENCES customer (w_id, d_id, c_id);
ALTER TABLE history ADD CONSTRAINT at_district FOREIGN KEY (h_w_id, h_d_id) REFERENCES district (w_id, d_id);
