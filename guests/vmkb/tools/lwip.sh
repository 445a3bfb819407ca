#!/bin/sh
# SPDX-License-Identifier: MIT
# Get lwIP's two releases as Debian's source packages and unpack them into FOLDER/lwip-VERSION, unedited.
# Usage: lwip.sh FOLDER. Uses the archive that this machine's own package configuration names, with lists and
# cache of its own, for both Debian releases; each tarball is checked against the sha256 below.
set -eu
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

have() { [ -f "$folder/lwip-$1/src/core/tcp.c" ]; }
if have 2.1.3 && have 2.2.1; then
    exit 0
fi

uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u | grep -v security | head -n 1)
if [ -z "$uri" ]; then
    echo "lwip.sh: apt on this machine names no archive; run apt-get update, or add Debian's main archive" >&2
    exit 1
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
work=$folder/apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
for suite in bookworm trixie; do
    echo "deb-src [signed-by=$keyring] $uri $suite main"
done > "$work/sources.list"

private="-o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=$work/parts
    -o Dir::State::Lists=$work/lists -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
apt() { apt-get -q $private "$@"; }
apt_cache() { apt-cache $private "$@"; }

get() { # version, Debian's name of it, sha256 of the orig tarball
    have "$1" && return 0
    version=$(apt_cache showsrc --only-source lwip | sed -n 's/^Version: //p' | grep -F "$2-" | sort -V | tail -n 1)
    if [ -z "$version" ]; then
        echo "lwip.sh: the archive has no source package lwip $2-*; wanted for release $1" >&2
        exit 1
    fi
    (cd "$work" && apt source --download-only "lwip=$version")
    tarball=$(ls "$work"/lwip_"$1"*.orig.tar.*z | head -n 1)
    sum=$(sha256sum "$tarball" | cut -d ' ' -f 1)
    if [ "$sum" != "$3" ]; then
        echo "lwip.sh: $tarball has sha256 $sum, not $3: not used" >&2
        exit 1
    fi
    rm -rf "$folder/lwip-$1.new"
    mkdir "$folder/lwip-$1.new"
    tar -xf "$tarball" -C "$folder/lwip-$1.new" --strip-components=1
    rm -rf "$folder/lwip-$1"
    mv "$folder/lwip-$1.new" "$folder/lwip-$1"
}

apt update
get 2.1.3 2.1.3+dfsg1 0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24
get 2.2.1 2.2.1+dfsg1 83729c274c499d3348e9fbbe043a3113f3fa8953e7efddc7c21c7fcbb1f2b7b1
