# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for xmcastctl: it is asked itself.
function __xmcastctl_offers
	set -l words (commandline -opc)
	xmcastctl --complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c xmcastctl -a '(__xmcastctl_offers)'
