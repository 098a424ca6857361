#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What every file must keep to: format, length, licence line, no marks of unfinished work.
. "$(dirname "$0")/common.sh"

max_file=500
max_function=80

format=$(command -v clang-format-14 || command -v clang-format || true)
if [ -n "$format" ]; then
	check "C files are formatted (clang-format -i FILE)" \
	    "$(files '*.[ch]' | xargs "$format" --dry-run 2>&1 | grep 'warning:' |
		cut -d: -f1 | sort | uniq -c)"
fi

check "no file is longer than $max_file lines" \
    "$(files '*.[ch]' '*.sh' '*.py' | xargs wc -l | awk -v max=$max_file \
	'$2 != "total" && $1 > max { print $2 ": " $1 " lines" }')"

if ctags --version 2>/dev/null | grep -q Universal; then
	check "no function is longer than $max_function lines" "$(files '*.[ch]' |
	    ctags -L - --languages=C --kinds-C=f --fields=+ne -f - 2>/dev/null |
	    awk -F '\t' -v max=$max_function '{
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^line:/) start = substr($i, 6)
			if ($i ~ /^end:/) end = substr($i, 5)
		}
		if (end - start + 1 > max) print $2 ": " $1 "(): " end - start + 1 " lines"
	    }')"
fi

check "every file has its licence line" "$(files '*.[ch]' '*.sh' '*.py' meson.build |
    xargs grep -L 'SPDX-License-Identifier: GPL-2.0-or-later')"

# In two halves, so that this file does not find itself.
marks='TO''DO|FIX''ME|XX''X|HA''CK|NO''LINT|not impl''emented'
check "no mark of unfinished work" "$(files '*.[ch]' '*.sh' '*.py' '*.md' '*.scd' meson.build |
    xargs grep -nwE "$marks" || true)"

check "shell scripts parse" "$(files '*.sh' | while read -r file; do
	case $(head -1 "$file") in
	*bash*) bash -n "$file" 2>&1 ;;
	*) sh -n "$file" 2>&1 ;;
	esac
done)"

done_checks
