# Reads the events of `go test -json` and prints one line per package, and the whole output of failed tests and
# packages. Appends one line per finished test to the file `results`: outcome, package, test and, for a skipped one, its
# output; separated by tabs.
#
#   go test -json ./... | awk -v results=FILE -f scripts/test-report.awk

# text returns the value of a string field of the current event.
function text(field,    value) {
	if (!match($0, "\"" field "\":\"([^\"\\\\]|\\\\.)*\"")) return ""
	value = substr($0, RSTART + length(field) + 4, RLENGTH - length(field) - 5)
	gsub(/\\\\/, "\001", value) # set aside, so that an escaped backslash does not escape what follows it
	gsub(/\\n/, "\n", value)
	gsub(/\\t/, "\t", value)
	gsub(/\\r/, "", value)
	gsub(/\\"/, "\"", value)
	gsub(/\\u003c/, "<", value)
	gsub(/\\u003e/, ">", value)
	gsub(/\\u0026/, "\\&", value)
	gsub("\001", "\\", value)
	return value
}

function unfinished_said(pkg,    key, parts) {
	for (key in said) {
		split(key, parts, SUBSEP)
		if (parts[1] == pkg && parts[2] != "") printf "%s", said[key]
	}
}

!/^\{/ { print; next }

{
	action = text("Action")
	pkg = text("Package")
	test = text("Test")
}

action == "build-output" { printf "%s", text("Output") }

action == "output" {
	output = text("Output")
	if (output ~ /^(=== |PASS\n$)/) next
	said[pkg, test] = said[pkg, test] output
}

test != "" && (action == "pass" || action == "fail" || action == "skip") {
	if (action == "fail") printf "%s", said[pkg, test]
	reason = ""
	if (action == "skip") {
		reason = said[pkg, test]
		gsub(/[\t\n ]+/, " ", reason)
	}
	print action "\t" pkg "\t" test "\t" reason >> results
	delete said[pkg, test]
}

test == "" && action == "pass" && match(said[pkg, ""], /ok[ \t][^\n]*\n$/) {
	printf "%s", substr(said[pkg, ""], RSTART)
	fflush()
}

test == "" && action == "fail" {
	unfinished_said(pkg)
	printf "%s", said[pkg, ""]
	fflush()
}
