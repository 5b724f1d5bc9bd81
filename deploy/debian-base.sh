#!/bin/sh
# Makes a BASE for the image from Debian's packages and a Node binary, where no registry of images is reached:
#
#   deploy/debian-base.sh base.tar [NODE] && docker import base.tar svc-base        (or podman)
#   npm run image && docker build --build-arg BASE=svc-base --tag svc-server release/image
#
# NODE is a Node binary for Linux; default: the one of this checkout. Needs mmdebstrap and binutils; as root or with user namespaces.
set -eu
tar=$1
node=${2:-$(cd "$(dirname "$0")/.." && ls "$PWD"/node_modules/node-linux-*/bin/node)}
export NODE_BINARY="$node"
# Debian's debug symbols and character sets are what nothing reads. Scanners look for packages in status.d.
exec mmdebstrap --quiet --variant=extract --skip=output/dev --include=base-files,libc6,libgcc-s1,libstdc++6 \
  --extract-hook='install -D "$NODE_BINARY" "$1/usr/local/bin/node"' \
  --extract-hook='strip "$1/usr/local/bin/node"' \
  --extract-hook='install -D -m 644 "$(dirname "$NODE_BINARY")/../LICENSE" "$1/usr/local/share/doc/node/LICENSE"' \
  --extract-hook='rm -rf "$1"/usr/lib/*/gconv' \
  --extract-hook='mkdir -p "$1/var/lib/dpkg/status.d"; for deb in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb --field "$deb" > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"; done' \
  --extract-hook='chmod 1777 "$1/tmp"' \
  bookworm "$tar"
