import com.google.cloud.Timestamp;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.gcp.spanner.SpannerConfig;
import org.apache.beam.sdk.io.gcp.spanner.SpannerIO;
import org.apache.beam.sdk.io.gcp.spanner.changestreams.model.DataChangeRecord;
import org.apache.beam.sdk.io.gcp.spanner.changestreams.model.Mod;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.options.ValueProvider.StaticValueProvider;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;

/**
 * Prints the changes of a change stream, read by Beam's SpannerIO, one line each.
 *
 * <p>{@code Changes PROJECT INSTANCE DATABASE STREAM START END}
 */
public final class Changes {
  private Changes() {}

  public static void main(String[] args) {
    String host = System.getenv("SPANNER_EMULATOR_HOST");
    SpannerConfig config =
        SpannerConfig.create()
            .withEmulatorHost(StaticValueProvider.of(host))
            .withProjectId(args[0])
            .withInstanceId(args[1])
            .withDatabaseId(args[2]);
    Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.create());
    pipeline
        .apply(
            SpannerIO.readChangeStream()
                .withSpannerConfig(config)
                .withChangeStreamName(args[3])
                .withMetadataInstance(args[1])
                .withMetadataDatabase(args[2] + "-metadata")
                .withInclusiveStartAt(Timestamp.parseTimestamp(args[4]))
                .withInclusiveEndAt(Timestamp.parseTimestamp(args[5])))
        .apply(ParDo.of(new Print()));
    pipeline.run().waitUntilFinish();
  }

  /** Prints a line for each change of a record. */
  private static final class Print extends DoFn<DataChangeRecord, Void> {
    @ProcessElement
    public void process(@Element DataChangeRecord record) {
      StringBuilder lines = new StringBuilder();
      for (Mod mod : record.getMods()) {
        lines.append(
            String.format(
                "{\"table\": \"%s\", \"mod_type\": \"%s\", \"commit_timestamp\": \"%s\","
                    + " \"record_sequence\": \"%s\", \"keys\": %s, \"new_values\": %s}%n",
                record.getTableName(),
                record.getModType(),
                record.getCommitTimestamp(),
                record.getRecordSequence(),
                mod.getKeysJson(),
                mod.getNewValuesJson()));
      }
      System.out.print(lines); // One call: the lines of threads do not mix.
      System.out.flush();
    }
  }
}
