import Diagnostics
package import OpenSSLKit

extension Resolver {
  /// Resolves a parsed policy as each of some audiences has it.
  ///
  /// An audience of all hosts is resolved once, however many slices of it there are.
  ///
  /// - Parameters:
  ///   - parsed: The policy as it was written.
  ///   - files: How to get at key files.
  ///   - names: The audiences; nil stands for the first.
  ///   - memory: What is known of key files.
  /// - Returns: A policy for each name.
  /// - Throws: ``CryptoError`` where libcrypto can't make a digest.
  package static func resolve(
    _ parsed: ParsedPolicy, files: FileReader, forEach names: [String?], remembering memory: inout KeyFileMemory
  ) throws(CryptoError) -> [Policy] {
    var parsed = parsed
    parsed.problems += AudienceProblems.all(in: parsed)
    let (audiences, environments) = (parsed.audiences, parsed.environments)
    var policies: [Policy] = []
    guard let first = environments.first else {
      for _ in names { policies.append(try resolve(selected: parsed, files, &memory)) }
      return policies
    }
    var resolved: [String: Policy] = [:]
    func whole(_ environment: ParsedAudience) throws(CryptoError) -> Policy {
      if let known = resolved[environment.name.value] { return known }
      var policy = try resolve(selected: AudienceSelection(of: parsed, for: environment).policy, files, &memory)
      policy.audiences = audiences.map(\.name.value)
      if environment.development?.value != true {
        for other in environments where other.development?.value == true {
          policy.developments.append(try whole(other))
        }
      }
      resolved[environment.name.value] = policy
      return policy
    }
    for name in names {
      let chosen = audiences.first { $0.name.value == name }
      let environment = chosen?.sliceOf.map { of in environments.first { $0.name.value == of.value } } ?? chosen
      var policy = try whole(environment ?? first)
      if let chosen, chosen.sliceOf != nil { policy.slice(by: chosen) }
      // What is wrong with an audience is wrong with the entries that it changes.
      var seen: Set<PolicyProblem> = []
      policy.problems.removeAll { !seen.insert($0).inserted }
      policies.append(policy)
    }
    return policies
  }
}
