# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for xmcastctl: it is asked itself.
_xmcastctl()
{
	local IFS=$'\n'
	# A ":" (IPv6) or "=" may split words: take the line as it was typed.
	local line=${COMP_LINE:0:COMP_POINT} words
	read -r -a words -d '' < <(tr -s ' \t' '\n' <<<"$line") || true
	[[ $line == *[[:space:]] ]] && words+=("")
	COMPREPLY=($(xmcastctl --complete "${words[@]:1}" 2>/dev/null))
	if [[ ${#COMPREPLY[@]} == 0 ]]; then
		compopt -o default 2>/dev/null
		return
	fi
	# readline replaces only what stands behind the last ":" or "="
	local typed=${words[-1]} cut=
	[[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && cut=${typed%"${typed##*:}"}
	COMPREPLY=("${COMPREPLY[@]#"$cut"}")
	[[ ${COMPREPLY[0]} == *, ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _xmcastctl xmcastctl
