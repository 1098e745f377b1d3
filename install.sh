#!/bin/sh
# Installs, upgrades or removes a release of Pintle.
#
#   sh install.sh --from PLACE --fingerprint sha256/…   the first time; later, --from alone upgrades
#   sh install.sh --remove                              removes what it installed
#
# PLACE is a folder with the files of a release, for example on a medium, or the URL of such a folder.
#
#   PRODUCT...             pintle (the default), pintle-collect, pintle-agent or libpintle
#   --fingerprint PIN      the fingerprint of the project's release key; it is kept, and required from then on
#   --prefix FOLDER        where to install: /usr/local unless given
#   --downgrade            accept a release that is older than what is installed
#   --remove               remove these products, or all
#
# What it trusts:
#   1. the fingerprint that you pass, or passed the first time: the release's public key must match it;
#   2. what that key signed: SHA256SUMS, and files whose SHA-256 is in it. Not the server, the network or the folder;
#   3. this script, and the programs that it runs: sh, openssl, sha256sum, tar, and curl or wget for a URL.
#      A download that is larger or slower than any release is ended: 1 GiB and 30 minutes for an archive.
set -eu
export LC_ALL=C
umask 022

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

misused() {
  printf 'install.sh: %s; see: sh install.sh --help\n' "$*" >&2
  exit 64
}

known='pintle pintle-collect pintle-agent libpintle'
place='' fingerprint='' prefix=/usr/local downgrade='' remove='' products=''
while [ $# -gt 0 ]; do
  case $1 in
    --from | --fingerprint | --prefix)
      [ $# -gt 1 ] || misused "$1 needs a value"
      case $1 in
        --from) place=${2%/} ;;
        --fingerprint) fingerprint=$2 ;;
        --prefix) prefix=${2%/} ;;
      esac
      shift
      ;;
    --downgrade) downgrade=yes ;;
    --remove) remove=yes ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" && exit ;;
    *)
      case " $known " in
        *" $1 "*) products="$products $1" ;;
        *) misused "unknown argument '$1'" ;;
      esac
      ;;
  esac
  shift
done

# What is installed: a file for each product with its version and its files, the folders that were made for them, and
# the fingerprint.
records=$prefix/share/pintle/installed

# Changing what is installed

# record PRODUCT VERSION FILES: what is installed
record() {
  printf '%s\n' "$2" "$3" >"$records/.$1"
  mv -f "$records/.$1" "$records/$1"
}

# make_folder NAME: a folder below the prefix; one that is new is recorded, because it is removed with the last product
make_folder() {
  [ ! -d "$prefix/$1" ] || return 0
  mkdir "$prefix/$1"
  new_folders="$1
$new_folders"
}

there() { [ -e "$1" ] || [ -L "$1" ]; }

# remove_files FILES: their names are those of our archives, without spaces
remove_files() {
  for file in $1; do rm -f "$prefix/$file"; done
}

# remove_folders: those that the script made and that are empty now
remove_folders() {
  [ -e "$records/folders" ] || return 0
  rest=
  while IFS= read -r folder; do
    if [ -n "$folder" ] && [ -d "$prefix/$folder" ] && ! rmdir "$prefix/$folder" 2>/dev/null; then
      rest="$rest$folder
"
    fi
  done <"$records/folders"
  printf %s "$rest" >"$records/folders"
}

if [ -n "$remove" ]; then
  [ -z "$place$fingerprint$downgrade" ] || misused "--remove takes only --prefix and products"
  [ -d "$records" ] || fail "nothing that this script installed is in $prefix"
  for product in ${products:-$known}; do
    if [ -e "$records/$product" ]; then
      remove_files "$(sed 1d "$records/$product")"
      version=$(sed 1q "$records/$product")
      rm "$records/$product"
      printf '%s %s is removed from %s\n' "$product" "$version" "$prefix"
    elif [ -n "$products" ]; then
      fail "$product isn't installed in $prefix by this script"
    fi
  done
  remove_folders
  for product in $known; do
    [ ! -e "$records/$product" ] || exit 0
  done
  # The last product: the records go too, with the folders that are only now empty.
  folders=$(cat "$records/folders")
  rm -f "$records/folders" "$records/fingerprint"
  rmdir "$records"
  for folder in $folders; do rmdir "$prefix/$folder" 2>/dev/null || true; done
  printf 'The fingerprint of the release key is no longer kept.\n'
  exit 0
fi

# Verifying a release

[ -n "$place" ] || misused "--from is missing: a folder or a URL"
for tool in openssl sha256sum tar gzip; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install it first. Nothing was changed."
done
[ "$(uname -s)" = Linux ] || fail "releases are for Linux"

pinned=
[ ! -e "$records/fingerprint" ] || pinned=$(cat "$records/fingerprint")
if [ -z "$fingerprint" ]; then
  [ -n "$pinned" ] || misused "--fingerprint is missing: nothing was installed in $prefix yet, so no key is known"
  fingerprint=$pinned
fi
[ -z "$pinned" ] || [ "$pinned" = "$fingerprint" ] ||
  fail "what is installed was signed by $pinned. If you know that the release key has changed, remove $records/fingerprint"
printf '%s\n' "$fingerprint" | grep -qE '^sha256/[A-Za-z0-9+/]{43}=$' ||
  misused "'$fingerprint' isn't a fingerprint like sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

new_prefix=
[ -d "$prefix" ] || { mkdir -p "$prefix" && new_prefix=yes; }
# Below the prefix, so that moving files from here to their places is atomic.
work=$(mktemp -d "$prefix/.pintle-install.XXXXXX") ||
  fail "can't write to $prefix; run it as root, or pass --prefix"
trap 'rm -rf "$work"; [ -z "$new_prefix" ] || rmdir "$prefix" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM HUP

# The most bytes and seconds of a download: of the key, the list and its signature, and of an archive.
small_bytes=1048576 small_seconds=60
large_bytes=1073741824 large_seconds=1800

# download NAME SECONDS: writes a file of the release to the standard output
download() {
  case $place in
    http://* | https://*)
      if command -v curl >/dev/null; then
        curl -fsSL --max-time "$2" "$place/$1"
      else
        timeout "$2" wget -q -O - "$place/$1"
      fi
      ;;
    *) cat "$place/$1" ;;
  esac
}

# fetch NAME BYTES SECONDS: copies a file of the release into the work folder; what is checked is that copy
fetch() {
  rm -f "$work/incomplete"
  # --max-filesize of curl counts only what the server says, so the bytes are counted here.
  { download "$1" "$3" || : >"$work/incomplete"; } | head -c "$(($2 + 1))" >"$work/$1" ||
    fail "can't write $1 below $prefix. Nothing was changed."
  [ -z "$(find "$work/$1" -size +"$2"c)" ] || fail "$1 of $place has more than $2 bytes, the limit. Nothing was changed."
  [ ! -e "$work/incomplete" ] || fail "could not get $1 from $place; the limit is $3 seconds. Nothing was changed."
}

case $place in
  http://* | https://*)
    if ! command -v curl >/dev/null && { ! command -v wget >/dev/null || ! command -v timeout >/dev/null; }; then
      fail "curl or wget is missing (wget needs timeout); download the release, and pass its folder to --from"
    fi
    ;;
esac

for name in release.pub SHA256SUMS SHA256SUMS.sig; do fetch "$name" "$small_bytes" "$small_seconds"; done

# One form of the key, so that the key that is compared is the key that verifies.
openssl pkey -pubin -in "$work/release.pub" -pubout -outform DER -out "$work/key" 2>/dev/null ||
  fail "release.pub of $place isn't a public key"
found=sha256/$(openssl dgst -sha256 -binary "$work/key" | openssl base64)
[ "$found" = "$fingerprint" ] ||
  fail "the release at $place has the key $found, not $fingerprint. Nothing was changed."
case $(openssl pkey -pubin -inform DER -in "$work/key" -noout -text) in
  ED25519*) openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/SHA256SUMS" \
    -sigfile "$work/SHA256SUMS.sig" ;;
  *) openssl dgst -sha256 -verify "$work/key" -keyform DER -signature "$work/SHA256SUMS.sig" "$work/SHA256SUMS" ;;
esac >/dev/null 2>&1 || fail "the signature of SHA256SUMS isn't valid. Nothing was changed."

# later A B: whether version A is later than B, as in Semantic Versioning, except that two suffixes are compared as text
later() {
  [ "$1" != "$2" ] || return 1
  if [ "${1%%-*}" = "${2%%-*}" ]; then
    case $1 in
      *-*) case $2 in *-*) expr "x$1" \> "x$2" >/dev/null ;; *) false ;; esac ;;
    esac
    return
  fi
  first=${1%%-*}. second=${2%%-*}.
  while [ -n "$first$second" ]; do
    [ "${first%%.*}" -eq "${second%%.*}" ] || { [ "${first%%.*}" -gt "${second%%.*}" ] && return; return 1; }
    first=${first#*.} second=${second#*.}
  done
  return 1
}

# Everything is verified and unpacked before anything is changed.
machine=$(uname -m)
for product in ${products:-pintle}; do
  line=$(sed -nE "s/^([0-9a-f]{64}  $product-([0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?)-linux-$machine\.tar\.gz)\$/\2 \1/p" \
    "$work/SHA256SUMS")
  [ "$(printf '%s\n' "$line" | grep -c .)" -eq 1 ] || fail "the release has no $product for Linux on $machine"
  version=${line%% *} archive=${line##* }
  if [ -e "$records/$product" ] && [ -z "$downgrade" ] && later "$(sed 1q "$records/$product")" "$version"; then
    fail "$product $(sed 1q "$records/$product") is installed, and the release has $version; pass --downgrade if you want it"
  fi
  fetch "$archive" "$large_bytes" "$large_seconds"
  (cd "$work" && printf '%s\n' "${line#* }" | sha256sum -c) >/dev/null 2>&1 ||
    fail "$archive isn't the file that was signed: another SHA-256. Nothing was changed."
  mkdir "$work/$product"
  tar -xzof "$work/$archive" -C "$work/$product"
  printf '%s\n' "$version" >"$work/$product.version"
  (cd "$work/$product" && find . ! -type d) | sed 's,^\./,,' | sort >"$work/$product.files"
  # A file of somebody else is never overwritten.
  while IFS= read -r file; do
    there "$prefix/$file" || continue
    grep -qsxF "$file" "$records/$product" ||
      fail "$prefix/$file exists and wasn't installed by this script; remove it first. Nothing was changed."
  done <"$work/$product.files"
done

# Installing

new_folders=
for folder in share share/pintle share/pintle/installed; do make_folder "$folder"; done
for product in ${products:-pintle}; do
  version=$(cat "$work/$product.version") files=$(cat "$work/$product.files") old='' old_files=''
  if [ -e "$records/$product" ]; then
    old=$(sed 1q "$records/$product") old_files=$(sed 1d "$records/$product")
  fi
  # For the case that this is interrupted: all files that may be there, so that they can be replaced or removed.
  record "$product" "${old:-$version}" "$files
$old_files"
  for folder in $(cd "$work/$product" && find . -type d | sed -n 's,^\./,,p' | sort); do make_folder "$folder"; done
  { printf %s "$new_folders"; cat "$records/folders" 2>/dev/null || true; } >"$records/.folders"
  mv -f "$records/.folders" "$records/folders"
  new_folders=
  for file in $files; do mv -f "$work/$product/$file" "$prefix/$file"; done
  for file in $old_files; do
    printf '%s\n' "$files" | grep -qxF "$file" || remove_files "$file"
  done
  record "$product" "$version" "$files"
  printf '%s %s is installed in %s%s\n' "$product" "$version" "$prefix" "${old:+ (before: $old)}"
done
remove_folders
printf '%s\n' "$fingerprint" >"$records/fingerprint"
