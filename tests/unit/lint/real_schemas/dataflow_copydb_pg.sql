CREATE TABLE "PK_Float64" (key double precision, PRIMARY KEY (key));
CREATE TABLE "Ref" (id1 bigint, id2 bigint, PRIMARY KEY (id1, id2));
CREATE TABLE "Child" (
  id1 bigint, id2 bigint, id3 bigint, CONSTRAINT fk1 FOREIGN KEY (id1) REFERENCES "Ref" (id1),
  PRIMARY KEY (id1, id2, id3)
) INTERLEAVE IN "Ref";
CREATE TABLE "MyTable_NoPks" (val bigint);
