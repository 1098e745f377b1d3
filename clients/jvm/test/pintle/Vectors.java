package pintle;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs the rows of Tests/Vectors (docs/vectors.md): the answers, as the vectors write them. */
final class Vectors {
  static final Path ROOT = Paths.get(System.getProperty("pintle.root", "../.."));
  static final Path FOLDER = ROOT.resolve("Tests/Vectors");
  private final Map<String, byte[]> certificates = new LinkedHashMap<>();
  private final Map<String, byte[]> signers = new LinkedHashMap<>();
  int unreadableAnchors;
  private final Map<String, String> signerNames = new LinkedHashMap<>();
  private final Map<String, byte[]> manifests = new LinkedHashMap<>();
  private final Map<String, byte[]> keysets = new LinkedHashMap<>();

  Vectors() throws Exception {
    Fields file = theme("certificates.json");
    for (Map.Entry<String, Object> one : Json.object(file.take("certificates")).entrySet()) {
      Fields fields = new Fields(one.getValue());
      certificates.put(one.getKey(), Base64.getDecoder().decode(fields.text("der")));
      fields.text("sha256");
      fields.finish();
    }
    file.finish();
    file = theme("signers.json");
    for (Map.Entry<String, Object> one : Json.object(file.take("signers")).entrySet()) {
      byte[] spki = Base64.getDecoder().decode((String) one.getValue());
      signers.put(one.getKey(), spki);
      signerNames.put(Bytes.hex(Bytes.sha256(spki)), one.getKey());
    }
    file.finish();
  }

  /** A file of the vectors, whose format must be known. */
  static Fields theme(String name) throws Exception {
    Fields fields = new Fields(Json.read(FOLDER.resolve(name)));
    if (fields.number("format") != 1) throw new IllegalArgumentException(name + ": another format");
    return fields;
  }

  /** Takes the manifests and keysets of a theme, with those that several themes name; the theme before is forgotten. */
  void takeFiles(Fields theme) throws Exception {
    manifests.clear();
    keysets.clear();
    Fields shared = theme("shared.json");
    for (Fields file : new Fields[] {shared, theme}) {
      decode(file.take("manifests"), manifests);
      decode(file.take("keysets"), keysets);
    }
    shared.finish();
  }

  private static void decode(Object values, Map<String, byte[]> into) {
    for (Map.Entry<String, Object> one : Json.object(values).entrySet()) {
      Fields fields = new Fields(one.getValue());
      into.put(one.getKey(), fields.has("text") ? fields.text("text").getBytes(StandardCharsets.UTF_8)
          : Base64.getDecoder().decode(fields.text("base64")));
      fields.finish();
    }
  }

  private byte[] manifest(String name) {
    return Objects.requireNonNull(manifests.get(name), name);
  }

  private byte[] keyset(String name) {
    return Objects.requireNonNull(keysets.get(name), name);
  }

  static long seconds(String instant) {
    return Instants.parse(instant.getBytes(StandardCharsets.US_ASCII), 0);
  }

  private PinStoreSettings client(Object value) throws Exception {
    Fields fields = new Fields(value);
    String audience = fields.text("audience");
    PinStoreSettings settings;
    if (fields.has("keyset")) {
      settings = PinStoreSettings.keyset(keyset(fields.text("keyset")), audience);
    } else {
      List<byte[]> keys = new ArrayList<>();
      for (Object name : fields.list("signers")) keys.add(signers.get(name));
      settings = PinStoreSettings.signers(keys, fields.number("threshold"), audience);
    }
    fields.finish();
    return settings;
  }

  private List<X509Certificate> anchors(List<Object> names) throws Exception {
    List<X509Certificate> found = new ArrayList<>();
    for (Object name : names) {
      try {
        found.add((X509Certificate) CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(certificates.get(name))));
      } catch (CertificateException e) {
        // No program can give an anchor that its platform can't read.
        unreadableAnchors++;
      }
    }
    return found;
  }

  private Handshake handshake(Object value) {
    Fields fields = new Fields(value);
    List<byte[]> served = new ArrayList<>();
    for (Object name : fields.list("certificates")) served.add(certificates.get(name));
    String peer = fields.text("peer");
    String host = fields.text("host");
    int port = fields.number("port");
    String version = fields.text("tlsVersion");
    fields.finish();
    if (version != null && !version.equals("1.2") && !version.equals("1.3")) throw new IllegalArgumentException(version);
    switch (peer) {
      case "server": return Handshake.server(host, port, served, version);
      case "client": return Handshake.client(host, port, served, version);
      default: throw new IllegalArgumentException("this runner doesn't know the peer " + peer);
    }
  }

  private static boolean isReplaced(String transport) {
    if (!transport.equals("stands") && !transport.equals("replaced")) throw new IllegalArgumentException(transport);
    return transport.equals("replaced");
  }

  Object decision(Fields row) throws Exception {
    PinStoreSettings settings = client(row.take("client"));
    byte[] manifest = manifest(row.text("manifest"));
    settings.anchors(anchors(row.list("anchors")));
    final long at = seconds(row.text("instant"));
    settings.embedded(manifest);
    Handshake handshake = handshake(row.take("handshake"));
    boolean isReplaced = isReplaced(row.text("transport"));
    PinStore store = PinStore.open(settings);
    if (!store.problems().isEmpty()) throw new IllegalStateException("the manifest was refused: " + store.problems());
    return answer(store.inForce.decider.decide(handshake, at, isReplaced));
  }

  Object load(Fields row) throws Exception {
    String manifest = row.text("manifest");
    Object client = row.take("client");
    Long most = (Long) row.take("maximumBytes");
    Map<String, Object> answer = new LinkedHashMap<>();
    try {
      PinStoreSettings settings = client(client);
      Keyset keyset = settings.shippedKeyset();
      if (most != null) settings.maximumBytes(Math.toIntExact(most));
      Manifest loaded = settings.load(manifest(manifest), keyset);
      List<Object> names = new ArrayList<>();
      for (String id : loaded.signedBy) names.add(signerNames.get(id));
      answer.put("result", "loaded");
      answer.put("serial", loaded.serial);
      answer.put("signedBy", names);
    } catch (PintleException e) {
      answer.put("result", "refused");
      answer.put("error", e.code());
    }
    return answer;
  }

  /** The answers of all steps. */
  List<Object> store(Fields row, Path folder) throws Exception {
    final long[] now = new long[1];
    PinStoreSettings settings = client(row.take("client"));
    List<X509Certificate> anchors = anchors(row.list("anchors"));
    String without = row.text("withoutManifest");
    boolean hasFolder = (Boolean) row.take("directory");
    int loss = row.number("maximumLossPercent");
    List<Object> answers = new ArrayList<>();
    PinStore store = null;
    for (Object value : row.list("steps")) {
      Fields step = new Fields(value);
      String action = step.text("action");
      now[0] = seconds(step.text("at"));
      step.take("expected");
      switch (action) {
        case "open":
          String shipped = step.text("embedded");
          if (step.has("keyset")) settings = PinStoreSettings.keyset(keyset(step.text("keyset")), settings.audience);
          settings.withoutManifest(without.equals("block")
              ? PinStoreSettings.WithoutManifest.BLOCK : PinStoreSettings.WithoutManifest.NOT_PINNED);
          settings.anchors(anchors).maximumLossPercent(loss).clock(() -> now[0]);
          settings.directory(hasFolder ? folder.toFile() : null);
          settings.embedded(shipped == null ? null : manifest(shipped));
          store = PinStore.open(settings);
          answers.add(opened(store));
          break;
        case "update":
          answers.add(result(store, manifest(step.text("manifest")), false));
          break;
        case "update-keyset":
          answers.add(result(store, keyset(step.text("keyset")), true));
          break;
        case "decide":
          Handshake handshake = handshake(step.take("handshake"));
          answers.add(answer(store.evaluate(handshake, !isReplaced(step.text("transport")))));
          break;
        case "status": answers.add(status(store.status())); break;
        default: throw new IllegalArgumentException("this runner doesn't know the action " + action);
      }
      step.finish();
    }
    return answers;
  }

  private static Object opened(PinStore store) {
    Map<String, Object> answer = new LinkedHashMap<>();
    LinkedHashSet<Object> codes = new LinkedHashSet<>();
    for (PinStore.Problem problem : store.problems()) codes.add(problem.code());
    answer.put("source", store.status().source().name().toLowerCase());
    answer.put("problems", new ArrayList<>(codes));
    return answer;
  }

  private static Object result(PinStore store, byte[] bytes, boolean isKeyset) {
    Map<String, Object> answer = new LinkedHashMap<>();
    try {
      PinStore.Result result = isKeyset ? store.updateKeyset(bytes) : store.update(bytes);
      answer.put("result", result.name().toLowerCase());
    } catch (PintleException e) {
      answer.put("result", "refused");
      answer.put("error", e.code());
    }
    return answer;
  }

  private static Object status(Status status) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("source", status.source().name().toLowerCase());
    answer.put("serial", status.serial());
    answer.put("highestSerial", status.highestSerial());
    answer.put("freshness", status.freshness());
    answer.put("now", Instants.format(status.now()));
    if (status.keysetVersion() > 0) {
      answer.put("keyset", status.keysetVersion());
      answer.put("keysetExpired", status.isKeysetExpired());
      answer.put("endorsed", status.isEndorsed());
    }
    return answer;
  }

  /** A decision as the vectors write it. */
  static Map<String, Object> answer(Decision decision) {
    Map<String, Object> answer = new LinkedHashMap<>();
    boolean isNotPinned = decision.verdict() == Decision.Verdict.NOT_PINNED;
    answer.put("verdict", isNotPinned ? "notPinned" : decision.verdict().name().toLowerCase());
    answer.put("reason", decision.reason());
    answer.put("step", (long) decision.step());
    answer.put("entry", decision.entry());
    answer.put("events", new ArrayList<Object>(decision.events()));
    answer.put("disposition", decision.isBlocked() ? "cancel"
        : isNotPinned && !decision.wasReplaced ? "performDefaultHandling" : "useCredential");
    if (decision.clock() != null) answer.put("clock", decision.clock());
    List<Object> matches = new ArrayList<>();
    for (Decision.Match match : decision.matches()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("key", match.key());
      one.put("certificate", (long) match.certificate());
      matches.add(one);
    }
    switch (decision.reason()) {
      case "matched":
      case "denied-key": answer.put("match", matches.get(0)); break;
      case "matched-both":
        answer.put("leaf", matches.get(0));
        answer.put("authority", matches.get(1));
        break;
      case "mismatch":
      case "mismatch-reported":
        boolean isLeaf = !matches.isEmpty() && decision.matches().get(0).certificate() == 0;
        answer.put("mismatch", matches.isEmpty() ? "no-key" : isLeaf ? "authority-missing" : "leaf-missing");
        if (!matches.isEmpty()) answer.put(isLeaf ? "leaf" : "authority", matches.get(0));
        break;
      case "unpinned-host":
        boolean isOff = decision.events().contains("excluded");
        answer.put("notPinned", decision.clock() != null ? "expired" : isOff ? "off" : "no-entry");
        break;
      default:
        if (!matches.isEmpty()) throw new IllegalStateException("matches beside " + decision.reason());
    }
    if (!decision.failures().isEmpty()) {
      Map<String, Object> failure = new LinkedHashMap<>();
      TrustFailure first = decision.failures().get(0);
      failure.put("code", first.code());
      failure.put("certificate", first.certificate() < 0 ? null : (long) first.certificate());
      answer.put("failure", failure);
    }
    return answer;
  }
}
