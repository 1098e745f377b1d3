extension StarterText {
  /// `ci/pins`: the stages of continuous integration, for any service and for a desk.
  static func stages(audience: String) -> String {
    #"""
    #!/usr/bin/env bash
    # What continuous integration does with the pin policy, one stage at a time. It runs on a developer's machine too.
    #
    #   ci/pins install   fetches pintle from PINTLE_URL, and takes it only if its SHA-256 digest is PINTLE_SHA256
    #   ci/pins check     checks the policy with all rules that need no network
    #   ci/pins probe     checks whether the live servers satisfy the policy, and records what they present
    #   ci/pins diff      stops a change that would lock out clients of the releases in released/; uses the record of probe
    #   ci/pins build     compiles the next manifest, without a signature
    #   ci/pins sign      signs it with PINTLE_SIGNING_KEY: a file, a key in PEM, or exec:COMMAND
    #   ci/pins due       succeeds if the newest release expires within PINS_RENEW_DAYS (15), so that it must be renewed
    #   ci/pins verify    verifies it as a client does, and compiles it again from the sources
    #
    # Results are in out/. Keep every release in released/, named by its serial, such as released/0007.json. On GitHub,
    # findings are annotations, and reports for code scanning and the summary; on GitLab, they are Code Quality and test
    # reports. PINS_AT is the time to check as of; PINS_PROBE_OPTIONS are further options for `pintle probe`.
    set -euo pipefail
    shopt -s nullglob
    cd "$(dirname "$0")/.."
    PATH=$PWD/.pintle:$PATH
    mkdir -p out

    audience=\#(audience)
    releases=(released/*.json)
    signers=(signers/*.pub)
    keys=("${signers[@]/#/--key=}")
    at=()
    [ -z "${PINS_AT-}" ] || at=(--at "$PINS_AT")

    fail() {
      printf 'ci/pins: %s\n' "$*" >&2
      exit 1
    }

    # newest: the released manifest with the highest serial, whatever its name
    newest() {
      local file
      for file in "${releases[@]}"; do
        printf '%s %s\n' "$(grep -oE '"serial":[0-9]+' "$file" | head -n 1 | cut -d : -f 2)" "$file"
      done | sort -n | tail -n 1 | cut -d ' ' -f 2-
    }

    # report NAME COMMAND...: shows what a command finds where reviewers look, and ends with its status
    report() {
      local name=$1 status=0
      shift
      if [ -n "${GITHUB_ACTIONS-}" ]; then
        "$@" --format github || status=$?
        "$@" --format sarif -o "out/$name.sarif" || true
        "$@" --format markdown -o "out/$name.md" || true
        [ ! -e "out/$name.md" ] || cat "out/$name.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
      elif [ -n "${GITLAB_CI-}" ]; then
        "$@" || status=$?
        "$@" --format gitlab -o "out/$name.codequality.json" || true
        "$@" --format junit -o "out/$name.junit.xml" || true
      else
        "$@" || status=$?
      fi
      return "$status"
    }

    install_pintle() {
      if [ -z "${PINTLE_URL-}" ] || [ -z "${PINTLE_SHA256-}" ]; then
        fail "set PINTLE_URL and PINTLE_SHA256 to where pintle is and what its SHA-256 digest is"
      fi
      mkdir -p .pintle
      curl --fail --silent --show-error --location --retry 3 --output .pintle/fetched "$PINTLE_URL"
      printf '%s  .pintle/fetched\n' "$PINTLE_SHA256" | sha256sum --check --quiet ||
        fail "what is at PINTLE_URL is not what PINTLE_SHA256 says"
      chmod +x .pintle/fetched
      mv .pintle/fetched .pintle/pintle
      pintle --version
    }

    check() { report check pintle check policies "${at[@]}"; }

    probe() {
      local options status=0
      read -ra options <<<"${PINS_PROBE_OPTIONS-}"
      rm -f out/evidence.json
      pintle probe policies --record out/evidence.json "${options[@]}" >/dev/null || status=$?
      # What the servers did is reported from the record, as often as it takes.
      [ -s out/evidence.json ] || return "$((status == 0 ? 1 : status))"
      report probe pintle probe policies --replay out/evidence.json "${at[@]}"
    }

    diff() {
      local evidence=()
      [ ${#releases[@]} -gt 0 ] || { echo "nothing is released yet, so no client can be locked out"; return; }
      [ ! -s out/evidence.json ] || evidence=(--evidence out/evidence.json)
      report diff pintle diff policies --against released "${keys[@]}" "${evidence[@]}" "${at[@]}"
    }

    build() {
      local base=(--serial 1)
      [ ${#releases[@]} -eq 0 ] || base=(--baseline "$(newest)" "${keys[@]}")
      pintle build policies --unsigned -o out/manifest.json "${base[@]}" --issued-at "${PINS_AT:-now}"
    }

    sign() {
      local key=${PINTLE_SIGNING_KEY-} against=()
      [ -n "$key" ] || fail "set PINTLE_SIGNING_KEY to the key that signs: a file, a key in PEM, or exec:COMMAND"
      [ ${#signers[@]} -gt 0 ] || fail "put the public keys that clients trust into signers/ (pintle keys new makes one)"
      if [[ $key == -----BEGIN* ]]; then
        key=$(umask 077 && mktemp)
        # shellcheck disable=SC2064 # the file of now
        trap "rm -f '$key'" EXIT
        printf '%s\n' "$PINTLE_SIGNING_KEY" >"$key"
      fi
      [ ${#releases[@]} -eq 0 ] || against=(--against released)
      pintle sign out/manifest.json --sign-key "$key" --yes "${against[@]}" "${keys[@]}" --audience "$audience" "${at[@]}"
    }

    due() {
      local day
      [ ${#releases[@]} -gt 0 ] || return 1
      day=$(date -u -d "${PINS_AT:-now} +${PINS_RENEW_DAYS:-15} days" +%Y-%m-%dT%H:%M:%SZ)
      # A manifest that is rejected on that day, for whatever reason, is one to replace.
      ! pintle verify "$(newest)" "${keys[@]}" --audience "$audience" --at "$day" >/dev/null 2>&1
    }

    verify() { pintle verify out/manifest.json "${keys[@]}" --audience "$audience" --source policies "${at[@]}"; }

    case ${1-} in
      install) install_pintle ;;
      check | probe | diff | due | build | sign | verify) "$1" ;;
      *) printf 'usage: ci/pins install | check | probe | diff | due | build | sign | verify\n' >&2; exit 64 ;;
    esac

    """#
  }
}
