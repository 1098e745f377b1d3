extension OkHttpSource {
  /// A class that holds the pinner.
  func java() -> String {
    var text = head() + (package.map { "package \($0);\n\n" } ?? "")
    if watched != nil { text += "import java.util.Collections;\nimport javax.net.ssl.SSLPeerUnverifiedException;\n" }
    text += "import okhttp3.CertificatePinner;\n\n" + Self.documentation + "public final class \(name) {\n"
    let groups = groups()
    if groups.count > 1 {
      text += "    public static final CertificatePinner CERTIFICATE_PINNER = build();\n"
    } else {
      text += "    public static final CertificatePinner CERTIFICATE_PINNER = new CertificatePinner.Builder()\n"
      for host in groups.joined() { text += calls(host, indent: (12, more: 8)) }
      text += "            .build();\n"
    }
    if let watched {
      text += """

            static {
                // Before OkHttp 4.3.0 a pattern with two asterisks matches nothing, and nothing would be pinned.
                if (!isPinned("\(watched)")) {
                    throw new IllegalStateException("OkHttp 4.3.0 or later is needed");
                }
            }

            private static boolean isPinned(String host) {
                try {
                    CERTIFICATE_PINNER.check(host, Collections.emptyList());
                    return false;
                } catch (SSLPeerUnverifiedException e) {
                    return true;
                }
            }

        """
    }
    if groups.count > 1 { text += javaFunctions(groups) }
    return text + "\n    private \(name)() {}\n}\n"
  }

  private func javaFunctions(_ groups: [[PinList.Host]]) -> String {
    var text = "\n    private static CertificatePinner build() {\n"
    text += "        CertificatePinner.Builder builder = new CertificatePinner.Builder();\n"
    for number in groups.indices { text += "        addHosts\(number + 1)(builder);\n" }
    text += "        return builder.build();\n    }\n"
    for (number, group) in groups.enumerated() {
      text += "\n    private static void addHosts\(number + 1)(CertificatePinner.Builder builder) {\n"
      for host in group { text += calls(host, on: "builder", indent: (8, more: 8), end: ");") }
      text += "    }\n"
    }
    return text
  }
}
