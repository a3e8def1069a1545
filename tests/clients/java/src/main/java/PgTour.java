import com.google.cloud.spanner.Database;
import com.google.cloud.spanner.DatabaseAdminClient;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.InstanceConfigId;
import com.google.cloud.spanner.InstanceId;
import com.google.cloud.spanner.InstanceInfo;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The tour of docs/postgresql_tour.py with the official client for Java; prints the same lines. */
public final class PgTour {
  private static final InstanceId INSTANCE = InstanceId.of("tour", "java");
  private static final DatabaseId DATABASE = DatabaseId.of(INSTANCE, "music");

  private static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE singers (
            singer_id bigint PRIMARY KEY, name character varying(100), paid numeric, info jsonb
          )""",
          """
          CREATE TABLE albums (
            singer_id bigint, album_id bigint, title text, PRIMARY KEY (singer_id, album_id)
          ) INTERLEAVE IN PARENT singers ON DELETE CASCADE""",
          "CREATE INDEX singers_by_name ON singers (name)");

  public static void main(String[] arguments) throws Exception {
    // SPANNER_EMULATOR_HOST is found by the client itself.
    SpannerOptions options = SpannerOptions.newBuilder().setProjectId("tour").build();
    try (Spanner spanner = options.getService()) {
      create(spanner);
      tour(spanner.getDatabaseClient(DATABASE));
      spanner.getDatabaseAdminClient().dropDatabase(INSTANCE.getInstance(), DATABASE.getDatabase());
      spanner.getInstanceAdminClient().deleteInstance(INSTANCE.getInstance());
    }
  }

  private static void create(Spanner spanner) throws Exception {
    InstanceConfigId config =
        spanner.getInstanceAdminClient().listInstanceConfigs().iterateAll().iterator().next().getId();
    InstanceInfo info =
        InstanceInfo.newBuilder(INSTANCE)
            .setInstanceConfigId(config)
            .setDisplayName("tour")
            .setNodeCount(1)
            .build();
    spanner.getInstanceAdminClient().createInstance(info).get(60, TimeUnit.SECONDS);
    DatabaseAdminClient databases = spanner.getDatabaseAdminClient();
    Database database = databases.newDatabaseBuilder(DATABASE).setDialect(Dialect.POSTGRESQL).build();
    databases.createDatabase(database, List.of()).get(60, TimeUnit.SECONDS);
    databases
        .updateDatabaseDdl(INSTANCE.getInstance(), DATABASE.getDatabase(), SCHEMA, null)
        .get(60, TimeUnit.SECONDS);
  }

  private static void tour(DatabaseClient database) {
    if (database.getDialect() != Dialect.POSTGRESQL) {
      throw new IllegalStateException("dialect " + database.getDialect());
    }
    write(database);
    read(database);
    query(database);
    update(database);
    database.write(List.of(Mutation.delete("singers", KeySet.singleKey(Key.of(1)))));
    List<String> left =
        rows(
            database.singleUse().executeQuery(Statement.of("SELECT * FROM albums")),
            row -> "%d %d %s".formatted(row.getLong(0), row.getLong(1), row.getString(2)));
    print("albums after a cascade: " + String.join(" ", left));
  }

  private static void write(DatabaseClient database) {
    database.write(
        List.of(
            singer(1, "Marc", "10.50", "{\"aa\": 2, \"b\": 1}"),
            singer(2, null, "NaN", null),
            singer(3, "Alice", "0.1", null),
            album(1, 1, "Total Junk"),
            album(1, 2, "Go, Go, Go"),
            album(3, 1, "Green")));
  }

  private static Mutation singer(long id, String name, String paid, String info) {
    return Mutation.newInsertBuilder("singers")
        .set("singer_id").to(id)
        .set("name").to(name)
        .set("paid").to(Value.pgNumeric(paid))
        .set("info").to(Value.pgJsonb(info))
        .build();
  }

  private static Mutation album(long singer, long id, String title) {
    return Mutation.newInsertBuilder("albums")
        .set("singer_id").to(singer)
        .set("album_id").to(id)
        .set("title").to(title)
        .build();
  }

  private static void read(DatabaseClient database) {
    List<String> byKey =
        rows(
            database
                .singleUse()
                .read("singers", KeySet.singleKey(Key.of(1)), List.of("name", "paid")),
            row -> row.getString(0) + " " + row.getString(1));
    print("read by key: " + String.join(" ", byKey));
    List<String> byIndex =
        rows(
            database
                .singleUse()
                .readUsingIndex("singers", "singers_by_name", KeySet.all(), List.of("name")),
            row -> row.isNull(0) ? "NULL" : row.getString(0));
    print("read by index: " + String.join(" ", byIndex));
  }

  private static void query(DatabaseClient database) {
    Statement jsonb =
        Statement.newBuilder("SELECT info->>'aa', info::text FROM singers WHERE singer_id = $1")
            .bind("p1")
            .to(1)
            .build();
    List<String> items =
        rows(
            database.singleUse().executeQuery(jsonb),
            row -> row.getString(0) + " " + row.getString(1));
    print("jsonb: " + String.join(" ", items));
    Statement numeric =
        Statement.newBuilder(
                "SELECT name, paid + $1 FROM singers WHERE paid < $2 ORDER BY name DESC")
            .bind("p1")
            .to(Value.pgNumeric("0.005"))
            .bind("p2")
            .to(Value.pgNumeric("11"))
            .build();
    List<String> sums =
        rows(
            database.singleUse().executeQuery(numeric),
            row -> row.getString(0) + " " + row.getString(1));
    print("numeric: " + String.join("; ", sums));
  }

  private static void update(DatabaseClient database) {
    Statement statement =
        Statement.newBuilder(
                "UPDATE albums SET title = upper(title) WHERE singer_id = $1 RETURNING title")
            .bind("p1")
            .to(1)
            .build();
    List<String> titles =
        database
            .readWriteTransaction()
            .run(
                transaction ->
                    rows(transaction.executeQuery(statement), row -> row.getString(0)));
    Collections.sort(titles);
    print("returned: " + String.join("; ", titles));
  }

  private static List<String> rows(ResultSet results, Function<ResultSet, String> text) {
    List<String> texts = new ArrayList<>();
    try (results) {
      while (results.next()) {
        texts.add(text.apply(results));
      }
    }
    return texts;
  }

  private static void print(String line) {
    System.out.println(line);
  }
}
