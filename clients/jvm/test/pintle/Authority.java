package pintle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A private authority made by openssl, whose root no key usage limits, and certificates for several names. */
final class Authority implements AutoCloseable {
  final Path folder = Files.createTempDirectory("pintle-authority");
  private final List<String> certified = new ArrayList<>();

  Authority() throws Exception {
    key("root");
    Files.write(folder.resolve("empty"), "[req]\ndistinguished_name=dn\n[dn]\n".getBytes(StandardCharsets.UTF_8));
    openssl("req", "-x509", "-key", "root.key", "-subj", "/CN=root", "-days", "20000", "-out", "root.pem", "-config", "empty",
        "-addext", "basicConstraints=critical,CA:true", "-addext", "keyUsage=critical,keyCertSign");
  }

  private void key(String name) throws Exception {
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key");
  }

  /** A certificate for these names; its files are NAME.pem and NAME.key. */
  Authority certify(String name, String... hosts) throws Exception {
    key(name);
    openssl("req", "-new", "-key", name + ".key", "-subj", "/CN=" + name, "-out", name + ".csr", "-config", "empty");
    Files.write(folder.resolve("extensions"), ("subjectAltName=DNS:" + String.join(",DNS:", hosts)
        + "\nextendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid\n").getBytes(StandardCharsets.UTF_8));
    openssl("x509", "-req", "-in", name + ".csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "17", "-days", "20000",
        "-extfile", "extensions", "-out", name + ".pem");
    certified.add(name);
    return this;
  }

  private byte[] certificate(String name) throws Exception {
    return Fixtures.pem(file(name + ".pem")).get(0);
  }

  /** A manifest that pins these hosts, each by the key of a certificate, or by that of "nobody". */
  byte[] release(long serial, String... hostsAndKeys) throws Exception {
    return release(serial, Release.map(), hostsAndKeys);
  }

  /** The same, with further fields in each entry. */
  byte[] release(long serial, Map<String, Object> fields, String... hostsAndKeys) throws Exception {
    Map<String, Object> keys = Release.map("nobody", Release.map("pin", Base64.getEncoder().encodeToString(new byte[32])));
    for (String name : certified) keys.put(name, Release.map("pin", Fixtures.pin(certificate(name))));
    Map<String, Object> sets = Release.map();
    for (String key : keys.keySet()) sets.put(key, Release.map("active", Release.list(key), "backup", Release.list()));
    List<Object> hosts = new ArrayList<>();
    for (int i = 0; i < hostsAndKeys.length; i += 2) {
      Map<String, Object> entry = Release.map("host", hostsAndKeys[i], "key-set", hostsAndKeys[i + 1], "mode", "enforce");
      entry.putAll(fields);
      hosts.add(entry);
    }
    Map<String, Object> content = Release.content(serial, keys, sets, hosts.toArray());
    return Release.sign(SignedFile.MANIFEST, content, Release.Signer.ofFixtures());
  }

  /** Of a store with such a manifest, and with this authority as the system's. */
  PinStoreSettings settings(byte[] manifest) throws Exception {
    return Fixtures.settings(manifest).anchors(Collections.singletonList(Fixtures.certificate(certificate("root"))))
        .recentPeriod(0);
  }

  /** So many authorities, each of which certifies the root's key and all others. */
  List<Path> tangle(int keys) throws Exception {
    Files.write(folder.resolve("authority"), ("basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n"
        + "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n").getBytes(StandardCharsets.UTF_8));
    Files.copy(file("root.key"), file("0.key"));
    for (int i = 0; i <= keys; i++) {
      if (i > 0) key(Integer.toString(i));
      String name = i == 0 ? "/CN=root" : "/CN=authority " + i;
      openssl("req", "-new", "-key", i + ".key", "-subj", name, "-out", i + ".csr", "-config", "empty");
      openssl("x509", "-req", "-in", i + ".csr", "-signkey", i + ".key", "-days", "20000", "-out", i + ".own", "-extfile",
          "authority");
    }
    List<Path> made = new ArrayList<>();
    for (int i = 0; i <= keys; i++) {
      for (int by = 1; by <= keys; by++) {
        if (i == by) continue;
        String name = i + "-" + by + ".pem";
        openssl("x509", "-req", "-in", i + ".csr", "-CA", by + ".own", "-CAkey", by + ".key", "-set_serial", "1" + i + by, "-days",
            "20000", "-extfile", "authority", "-out", name);
        made.add(file(name));
      }
    }
    return made;
  }

  /** An authority that excludes so many names. */
  Path constrained(int count) throws Exception {
    StringBuilder excluded = new StringBuilder("nameConstraints=critical");
    for (int i = 0; i < count; i++) excluded.append(",excluded;DNS:x").append(i).append(".example");
    openssl("req", "-x509", "-key", "root.key", "-subj", "/CN=root", "-days", "20000", "-out", "constrained.pem", "-config",
        "empty", "-addext", "basicConstraints=critical,CA:true", "-addext", "keyUsage=critical,keyCertSign", "-addext",
        excluded.toString());
    return file("constrained.pem");
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  private void openssl(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add("openssl");
    command.addAll(Arrays.asList(arguments));
    Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile()).start();
    if (process.waitFor() != 0) {
      throw new IOException(new String(Files.readAllBytes(folder.resolve("log")), StandardCharsets.UTF_8));
    }
  }

  @Override
  public void close() throws IOException {
    Scratch.remove(folder);
  }
}
