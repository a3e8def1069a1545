import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import java.util.List;

/** Writes and reads a row over TLS, with the settings of docs/how-to/tls.md. */
public final class Tls {
  public static void main(String[] arguments) {
    DatabaseId database = DatabaseId.of(arguments[1]);
    SpannerOptions options =
        SpannerOptions.newBuilder()
            .setProjectId(database.getInstanceId().getProject())
            .setHost("https://" + arguments[0])
            .setCredentials(NoCredentials.getInstance())
            .build();
    try (Spanner spanner = options.getService()) {
      DatabaseClient client = spanner.getDatabaseClient(database);
      client.write(List.of(Mutation.newInsertBuilder("Words").set("Word").to("java").build()));
      Statement query = Statement.of("SELECT Word FROM Words");
      try (ResultSet rows = client.singleUse().executeQuery(query)) {
        while (rows.next()) {
          System.out.println(rows.getString(0));
        }
      }
    }
  }
}
