import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import spanemu.junit.SpanemuExtension;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each test finds one row, whatever the others did, and one test makes a commit fail. */
class SampleTest {
  @RegisterExtension
  static final SpanemuExtension spanemu =
      SpanemuExtension.withSchema(
          "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Quantity INT64) PRIMARY KEY (Sku)");

  static Spanner spanner;
  static DatabaseClient client;

  @BeforeAll
  static void connect() {
    spanner =
        SpannerOptions.newBuilder()
            .setProjectId("test")
            .setEmulatorHost(spanemu.host())
            .setCredentials(NoCredentials.getInstance())
            .build()
            .getService();
    client = spanner.getDatabaseClient(DatabaseId.of(spanemu.database()));
    client.write(
        List.of(
            Mutation.newInsertBuilder("Stock").set("Sku").to("A").set("Quantity").to(10).build()));
    spanemu.keep();
  }

  @AfterAll
  static void disconnect() {
    spanner.close();
  }

  static void take(String sku) {
    client
        .readWriteTransaction()
        .run(
            transaction ->
                transaction.executeUpdate(
                    Statement.newBuilder(
                            "UPDATE Stock SET Quantity = Quantity - 1 WHERE Sku = @sku")
                        .bind("sku")
                        .to(sku)
                        .build()));
  }

  static long quantity(String sku) {
    return client.singleUse().readRow("Stock", Key.of(sku), List.of("Quantity")).getLong(0);
  }

  @RepeatedTest(2)
  void eachTestBeginsWithTheSameRows() {
    take("A");
    assertEquals(9, quantity("A"));
  }

  @Test
  void anAbortedCommitIsRepeated() {
    var aborted = spanemu.fault("abort", Map.of("rpc", "Commit"));
    take("A");
    assertEquals(1, aborted.fired());
    assertEquals(9, quantity("A"));
  }
}
