package spanemu.junit;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives the tests of a class a database of spanemu, with the same content before each test.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final SpanemuExtension spanemu = SpanemuExtension.withSchema("CREATE TABLE ...");
 * }</pre>
 *
 * <p>The emulator at SPANNER_EMULATOR_HOST and SPANNER_EMULATOR_REST_HOST is used if these are set;
 * otherwise the command in SPANEMU, by default "spanemu", is started once for all classes. After
 * each test, the database is restored, faults are removed, and the clock is as before. Copy this
 * file into your project; it needs JUnit 5, and Gson, which the Spanner client has.
 */
public final class SpanemuExtension implements BeforeAllCallback, AfterEachCallback {
  private static final Duration START_MAX = Duration.ofSeconds(60);
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final String INSTANCE = "projects/test/instances/test";
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Gson JSON = new Gson();

  private final List<String> schema;
  private Emulator emulator;
  private String database;
  private String snapshot;

  private SpanemuExtension(List<String> schema) {
    this.schema = schema;
  }

  /** Returns an extension whose database has the schema of some DDL statements. */
  public static SpanemuExtension withSchema(String... statements) {
    return new SpanemuExtension(List.of(statements));
  }

  /** Returns HOST:PORT, for {@code SpannerOptions.Builder.setEmulatorHost}. */
  public String host() {
    return emulator.host;
  }

  /** Returns the full name of the database. */
  public String database() {
    return database;
  }

  /** Keeps the present rows: the content of the database before each further test. */
  public void keep() {
    if (snapshot != null) {
      control("POST", database + ":forget", Map.of("snapshot", snapshot));
    }
    snapshot = control("POST", database + ":snapshot", Map.of()).get("snapshot").getAsString();
  }

  /** Returns the full name of a new copy of the database, for a test that runs beside others. */
  public String copy() {
    var id = "copy-" + UUID.randomUUID().toString().substring(0, 8);
    return control("POST", database + ":clone", Map.of("name", id)).get("database").getAsString();
  }

  /** Installs a fault until the end of the test, such as "abort" with the argument "rpc". */
  public Fault fault(String verb, Map<String, ?> arguments) {
    var made = control("POST", "faults", Map.of("verb", verb, "arguments", arguments));
    return new Fault("faults/" + made.get("fault").getAsInt());
  }

  /** Moves the clock forward until the end of the test. */
  public void advance(Duration by) {
    control("POST", "clock:advance", Map.of("microseconds", by.toNanos() / 1_000));
  }

  /** Performs a control operation below /spanemu/v1/; docs/reference/control-operations.md lists them. */
  public JsonObject control(String method, String path, Map<String, ?> arguments) {
    return emulator.call(method, "/spanemu/v1/" + path, arguments);
  }

  /** A fault of the emulator. */
  public final class Fault {
    private final String path;

    private Fault(String path) {
      this.path = path;
    }

    /** Returns the number of requests that the fault has struck. */
    public int fired() {
      return control("GET", path, Map.of()).get("fired").getAsInt();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    emulator =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(SpanemuExtension.class))
            .getOrComputeIfAbsent("emulator", key -> Emulator.open(), Emulator.class);
    var id = "test-" + UUID.randomUUID().toString().substring(0, 8);
    database = INSTANCE + "/databases/" + id;
    emulator.create(id, schema);
    keep();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    control("POST", "faults:clear", Map.of());
    control("POST", database + ":restore", Map.of("snapshot", snapshot));
  }

  /** An emulator that was found, or that this JVM started. */
  private static final class Emulator implements ExtensionContext.Store.CloseableResource {
    private final String host;
    private final String rest;
    private final Process process;

    private Emulator(String host, String rest, Process process) {
      this.host = host;
      this.rest = rest;
      this.process = process;
    }

    private static Emulator open() {
      var host = System.getenv("SPANNER_EMULATOR_HOST");
      if (host != null && !host.isEmpty()) {
        if (!host.matches(".*:\\d+")) {
          throw new IllegalStateException("SPANNER_EMULATOR_HOST=" + host + " is not HOST:PORT");
        }
        var rest = System.getenv("SPANNER_EMULATOR_REST_HOST");
        rest = rest == null ? host.replaceAll(":\\d+$", ":9020") : rest;
        return new Emulator(host, rest.contains("://") ? rest : "http://" + rest, null);
      }
      try {
        return start();
      } catch (IOException | InterruptedException problem) {
        throw new IllegalStateException(
            "spanemu did not start: " + problem.getMessage()
                + "; the variable SPANEMU names the command, such as .venv/bin/spanemu",
            problem);
      }
    }

    private static Emulator start() throws IOException, InterruptedException {
      var command = System.getenv().getOrDefault("SPANEMU", "spanemu");
      Path file = Files.createTempDirectory("spanemu").resolve("endpoint.json");
      var arguments = new ArrayList<>(List.of(command.split(" ")));
      arguments.addAll(List.of("serve", "--host-port", "127.0.0.1:0", "--endpoint-file"));
      // The emulator ends when this JVM closes its input, even by a crash.
      arguments.addAll(List.of(file.toString(), "--stop-on-stdin-end"));
      var process =
          new ProcessBuilder(arguments)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      var deadline = Instant.now().plus(START_MAX);
      while (!Files.exists(file)) {
        if (!process.isAlive() || Instant.now().isAfter(deadline)) {
          process.destroy();
          throw new IOException("no answer from: " + String.join(" ", arguments));
        }
        Thread.sleep(20);
      }
      var endpoint = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      return new Emulator(
          endpoint.get("uri").getAsString(), endpoint.get("rest_uri").getAsString(), process);
    }

    private void create(String id, List<String> schema) {
      var config = INSTANCE.replaceAll("/instances/.*", "/instanceConfigs/emulator-config");
      var instance = Map.of("config", config, "displayName", "test", "nodeCount", 1);
      try {
        call("POST", "/v1/projects/test/instances", Map.of("instanceId", "test", "instance", instance));
      } catch (IllegalStateException exists) {
        call("GET", "/v1/" + INSTANCE, Map.of());
      }
      var statement = "CREATE DATABASE `" + id + "`";
      var request = Map.of("createStatement", statement, "extraStatements", schema);
      var operation = call("POST", "/v1/" + INSTANCE + "/databases", request);
      while (!operation.has("done")) {
        operation = call("GET", "/v1/" + operation.get("name").getAsString(), Map.of());
      }
      if (operation.has("error")) {
        throw new IllegalStateException(operation.get("error").toString());
      }
    }

    private JsonObject call(String method, String path, Map<String, ?> content) {
      var body =
          method.equals("GET")
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(JSON.toJson(content));
      var request =
          HttpRequest.newBuilder(URI.create(rest + path))
              .timeout(CALL_MAX)
              .header("Content-Type", "application/json")
              .method(method, body)
              .build();
      try {
        var response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
          throw new IllegalStateException(method + " " + path + ": " + response.body());
        }
        return JsonParser.parseString(response.body()).getAsJsonObject();
      } catch (IOException | InterruptedException problem) {
        throw new IllegalStateException(method + " " + path, problem);
      }
    }

    @Override
    public void close() {
      if (process != null) {
        process.destroy();
      }
    }
  }
}
