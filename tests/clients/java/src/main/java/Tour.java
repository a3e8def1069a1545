import com.google.cloud.spanner.Database;
import com.google.cloud.spanner.DatabaseAdminClient;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.InstanceAdminClient;
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
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The tour of docs/tour.py with the official client for Java; prints the same lines. */
public final class Tour {
  private static final InstanceId INSTANCE = InstanceId.of("tour", "java");
  private static final DatabaseId DATABASE = DatabaseId.of(INSTANCE, "music");

  private static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE Singers (
            SingerId INT64 NOT NULL, FirstName STRING(1024), LastName STRING(1024)
          ) PRIMARY KEY (SingerId)""",
          """
          CREATE TABLE Albums (
            SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, AlbumTitle STRING(MAX)
          ) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE""",
          "CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle)");

  private static final Statement JOIN =
      Statement.newBuilder(
              """
              SELECT s.LastName, COUNT(*) AS Albums
              FROM Singers AS s JOIN Albums AS a USING (SingerId)
              WHERE s.SingerId >= @first
              GROUP BY s.LastName ORDER BY s.LastName""")
          .bind("first")
          .to(1)
          .build();

  private static final Statement TITLE =
      Statement.of("SELECT AlbumTitle FROM Albums WHERE SingerId = 1 AND AlbumId = 1");

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
    InstanceAdminClient instances = spanner.getInstanceAdminClient();
    InstanceConfigId config = instances.listInstanceConfigs().iterateAll().iterator().next().getId();
    InstanceInfo info =
        InstanceInfo.newBuilder(INSTANCE)
            .setInstanceConfigId(config)
            .setDisplayName("tour")
            .setNodeCount(1)
            .build();
    instances.createInstance(info).get(60, TimeUnit.SECONDS);
    DatabaseAdminClient databases = spanner.getDatabaseAdminClient();
    Database created =
        databases
            .createDatabase(INSTANCE.getInstance(), DATABASE.getDatabase(), SCHEMA)
            .get(60, TimeUnit.SECONDS);
    if (!created.getId().equals(DATABASE)) {
      throw new IllegalStateException("created " + created.getId());
    }
  }

  private static void tour(DatabaseClient database) {
    write(database);
    read(database);
    update(database);
    database.write(List.of(Mutation.delete("Singers", KeySet.singleKey(Key.of(1)))));
    List<String> left =
        rows(
            database.singleUse().executeQuery(Statement.of("SELECT * FROM Albums")),
            row ->
                "[%d, %d, '%s']".formatted(row.getLong(0), row.getLong(1), row.getString(2)));
    print("albums after a cascade: " + left);
  }

  private static void write(DatabaseClient database) {
    List<Mutation> mutations = new ArrayList<>();
    mutations.add(singer(1, "Marc", "Richards"));
    mutations.add(singer(2, "Catalina", "Smith"));
    mutations.add(singer(3, "Alice", "Trentor"));
    mutations.add(album(1, 1, "Total Junk"));
    mutations.add(album(1, 2, "Go, Go, Go"));
    mutations.add(album(2, 1, "Green"));
    database.write(mutations);
  }

  private static Mutation singer(long id, String first, String last) {
    return Mutation.newInsertBuilder("Singers")
        .set("SingerId").to(id)
        .set("FirstName").to(first)
        .set("LastName").to(last)
        .build();
  }

  private static Mutation album(long singer, long id, String title) {
    return Mutation.newInsertBuilder("Albums")
        .set("SingerId").to(singer)
        .set("AlbumId").to(id)
        .set("AlbumTitle").to(title)
        .build();
  }

  private static void read(DatabaseClient database) {
    List<String> byKey =
        rows(
            database
                .singleUse()
                .read("Singers", KeySet.singleKey(Key.of(2)), List.of("FirstName", "LastName")),
            row -> "['%s', '%s']".formatted(row.getString(0), row.getString(1)));
    print("read by key: " + String.join(" ", byKey));
    List<String> byIndex =
        rows(
            database
                .singleUse()
                .readUsingIndex("Albums", "AlbumsByTitle", KeySet.all(), List.of("AlbumTitle")),
            row -> "'%s'".formatted(row.getString(0)));
    print("read by index: " + byIndex);
    List<String> joined =
        rows(
            database.singleUse().executeQuery(JOIN),
            row -> "['%s', %d]".formatted(row.getString(0), row.getLong(1)));
    print("join: " + joined);
  }

  private static void update(DatabaseClient database) {
    Timestamp before =
        database
            .readWriteTransaction()
            .run(
                transaction -> {
                  try (ResultSet now =
                      transaction.executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP()"))) {
                    now.next();
                    return now.getTimestamp(0);
                  }
                });
    Long updated =
        database
            .readWriteTransaction()
            .run(
                transaction ->
                    transaction.executeUpdate(
                        Statement.newBuilder(
                                "UPDATE Albums SET AlbumTitle = UPPER(AlbumTitle)"
                                    + " WHERE SingerId = @id")
                            .bind("id")
                            .to(1)
                            .build()));
    print("rows updated: " + updated);
    print("title then: " + title(database, TimestampBound.ofReadTimestamp(before)));
    print("title now: " + title(database, TimestampBound.strong()));
  }

  private static String title(DatabaseClient database, TimestampBound bound) {
    List<String> titles =
        rows(
            database.singleUse(bound).executeQuery(TITLE),
            row -> "['%s']".formatted(row.getString(0)));
    return String.join(" ", titles);
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
