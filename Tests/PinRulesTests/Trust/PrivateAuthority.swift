import Foundation
import TestSupport
import Testing

/// How a tool makes a private authority by default, as a shell script that leaves `root.pem`, mostly `intermediate.pem`,
/// and `leaf.pem` for example.com.
struct PrivateAuthority: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// What `check` says of the intermediate; nil if all of it is accepted.
  var complaint: String?
  let script: String

  /// The certificates that a script left.
  struct Made {
    /// PEM, by the names that a policy uses.
    let files: [String: [UInt8]]
    let leaf: [UInt8]
    let intermediates: [[UInt8]]

    var intermediateNames: [String] { intermediates.isEmpty ? [] : ["intermediate.pem"] }
  }

  func make() throws -> Made {
    let folder = try TemporaryDirectory()
    try runSuccessfully("/bin/sh", ["-ec", Self.functions + script], directory: folder.path)
    func der(_ name: String) throws -> [UInt8] {
      try runSuccessfully("openssl", ["x509", "-in", folder.path(name), "-outform", "DER"])
    }
    let hasIntermediate = FileManager.default.fileExists(atPath: folder.path("intermediate.pem"))
    let names = ["root.pem"] + (hasIntermediate ? ["intermediate.pem"] : [])
    return Made(
      files: Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.read($0)) }), leaf: try der("leaf.pem"),
      intermediates: hasIntermediate ? [try der("intermediate.pem")] : [])
  }

  static let working = installed + documented
  static let rejected = withBareIntermediates

  /// The tools themselves.
  static let installed = [
    PrivateAuthority(
      testDescription: "openssl req -x509, with a leaf by openssl x509",
      script: """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj /CN=Corp -days 3650
        openssl req -new -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /CN=example.com
        printf 'subjectAltName=DNS:example.com\\nauthorityKeyIdentifier=keyid\\n' >leaf.ext
        openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -out leaf.pem -days 90 -extfile leaf.ext
        """),
    PrivateAuthority(
      testDescription: "openssl ca",
      script: opensslCA + """
        openssl ca -batch -notext -extfile leaf.ext -extensions usr_cert -in leaf.csr -out leaf.pem
        cp demoCA/cacert.pem root.pem
        """),
    PrivateAuthority(
      testDescription: "easy-rsa",
      script: """
        easyrsa init-pki
        EASYRSA_REQ_CN=Corp easyrsa build-ca nopass
        easyrsa --subject-alt-name=DNS:example.com build-server-full example.com nopass
        cp pki/ca.crt root.pem
        openssl x509 -in pki/issued/example.com.crt -out leaf.pem
        """),
    PrivateAuthority(
      testDescription: "certtool",
      script: """
        printf 'cn = Corp\\nca\\ncert_signing_key\\nexpiration_days = 3650\\n' >root.template
        printf 'cn = example.com\\ndns_name = example.com\\ntls_www_server\\nsigning_key\\nexpiration_days = 90\\n' \\
          >leaf.template
        certtool --generate-privkey --key-type rsa --outfile root.key
        certtool --generate-self-signed --load-privkey root.key --template root.template --outfile root.pem
        certtool --generate-privkey --key-type rsa --outfile leaf.key
        certtool --generate-certificate --load-privkey leaf.key --load-ca-certificate root.pem \\
          --load-ca-privkey root.key --template leaf.template --outfile leaf.pem
        """),
    PrivateAuthority(
      testDescription: "certtool, with an intermediate",
      script: """
        printf 'cn = Corp\\nca\\ncert_signing_key\\nexpiration_days = 3650\\n' >root.template
        printf 'cn = Corp Sub\\nca\\ncert_signing_key\\nexpiration_days = 900\\n' >intermediate.template
        printf 'cn = example.com\\ndns_name = example.com\\ntls_www_server\\nsigning_key\\nexpiration_days = 90\\n' \\
          >leaf.template
        for name in root intermediate leaf; do certtool --generate-privkey --key-type rsa --outfile $name.key; done
        certtool --generate-self-signed --load-privkey root.key --template root.template --outfile root.pem
        certtool --generate-certificate --load-privkey intermediate.key --load-ca-certificate root.pem \\
          --load-ca-privkey root.key --template intermediate.template --outfile intermediate.pem
        certtool --generate-certificate --load-privkey leaf.key --load-ca-certificate intermediate.pem \\
          --load-ca-privkey intermediate.key --template leaf.template --outfile leaf.pem
        """),
    PrivateAuthority(
      testDescription: "trustme",
      script: """
        trustme "leaf = root.issue_cert('example.com')"
        """),
  ]

  /// Tools that Debian doesn't have: their profiles, in openssl's words, with the source that documents each.
  static let documented = [
    // https://github.com/cloudflare/cfssl/blob/master/initca/initca.go, CAPolicy; csr/csr.go; the profile `www` of
    // `cfssl print-defaults config`.
    PrivateAuthority(
      testDescription: "cfssl gencert -initca",
      script: """
        certificate root '/CN=Corp' '' 'keyUsage=critical,keyCertSign,cRLSign
        basicConstraints=critical,CA:TRUE
        subjectKeyIdentifier=hash'
        certificate leaf '/CN=example.com' root 'keyUsage=critical,digitalSignature,keyEncipherment
        extendedKeyUsage=serverAuth
        basicConstraints=critical,CA:FALSE
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid
        subjectAltName=DNS:example.com'
        """),
    // https://github.com/smallstep/crypto/blob/master/x509util/templates.go: DefaultRootTemplate,
    // DefaultIntermediateTemplate and DefaultLeafTemplate.
    PrivateAuthority(
      testDescription: "step ca init",
      script: """
        certificate root '/O=Corp/CN=Corp Root CA' '' 'keyUsage=critical,keyCertSign,cRLSign
        basicConstraints=critical,CA:TRUE,pathlen:1
        subjectKeyIdentifier=hash'
        certificate intermediate '/O=Corp/CN=Corp Intermediate CA' root 'keyUsage=critical,keyCertSign,cRLSign
        basicConstraints=critical,CA:TRUE,pathlen:0
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid'
        certificate leaf '/CN=example.com' intermediate 'keyUsage=critical,digitalSignature
        extendedKeyUsage=serverAuth,clientAuth
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid
        subjectAltName=DNS:example.com'
        """),
    // https://github.com/jsha/minica/blob/main/main.go: makeRootCert and sign.
    PrivateAuthority(
      testDescription: "minica",
      script: """
        certificate root '/CN=minica root ca 123456' '' 'keyUsage=critical,digitalSignature,keyCertSign
        extendedKeyUsage=serverAuth,clientAuth
        basicConstraints=critical,CA:TRUE,pathlen:0
        subjectKeyIdentifier=hash'
        certificate leaf '/CN=example.com' root 'keyUsage=critical,digitalSignature,keyEncipherment
        extendedKeyUsage=serverAuth,clientAuth
        basicConstraints=critical,CA:FALSE
        authorityKeyIdentifier=keyid
        subjectAltName=DNS:example.com'
        """),
    // https://github.com/FiloSottile/mkcert/blob/master/cert.go: newCA and makeCert.
    PrivateAuthority(
      testDescription: "mkcert",
      script: """
        certificate root '/O=mkcert development CA/OU=user@host/CN=mkcert user@host' '' 'keyUsage=critical,keyCertSign
        basicConstraints=critical,CA:TRUE,pathlen:0
        subjectKeyIdentifier=hash'
        certificate leaf '/O=mkcert development certificate/OU=user@host' root \\
        'keyUsage=critical,digitalSignature,keyEncipherment
        extendedKeyUsage=serverAuth
        authorityKeyIdentifier=keyid
        subjectAltName=DNS:example.com'
        """),
    // Microsoft, [MS-WCCE] section 3.2.1.4 and [MS-CRTD]; the templates CA, SubCA and WebServer, where keyUsage isn't
    // critical in authorities, and the extensions of Microsoft's own aren't either.
    PrivateAuthority(
      testDescription: "AD CS, with a subordinate CA",
      script: """
        certificate root '/DC=com/DC=corp/CN=Corp Root CA' '' 'keyUsage=digitalSignature,keyCertSign,cRLSign
        basicConstraints=critical,CA:TRUE
        subjectKeyIdentifier=hash
        1.3.6.1.4.1.311.21.1=ASN1:INTEGER:0'
        certificate intermediate '/DC=com/DC=corp/CN=Corp Issuing CA' root 'keyUsage=digitalSignature,keyCertSign,cRLSign
        basicConstraints=critical,CA:TRUE
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid
        crlDistributionPoints=URI:ldap:///CN=Corp
        authorityInfoAccess=caIssuers;URI:ldap:///CN=Corp
        1.3.6.1.4.1.311.21.1=ASN1:INTEGER:0
        1.3.6.1.4.1.311.20.2=ASN1:BMPSTRING:SubCA'
        certificate leaf '/CN=example.com' intermediate 'keyUsage=critical,digitalSignature,keyEncipherment
        extendedKeyUsage=serverAuth
        subjectKeyIdentifier=hash
        authorityKeyIdentifier=keyid
        1.3.6.1.4.1.311.20.2=ASN1:BMPSTRING:WebServer
        subjectAltName=DNS:example.com'
        """),
  ]

  /// What these tools make of an intermediate breaks a rule of RFC 5280, and no anchor can excuse that.
  static let withBareIntermediates = [
    PrivateAuthority(
      testDescription: "openssl ca -extensions v3_ca",
      complaint: "has no keyUsage extension (RFC 5280 section 4.2.1.3)",
      script: opensslCA + """
        openssl req -new -newkey rsa:2048 -nodes -keyout sub.key -out sub.csr -subj /C=AU/ST=S/O=Corp/CN=Sub
        openssl ca -batch -notext -extensions v3_ca -in sub.csr -out intermediate.pem
        openssl ca -batch -notext -extfile leaf.ext -extensions usr_cert -cert intermediate.pem -keyfile sub.key \\
          -in leaf.csr -out leaf.pem
        cp demoCA/cacert.pem root.pem
        """),
    PrivateAuthority(
      testDescription: "easy-rsa, build-ca subca",
      complaint: "basicConstraints is not critical (RFC 5280 section 4.2.1.9)",
      script: """
        easyrsa init-pki
        EASYRSA_REQ_CN=Corp easyrsa build-ca nopass
        easyrsa --pki-dir="$PWD/sub" init-pki
        EASYRSA_REQ_CN='Corp Sub' easyrsa --pki-dir="$PWD/sub" build-ca nopass subca
        easyrsa import-req sub/reqs/ca.req sub
        easyrsa sign-req ca sub
        openssl x509 -in pki/issued/sub.crt -out intermediate.pem
        cp intermediate.pem sub/ca.crt
        easyrsa --pki-dir="$PWD/sub" --subject-alt-name=DNS:example.com build-server-full example.com nopass
        openssl x509 -in sub/issued/example.com.crt -out leaf.pem
        cp pki/ca.crt root.pem
        """),
    PrivateAuthority(
      testDescription: "trustme 0.9, create_child_ca",
      complaint: "has no authorityKeyIdentifier (RFC 5280 section 4.2.1.1)",
      script: """
        trustme "intermediate = root.create_child_ca(); leaf = intermediate.issue_cert('example.com'); \\
        open('intermediate.pem', 'wb').write(intermediate.cert_pem.bytes())"
        """),
  ]

  private static let opensslCA = """
    mkdir -p demoCA/private demoCA/newcerts
    : >demoCA/index.txt
    echo 01 >demoCA/serial
    openssl req -x509 -newkey rsa:2048 -nodes -keyout demoCA/private/cakey.pem -out demoCA/cacert.pem \\
      -subj /C=AU/ST=S/O=Corp/CN=Root -days 3650
    openssl req -new -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /C=AU/ST=S/O=Corp/CN=example.com
    # The section usr_cert of the default openssl.cnf, and a name.
    printf '%s\\n' '[usr_cert]' basicConstraints=CA:FALSE subjectKeyIdentifier=hash \\
      authorityKeyIdentifier=keyid,issuer subjectAltName=DNS:example.com >leaf.ext

    """

  private static let functions = """
    easyrsa() { /usr/share/easy-rsa/easyrsa --batch "$@"; }
    # certificate NAME SUBJECT ISSUER EXTENSIONS
    certificate() {
      printf '%s\\n' "$4" >"$1.ext"
      openssl req -new -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "$2"
      if [ -z "$3" ]; then set -- "$1" -signkey "$1.key"; else set -- "$1" -CA "$3.pem" -CAkey "$3.key"; fi
      name=$1; shift
      openssl x509 -req -in "$name.csr" "$@" -out "$name.pem" -days 900 -extfile "$name.ext"
    }
    # Debian's Python, which has Debian's trustme.
    trustme() {
      /usr/bin/python3 -c "
    import trustme
    root = trustme.CA(); $1
    open('root.pem', 'wb').write(root.cert_pem.bytes())
    open('leaf.pem', 'wb').write(leaf.cert_chain_pems[0].bytes())"
    }

    """
}
