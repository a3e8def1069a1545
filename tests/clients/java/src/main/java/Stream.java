import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;

/** `Stream COUNT`: streams 100 MB so many times, and prints the microseconds of each. */
public final class Stream {
  private static final DatabaseId DATABASE = DatabaseId.of("bench", "bench", "bench");
  private static final Statement QUERY =
      Statement.of("SELECT REPEAT('x', 500000) FROM UNNEST(GENERATE_ARRAY(1, 200))");
  private static final long BYTES = 100_000_000;

  public static void main(String[] arguments) {
    SpannerOptions options = SpannerOptions.newBuilder().setProjectId("bench").build();
    try (Spanner spanner = options.getService()) {
      DatabaseClient client = spanner.getDatabaseClient(DATABASE);
      for (int left = Integer.parseInt(arguments[0]); left > 0; left--) {
        long began = System.nanoTime();
        stream(client);
        System.out.println((System.nanoTime() - began) / 1_000);
      }
    }
  }

  private static void stream(DatabaseClient client) {
    long bytes = 0;
    try (ResultSet rows = client.singleUse().executeQuery(QUERY)) {
      while (rows.next()) {
        bytes += rows.getString(0).length();
      }
    }
    if (bytes != BYTES) {
      throw new IllegalStateException(bytes + " bytes");
    }
  }
}
