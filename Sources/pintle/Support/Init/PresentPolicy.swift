import Diagnostics
import PinPolicy

/// The policy that a repository had before `pintle init`.
struct PresentPolicy {
  /// The environment that its manifest is for, as far as that can be read.
  var audience: String?

  /// Nil where a folder holds no policy file, in subfolders neither.
  static func find(in folder: String) -> PresentPolicy? {
    guard let directory = try? PolicyDirectory.load([folder]), !directory.sources.ids.isEmpty else { return nil }
    let policy = PolicyReader.read(directory.sources, unread: directory.problems)
    return PresentPolicy(audience: policy.files.lazy.compactMap { $0.settings?.audience?.value }.first)
  }
}
