import Diagnostics

/// What is wrong with the audiences of a policy; all of them, also if one is chosen.
enum AudienceProblems {
  static func all(in parsed: ParsedPolicy) -> [PolicyProblem] {
    let environments = parsed.environments.map(\.name.value)
    var problems = references(in: parsed).filter { !environments.contains($0.value) }.map { name in
      PolicyProblem(.undefinedAudience(name: name.value, known: environments), at: name.place)
    }
    for settings in parsed.files.lazy.compactMap(\.settings) {
      if let one = settings.audience, let several = settings.audiences.first {
        problems.append(
          PolicyProblem(
            .conflictingFields(name: "audiences", other: "audience"), at: several.name.place, related: one.place)
        )
      }
      for audience in settings.audiences { problems += names(in: audience) + self.problems(of: audience) }
    }
    return problems
  }

  /// Where the audiences of files, key sets, entries and slices are named.
  private static func references(in parsed: ParsedPolicy) -> [Located<String>] {
    var names: [Located<String>] = []
    for file in parsed.files {
      names += file.audiences
      for set in file.keySets { names += set.audiences }
      for host in file.hosts {
        names += host.audiences
        if case .inline(let set)? = host.keys { names += set.audiences }
      }
      names += file.settings?.audiences.compactMap(\.sliceOf) ?? []
    }
    return names
  }

  /// Names that aren't hosts.
  private static func names(in audience: ParsedAudience) -> [PolicyProblem] {
    let overlaid = audience.overlays.flatMap { overlay in
      [overlay.entry.host, overlay.newHost, overlay.entry.terms.trust?.serverName].compactMap(\.self)
    }
    return (audience.hosts + audience.domains + overlaid).compactMap { name -> PolicyProblem? in
      do throws(InternationalNameError) {
        _ = try InternationalName.host(name.value)
        return nil
      } catch {
        return PolicyProblem(.badHost(text: name.value, reason: error.reason), at: name.place)
      }
    }
  }

  private static func problems(of audience: ParsedAudience) -> [PolicyProblem] {
    let within = "audience '\(audience.name.value)'"
    guard let whole = audience.sliceOf else {
      return audience.hosts.first.map { [PolicyProblem(.missingField(name: "slice-of", within: within), at: $0.place)] }
        ?? []
    }
    let others = [
      ("development", audience.development?.place), ("domains", audience.domains.first?.place),
      ("anchors", audience.anchors.first?.place),
      ("overlays", audience.overlays.first?.entry.place),
      ("defaults", audience.defaults.places.isEmpty ? nil : audience.name.place),
    ]
    let conflicts = others.compactMap { name, place in
      place.map { PolicyProblem(.conflictingFields(name: name, other: "slice-of"), at: $0, related: whole.place) }
    }
    return conflicts
      + (audience.hosts.isEmpty ? [PolicyProblem(.missingField(name: "hosts", within: within), at: whole.place)] : [])
  }
}
