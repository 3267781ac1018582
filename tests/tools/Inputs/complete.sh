# complete.sh FILE: what bash offers behind some words, by the completion in that file.
. "$1"
complete -p pmc
compopt() { :; }
offer() {
  local shown="$*"
  COMP_WORDS=("$@")
  # As bash splits words at `=`.
  if [[ ${*: -1} == --*=* ]]; then
    local last=${*: -1}
    COMP_WORDS=("${@:1:$#-1}" "${last%%=*}" =)
    [ -z "${last#*=}" ] || COMP_WORDS+=("${last#*=}")
  fi
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _pm_complete_pmc
  echo "$shown: ${COMPREPLY[*]}"
}
offer pmc --fp=s
offer pmc --fp c
offer pmc --dum
offer pmc --machine=afi
offer pmc --remarks afi
offer pmc --remarks=
offer pmc --target=
offer pmc --from=h
offer pmc --schedule=
offer pmc --const=
