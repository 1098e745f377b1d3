package pintle;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Answers questions about manifests, keysets and folders, one JSON object a line, for test/differential.py. */
public final class Answers {
  private final byte[] signer;
  private final List<byte[]> chain = new ArrayList<>();
  private final PlatformTrust trust;

  private Answers(Map<String, Object> settings) throws Exception {
    signer = decode(settings.get("signer"));
    for (Object one : Json.list(settings.get("chain"))) chain.add(decode(one));
    List<java.security.cert.X509Certificate> anchors = new ArrayList<>();
    for (Object one : Json.list(settings.get("anchors"))) anchors.add(Fixtures.certificate(decode(one)));
    trust = PlatformTrust.of(anchors);
  }

  private static byte[] decode(Object text) {
    return text == null ? null : Base64.getDecoder().decode((String) text);
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    PrintStream output = new PrintStream(System.out, false, "US-ASCII");
    Answers answers = new Answers(Json.object(Json.read(input.readLine())));
    for (String line; (line = input.readLine()) != null;) {
      Map<String, Object> question = Json.object(Json.read(line));
      Object answer;
      try {
        answer = question.containsKey("manifest") ? answers.manifest(question)
            : question.containsKey("anchor") ? answers.trust(question)
            : question.containsKey("folder") ? answers.folder(question) : answers.keyset(question);
      } catch (PintleException e) {
        answer = Release.map("error", e.code());
      }
      output.println(Release.json(answer));
      output.flush();
    }
  }

  private PinStoreSettings settings() {
    PinStoreSettings settings = PinStoreSettings.signers(Collections.singletonList(signer), 1, "vectors");
    settings.trust = trust;
    return settings;
  }

  private Object manifest(Map<String, Object> question) throws Exception {
    PinStoreSettings settings = settings();
    Manifest manifest = settings.load(decode(question.get("manifest")), settings.shippedKeyset());
    List<Object> answers = new ArrayList<>();
    Decider decider = new Decider(manifest, trust.lazily());
    for (Object one : Json.list(question.get("questions"))) {
      List<Object> asked = Json.list(one);
      Handshake handshake = Handshake.server((String) asked.get(0), Math.toIntExact((Long) asked.get(1)), chain, "1.3");
      Decision decision = decider.decide(handshake, (Long) asked.get(2), false);
      List<Object> matches = new ArrayList<>();
      for (Decision.Match match : decision.matches()) matches.add(Release.list(match.key(), match.certificate()));
      List<Object> path = new ArrayList<>();
      if (decision.step() > 2) for (byte[] der : decision.chain()) path.add(Fixtures.digest(der));
      Object failure = decision.failures().isEmpty() ? "" : decision.failures().get(0).code();
      answers.add(Release.map("verdict", Vectors.answer(decision).get("verdict"), "reason", decision.reason(), "step",
          decision.step(), "entry", decision.entry() == null ? "" : decision.entry(), "events",
          new ArrayList<Object>(decision.events()), "clock", decision.clock() == null ? "" : decision.clock(), "matches", matches,
          "path", path, "failure", failure, "message",
          Base64.getEncoder().encodeToString(decision.message().getBytes(StandardCharsets.UTF_8))));
    }
    return Release.map("status", Release.list(manifest.serial, manifest.entries.size(), manifest.issued, manifest.refreshAfter,
        manifest.expires), "answers", answers);
  }

  /** What trust evaluation says of a chain under one anchor. */
  private Object trust(Map<String, Object> question) throws Exception {
    Handshake handshake = Handshake.server((String) question.get("host"), 443, Collections.singletonList(
        decode(question.get("leaf"))), "1.3");
    byte[] anchor = decode(question.get("anchor"));
    // Nor can a program give it to a store.
    if (!Certificate.isReadable(anchor)) return Release.map("failure", "malformed");
    TrustEvaluator evaluator = new TrustEvaluator(Collections.singletonList(Fixtures.certificate(anchor)));
    Evaluation evaluation = evaluator.evaluate(handshake.certificates, new TrustRequest(handshake, (Long) question.get("at")));
    return Release.map("failure", evaluation.chain == null ? evaluation.failures.get(0).code() : "");
  }

  private Object keyset(Map<String, Object> question) throws Exception {
    byte[] file = decode(question.get("keyset"));
    byte[] trusted = decode(question.get("trusted"));
    PinStore store = PinStore.open(PinStoreSettings.keyset(trusted == null ? file : trusted, "vectors")
        .anchors(Collections.emptyList()));
    if (trusted != null) store.updateKeyset(file);
    return Release.map("status", Release.list(store.status().keysetVersion(), store.status().keysetExpires()));
  }

  /** A folder that libpintle has written, or will read. */
  private Object folder(Map<String, Object> question) throws Exception {
    PinStore store = PinStore.open(PinStoreSettings.keyset(decode(question.get("trusted")), "vectors")
        .directory(new File((String) question.get("folder"))).anchors(Collections.emptyList()));
    for (Object one : Json.list(question.get("keysets"))) store.updateKeyset(decode(one));
    for (Object one : Json.list(question.get("manifests"))) store.update(decode(one));
    Status status = store.status();
    return Release.map("problems", store.problems().size(), "status", Release.list(status.serial(), status.highestSerial(),
        status.keysetVersion(), status.isEndorsed() ? 1 : 0));
  }
}
