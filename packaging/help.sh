# help.sh TOOL FOLDER: puts the tool's manual page and completions of bash, zsh and fish there.
set -e
name=$(basename "$1")
"$1" --help-as=man | gzip -9n >"$2/$name.1.gz"
"$1" --help-as=bash >"$2/$name"
"$1" --help-as=zsh >"$2/_$name"
"$1" --help-as=fish >"$2/$name.fish"
