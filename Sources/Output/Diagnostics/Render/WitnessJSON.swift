extension JSONWriter {
  /// A witness as an object `witness`; members that have nothing to say are left out.
  package mutating func member(_ witness: Witness) {
    object("witness") { writer in
      writer.member("client", witness.client)
      writer.member("serial", witness.serial)
      writer.member("released", witness.released)
      writer.member("kind", witness.kind)
      writer.member("host", witness.host)
      writer.member("instant", witness.instant)
      writer.member("until", witness.until)
      writer.member("place", witness.place)
      writer.objects("chain", witness.chain) { link, writer in
        writer.member("position", link.position)
        writer.member("pin", link.pin)
        writer.member("name", link.name)
      }
      writer.member("outcome", witness.outcome)
      writer.member("reason", witness.reason)
    }
  }
}
