extension OkHttpSource {
  /// An object that holds the pinner.
  func kotlin() -> String {
    var text = head() + (package.map { "package \($0)\n\n" } ?? "")
    text += "import okhttp3.CertificatePinner\n"
    if watched != nil { text += "import javax.net.ssl.SSLPeerUnverifiedException\n" }
    text += "\n" + Self.documentation + "object \(name) {\n"
    text += "    val certificatePinner: CertificatePinner = CertificatePinner.Builder()\n"
    let groups = groups()
    if groups.count > 1 {
      for number in groups.indices { text += "        .apply { addHosts\(number + 1)(this) }\n" }
    } else {
      for host in groups.joined() { text += calls(host, indent: (8, more: 4)) }
    }
    text += "        .build()\n"
    if let watched {
      text += """

            init {
                // Before OkHttp 4.3.0 a pattern with two asterisks matches nothing, and nothing would be pinned.
                check(isPinned("\(watched)")) { "OkHttp 4.3.0 or later is needed" }
            }

            private fun isPinned(host: String): Boolean =
                try {
                    certificatePinner.check(host, emptyList())
                    false
                } catch (e: SSLPeerUnverifiedException) {
                    true
                }

        """
    }
    if groups.count > 1 {
      for (number, group) in groups.enumerated() {
        text += "\n    private fun addHosts\(number + 1)(builder: CertificatePinner.Builder) {\n"
        for host in group { text += calls(host, on: "builder", indent: (8, more: 4)) }
        text += "    }\n"
      }
    }
    return text + "}\n"
  }
}
