import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.postgresql.PGConnection;

/** Reads and writes a PostgreSQL database through PGAdapter with PostgreSQL's own JDBC driver. */
public final class PgJdbc {
  private static final OffsetDateTime SEEN = OffsetDateTime.parse("2024-01-02T03:04:05.678901Z");

  private PgJdbc() {}

  public static void main(String[] arguments) throws Exception {
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      insert(connection);
      transact(connection);
      insertMany(connection);
      describe(connection);
      fail(connection);
    }
  }

  private static void insert(Connection connection) throws SQLException {
    String sql = "INSERT INTO samples (id, name, score, paid, seen, data, tags, info, done)"
        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, 1);
      statement.setString(2, "Zoë");
      statement.setDouble(3, 0.1);
      statement.setBigDecimal(4, new BigDecimal("10.50"));
      statement.setObject(5, SEEN);
      statement.setBytes(6, new byte[] {0, -1});
      statement.setArray(7, connection.createArrayOf("text", new String[] {"a", null}));
      statement.setString(8, "{\"k\": 1}");
      statement.setBoolean(9, true);
      System.out.println("inserted: " + statement.executeUpdate());
    }
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT * FROM samples WHERE id = ?")) {
      statement.setLong(1, 1);
      ResultSet row = statement.executeQuery();
      row.next();
      System.out.println(String.join(" ",
          row.getString("name"), row.getString("score"), row.getBigDecimal("paid").toString(),
          String.valueOf(row.getObject("seen", OffsetDateTime.class).isEqual(SEEN)),
          Arrays.toString(row.getBytes("data")),
          Arrays.toString((Object[]) row.getArray("tags").getArray()),
          row.getString("info"), String.valueOf(row.getBoolean("done")),
          String.valueOf(row.getDate("born"))));
    }
  }

  private static void transact(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    String within = single(connection, "UPDATE samples SET paid = paid * 2 WHERE id = 1 RETURNING paid");
    connection.rollback();
    String after = single(connection, "SELECT paid FROM samples");
    connection.commit();
    connection.setAutoCommit(true);
    System.out.println("rolled back: " + within + " " + after);
  }

  private static void insertMany(Connection connection) throws Exception {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO samples (id, name) VALUES (?, ?)")) {
      for (long id = 2; id < 5; id++) {
        statement.setLong(1, id);
        statement.setString(2, "n" + id);
        statement.addBatch();
      }
      System.out.println("a batch: " + Arrays.toString(statement.executeBatch()));
    }
    var rows = new java.io.StringReader("10\tc10\n11\t\\N\n");
    long copied = connection.unwrap(PGConnection.class).getCopyAPI()
        .copyIn("COPY samples (id, name) FROM STDIN", rows);
    System.out.println("copied: " + copied + " " + single(connection, "SELECT count(*) FROM samples"));
  }

  private static void describe(Connection connection) throws SQLException {
    DatabaseMetaData metadata = connection.getMetaData();
    List<String> tables = new ArrayList<>();
    try (ResultSet rows = metadata.getTables(null, "public", "%", new String[] {"TABLE"})) {
      while (rows.next()) {
        tables.add(rows.getString("TABLE_NAME"));
      }
    }
    System.out.println("tables: " + tables);
    List<String> columns = new ArrayList<>();
    try (ResultSet rows = metadata.getColumns(null, "public", "samples", "%")) {
      while (rows.next()) {
        columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME"));
      }
    }
    System.out.println("columns: " + columns);
  }

  private static void fail(Connection connection) {
    for (String sql : List.of("INSERT INTO samples (id) VALUES (1)", "SELECT nope FROM samples")) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException failure) {
        System.out.println("refused: " + failure.getMessage().contains(sql.contains("nope") ? "nope" : "exists"));
      }
    }
  }

  private static String single(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
