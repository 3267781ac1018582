#!/usr/bin/env bash
# in-debian.sh FOLDER TESTS: installs the packages of the folder in a new Debian 12, builds programs of the tests there as a user
# without rights, and removes the packages. It needs root, and Debian's archive.
set -euo pipefail
debs=$(realpath "$1")
tests=$(realpath "$2")
export DEBIAN_FRONTEND=noninteractive PATH=$PATH:/usr/sbin:/sbin

if [ -z "${PM_NEW_DEBIAN:-}" ]; then
  PM_NEW_DEBIAN=$(mktemp -d)
  chmod 755 "$PM_NEW_DEBIAN"
  export PM_NEW_DEBIAN
  trap 'rm -rf --one-file-system "$PM_NEW_DEBIAN"' EXIT
  unshare --mount --propagation private -- "$0" "$debs" "$tests"
  exit
fi

inside() {
  chroot "$PM_NEW_DEBIAN" "$@"
}

list_files() {
  inside find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /home -o -path /var \) -prune -o -print | sort
}

log=$debs/debian.log
debootstrap --variant=minbase --include=g++,cmake,make,ninja-build,pkg-config,python3,man-db bookworm "$PM_NEW_DEBIAN" \
  http://deb.debian.org/debian >"$log"
mount --bind /dev "$PM_NEW_DEBIAN/dev"
mount -t proc proc "$PM_NEW_DEBIAN/proc"
needed=$(for deb in "$debs"/*.deb; do dpkg -f "$deb" Depends; done | tr ',' '\n' | sed 's/^ *//; s/[ (|].*//' | grep -v -e '^libpm' -e '^pm-' | sort -u)
# shellcheck disable=SC2086 # words
inside apt-get install -q -y --no-install-recommends $needed >>"$log" 2>&1
list_files >"$debs/before"
cp "$debs"/*.deb "$PM_NEW_DEBIAN/tmp"
inside sh -c 'dpkg -i /tmp/*.deb' >>"$log" 2>&1
inside mandb -q

mkdir "$PM_NEW_DEBIAN/home/user"
cp -r "$tests/install/Inputs/app" "$tests/plugin" "$tests/lib/run_page.py" "$PM_NEW_DEBIAN/home/user"
chown -R nobody "$PM_NEW_DEBIAN/home/user"
chroot --userspec=nobody:nogroup "$PM_NEW_DEBIAN" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/user bash -e -c '
  cd
  cmake -G Ninja -S app -B built >cmake.log
  ninja -C built >ninja.log
  built/call_c; built/call_cc; built/host_c; built/host_cc
  pkg-config --cflags --libs pm | xargs
  cc app/host.c -o host $(pkg-config --cflags --libs pm)
  ./host
  sed "s|\"tools/plugin.h\"|<pm/tools/plugin.h>|; s|#include \"\(ir/.*\)\"|#include <pm/\1>|" plugin/pass.c >pass.c
  cc -shared -fPIC pass.c -o pass.so
  pm-opt --load-plugin=./pass.so --list-pipelines | grep with-adds | sed "s/  */ /g"
  cp -r /usr/share/doc/pm-doc/examples .
  for folder in examples/*/; do
    python3 run_page.py --alone "$folder/README.md" "$folder"
    echo "$folder"
  done
  . /usr/share/bash-completion/completions/pmc
  complete -p pmc
  whatis -l pmc | sed "s/  */ /g"
  python3 -m pm doctor | grep -e ^libpm -e ^LLVM -e ^default | sed "s/  */ /g; s/x86_64/ARCH/"
  python3 -m pm compile --version'

inside dpkg -r python3-pm pm-doc libpm-dev pm-tools libpm-llvm libpm0 >>"$log" 2>&1
list_files >"$debs/after"
diff "$debs/before" "$debs/after" && echo nothing is left
