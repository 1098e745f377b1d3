extension JSONWriter {
  /// A witness as an object `witness`; members that have nothing to say are left out.
  package mutating func member(_ witness: Witness) {
    object("witness") { writer in
      writer.member("client", witness.client)
      if let serial = witness.serial { writer.member("serial", Int(serial)) }
      writer.member("released", witness.released)
      if let kind = witness.kind { writer.member("kind", kind) }
      writer.member("host", witness.host)
      writer.member("instant", witness.instant)
      if let until = witness.until { writer.member("until", until) }
      if let place = witness.place { writer.member("place", place) }
      writer.array("chain") { writer in
        for link in witness.chain {
          writer.object { writer in
            writer.member("position", link.position)
            if let pin = link.pin { writer.member("pin", pin) }
            if let name = link.name { writer.member("name", name) }
          }
        }
      }
      writer.member("outcome", witness.outcome.rawValue)
      writer.member("reason", witness.reason)
    }
  }
}
