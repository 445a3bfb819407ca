#!/bin/sh
# SPDX-License-Identifier: MIT
# Gets lwIP's two releases, as Debian's source packages have them, into FOLDER/lwip-VERSION, unedited.
#   lwip.sh FOLDER
# Exit status: that of scripts/debian-source, which names what is wrong; 1 when a tarball cannot be unpacked.
set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)/scripts/debian-source
mkdir -p "$1"
cd "$1"

get() { # release, Debian's upstream version of it, sha256 of the tarball
    [ ! -d "lwip-$1" ] || return 0
    tarball=$("$source" lwip "$2" "$3" .)
    rm -rf "lwip-$1.new"
    mkdir "lwip-$1.new"
    if ! said=$(LC_ALL=C tar -xf "$tarball" -C "lwip-$1.new" --strip-components=1 2>&1); then
        rm -rf "lwip-$1.new"
        printf '%s\n' "$said" "lwip.sh: $tarball cannot be unpacked in $PWD" >&2
        exit 1
    fi
    mv "lwip-$1.new" "lwip-$1"
}

get 2.1.3 2.1.3+dfsg1 0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24
get 2.2.1 2.2.1+dfsg1 83729c274c499d3348e9fbbe043a3113f3fa8953e7efddc7c21c7fcbb1f2b7b1
