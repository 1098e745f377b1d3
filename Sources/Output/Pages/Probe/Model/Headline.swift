import Diagnostics
import PinProbe

/// The verdict on the whole fleet, in one sentence.
struct Headline {
  var standing: Standing
  var text: String

  init(_ model: ProbeModel) {
    let all = model.hosts.count
    let failing = model.count(.fails)
    let unreached = model.count(.unreached)
    let answered = all - unreached
    let isPinned = model.judgesPins
    let others = model.otherFindings.map { model.report.diagnostics[$0] }
    let ofItsOwn = others.count { $0.severity == .error && !Diagnostic.isOfReaching($0.code) }
    let isTooFew = model.report.diagnostics.contains { $0.severity == .error && Diagnostic.isOfReaching($0.code) }
    // "2 of 12 hosts", "all 12 hosts", "api.example.com:443".
    func hosts(_ count: Int) -> String {
      if count == all { return all == 1 ? model.hosts[0].target.label : "all \(all) hosts" }
      return "\(count) of \(all) hosts"
    }
    if all == 0 {
      standing = .nothing
      text = "No host was probed"
    } else if failing > 0 {
      standing = .fails
      if !isPinned {
        text = "Trust evaluation fails on " + hosts(failing)
      } else if failing == all, all > 1 {
        text = "The policy holds on none of \(all) hosts"
      } else {
        text = "The policy does not hold on " + hosts(failing)
      }
    } else if unreached > 0, isTooFew || answered == 0 {
      standing = .unreached
      text =
        "Unknown whether \(isPinned ? "the policy holds" : "clients trust the servers"): " + hosts(unreached)
        + " could not be probed"
    } else if ofItsOwn > 0 {
      standing = .fails
      text = "The servers satisfy the policy, but the policy has " + counted(ofItsOwn, "error")
    } else {
      standing = unreached > 0 || model.count(.caution) > 0 ? .caution : isPinned ? .holds : .trusted
      let holds = isPinned ? "The policy holds on " : "Clients trust "
      text = holds + (unreached > 0 ? "all that answered: " : "") + hosts(answered)
    }
  }
}
