#!/usr/bin/env bash
# The MCP Inspector's command line: tests/clients/inspector.sh INSPECTOR TARGET...
# TARGET is a URL, or a program with its arguments, that serves tests/clients/served.
set -euo pipefail
inspector=$1
shift
passed=0
# ask EXPECTED OPTION...: the answer holds the expected text.
ask() {
  local expected=$1 said
  shift
  said=$("$inspector" --cli "$@" -- "${target[@]}" 2>&1) || true
  case $said in
    *"$expected"*) passed=$((passed + 1)) ;;
    *) printf 'inspector %s: no %s in:\n%s\n' "$*" "$expected" "$said" >&2; exit 1 ;;
  esac
}
target=("$@")
ask '"changing"' --method tools/list
ask 'Hello, Ada!' --method tools/call --tool-name greet --tool-arg name=Ada
ask 'isError": true' --method tools/call --tool-name greet
ask 'note://three' --method resources/list
ask 'the second note' --method resources/read --uri note://two
ask 'Resource not found' --method resources/read --uri note://four
ask '"review"' --method prompts/list
ask 'Review the letter.' --method prompts/get --prompt-name review --prompt-args what=letter
echo "inspector: $passed passed, 0 failed"
