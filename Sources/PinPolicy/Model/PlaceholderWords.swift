/// What people write where a pin belongs, in lower case: at most 256, because a word counts as eight bits.
///
/// They were chosen by subject. Nothing is taken from the placeholders of the tests, which say how many are found.
enum PlaceholderWords {
  static let all: [[UInt8]] =
    [
      // What is to be done.
      """
      replace replaced insert enter change changeme paste put add use fill set update edit generate compute remove delete \
      todo fixme tbd here goes this that with your yours own real actual valid correct the for from and not before after \
      must please need never only same make sure later
      """,
      // What it isn't.
      """
      placeholder dummy fake example sample test testing demo mock stub temp temporary bogus invalid wrong random unknown \
      none null empty blank default some something any foo bar baz foobar lorem ipsum dolor hello world secret password \
      string text value data name number first second third one two three
      """,
      // What it is to be.
      """
      pin pins pinning pinned key keys hash hashes hashed digest fingerprint thumbprint checksum certificate certificates \
      cert certs public private pubkey spki subject info base base64 encoded encode sha sha256 sha1 hex ssl tls https http \
      url pem der rsa ecdsa character characters length bytes letters digits long
      """,
      // Whose it is to be.
      """
      server servers host hostname domain site website web app api backend client service root intermediate leaf issuer \
      authority chain primary secondary main backup spare current next old new previous future expired active alternate \
      production prod staging stage development dev debug release local localhost live version config android ios mobile \
      company corp user file
      """,
      // What fingers find.
      """
      qwerty qwertyuiop qwertz azerty asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qwer uiop hjkl wasd abc xyz deadbeef \
      cafebabe feedface coffee dead beef cafe babe face feed
      """,
    ].flatMap { $0.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) } }

  /// The words that begin with a letter, by that letter.
  static let byFirst: [[[UInt8]]] = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { letter in
    all.filter { $0.first == letter }
  }
}
