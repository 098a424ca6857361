# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced: where this machine gets Debian from.

# debian_mirrors: lines "URI CODENAME" of Debian's archives that the system's own apt knows.
debian_mirrors()
{
	apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME)' 'Identifier: Packages' |
	    sed -n 's/^Debian //p'
}

# debian_sources SUITE [OPTIONS]: apt's lines for that suite, at the same places. Nothing when apt
# knows none.
debian_sources()
{
	debian_mirrors | while read -r uri name; do
		case $name in
		*-security) [ "$1" = sid ] || printf 'deb %s %s-security main\n' "${2:+$2 }$uri" "$1" ;;
		*-*) ;;
		*) printf 'deb %s %s main\n' "${2:+$2 }$uri" "$1" ;;
		esac
	done | sort -u
}

[ -n "$(debian_mirrors)" ] || apt-get -q=2 update >&2 # images often come without apt's lists
