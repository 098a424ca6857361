# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests/run.sh: reads the results out of what a test program printed.

# count_results LOG EXIT-CODE: prints "PASSED FAILED SKIPPED". In order of preference: the last
# `N passed, N failed, N skipped`, TAP lines, cmocka's summaries, the exit code alone. A
# non-zero exit code is at least one failure, and a silent success is one passed.
count_results()
{
	awk -v rc="$2" '
	/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
		line = 1; lp = $1; lf = $3; ls = $5
	}
	/^ok( |$)/ { if (toupper($0) ~ /# *SKIP/) ts++; else tp++ }
	/^not ok( |$)/ { tf++ }
	/^1\.\.0 *# *(SKIP|skip)/ { ts++ }
	/^1\.\.[0-9]+ *$/ { plan += substr($1, 4) }
	/^\[ *PASSED *\] [0-9]+ test/ { cp += number($0) }
	/^\[ *FAILED *\] [0-9]+ test/ { cf += number($0) }
	/^\[ *SKIPPED *\] [0-9]+ test/ { cs += number($0) }
	function number(text) { sub(/^[^]]*\] /, "", text); return text + 0 }
	END {
		if (line) { p = lp; f = lf; s = ls }
		else if (tp + tf + ts) {
			p = tp; f = tf; s = ts
			if (plan > p + f + s) f += plan - p - f - s
		}
		else { p = cp; f = cf; s = cs }
		if (rc != 0 && rc != 77 && f == 0) f = 1
		if (rc == 77 && p + f + s == 0) s = 1
		if (rc == 0 && p + f + s == 0) p = 1
		print p + 0, f + 0, s + 0
	}' "$1"
}

# count_skips LOG: the reason of each skip, one a line.
count_skips()
{
	sed -nE -e 's/^(ok.*|1\.\.0 *)# *[Ss][Kk][Ii][Pp][A-Za-z]* *//p' \
	    -e 's/^ *skipped: //p' "$1"
}

# failures LOG: the part of a log that says what went wrong.
failures()
{
	if grep -q '^not ok' "$1"; then
		grep -A 12 '^not ok' "$1" | grep -E '^(not ok|#|--)' | head -80
	elif grep -qE '^FAILED: |error:|ERROR:' "$1"; then
		grep -E -A 4 'error:|ERROR:' "$1" | cut -c1-300 | head -60
	else
		tail -40 "$1"
	fi
}
