extension ExportFormat {
  /// All formats that pins are written in, in the order of the documentation.
  package static let all: [ExportFormat] = [
    .trustKitIOS, .trustKitAndroid, .android, .apple,
    .okHttpKotlin, .okHttpJava, .curl, .envoy, .tlsa, .chromium,
  ]
}

extension ImportFormat {
  /// All formats that pins are read from, in the order of the documentation.
  package static let all: [ImportFormat] = [
    .trustKitIOS, .trustKitAndroid, .android, .apple, .chromium,
  ]
}
