# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the checks beside it: the files of the project, without needing git.

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2

# files PATTERN...: every file of the tree with such a name, not what was built.
files()
{
	for pattern; do
		find . -name .git -prune -o -path './build*' -prune -o -path './.cache' -prune -o \
		    -type f -name "$pattern" -print
	done | sort
}

passed=0
failed=0

# check NAME OUTPUT: one result; OUTPUT is what is wrong, empty when nothing is.
check()
{
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		echo "ok - $1"
	else
		failed=$((failed + 1))
		echo "not ok - $1"
		printf '%s\n' "$2" | sed 's/^/#   /'
	fi
}

# done_checks: the summary and the exit code.
done_checks()
{
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" = 0 ]
}
