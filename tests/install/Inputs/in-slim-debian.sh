#!/usr/bin/env bash
# in-slim-debian.sh WHEELS NAME TESTS: installs the wheel NAME of the folder in a new Debian 12 that has Python, no compiler, linker or
# OpenMP and no network, and runs a program there as a user without rights. It needs root, and Debian's archive.
set -euo pipefail
wheels=$(realpath "$1")
name=$2
tests=$(realpath "$3")
export PATH=$PATH:/usr/sbin:/sbin

if [ -z "${PM_SLIM_DEBIAN:-}" ]; then
  PM_SLIM_DEBIAN=$(mktemp -d)
  chmod 755 "$PM_SLIM_DEBIAN"
  export PM_SLIM_DEBIAN
  trap 'rm -rf --one-file-system "$PM_SLIM_DEBIAN"' EXIT
  debootstrap --variant=minbase --include=python3,python3-venv bookworm "$PM_SLIM_DEBIAN" http://deb.debian.org/debian >"$wheels.log"
  unshare --mount --net --propagation private -- "$0" "$wheels" "$name" "$tests"
  exit
fi

mount --bind /dev "$PM_SLIM_DEBIAN/dev"
mount -t proc proc "$PM_SLIM_DEBIAN/proc"
home=$PM_SLIM_DEBIAN/home/user
mkdir "$home"
cp -r "$wheels" "$home/wheels"
cp "$tests/../bench/pipelines/harris.py" "$tests/data/scene.png" "$home"
/usr/bin/python3 "$tests/lib/readme_program.py" "$tests/../README.md" "$home/readme.py" 1
echo 'print(smooth.shape, smooth.dtype, smooth.std() < 0.11)' >>"$home/readme.py"
chown -R nobody "$home"
chroot --userspec=nobody:nogroup "$PM_SLIM_DEBIAN" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/user NAME="$name" bash -c '
  cd
  for word in cc gcc clang ld ar; do command -v $word; done
  ls /usr/lib/*/ | grep -e libgomp -e libLLVM -e "libc++"
  python3 -m venv e
  install() { e/bin/pip install -q --no-index --find-links wheels "$@" || exit 1; }
  doctor() { e/bin/python -m pm doctor >doctor; echo "doctor: $?"; grep -e ^LLVM -e ^C -e ^default doctor | sed "s/  */ /g"; }
  run() { "$@" harris.py --in img=scene.png --check; echo "run: $?"; }

  install "$NAME"
  doctor
  run e/bin/pm-run
  install "$NAME[llvm]"
  doctor
  run e/bin/python -m pm run
  run e/bin/pm-run --threads=2
  e/bin/python readme.py
  e/bin/pmc harris.py --target=llvm -o harris.o && head -c 4 harris.o | tail -c 3 && echo

  mkdir elsewhere
  mv e/lib/libLLVM* elsewhere
  doctor
  export LD_LIBRARY_PATH=$PWD/elsewhere:$PWD/e/lib/x86_64-unknown-linux-gnu
  doctor
  run e/bin/pm-run
  ls -A .cache/pm | grep -c "^pm-"' 2>&1
