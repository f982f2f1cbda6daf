#!/usr/bin/env bash
# The MCP Inspector's command line against the same manifests: inspector.sh INSPECTOR SERVER...
# SERVER is a URL with its options, or a program with its arguments. It cannot be asked: its command line has no
# way to answer.
set -euo pipefail
inspector=$1
shift
checks=0
# ask EXPECTED ARGUMENT...: what it prints holds the text.
ask() {
  local expected=$1 printed
  shift
  printed=$("$inspector" --cli "${server[@]}" "$@" 2>/dev/null) || true
  grep -qF -- "$expected" <<<"$printed" || { echo "no $expected in: $printed"; exit 1; }
  checks=$((checks + 1))
}
server=("$@")
ask '"name": "breaks"' --method tools/list
ask '"greeting": "hello ada"' --method tools/call --tool-name greet --tool-arg name=ada
ask 'Missing required arguments: name' --method tools/call --tool-name greet
ask '"uri": "notes://someday"' --method resources/list
ask '"uriTemplate": "users://{id}"' --method resources/templates/list
ask '{\"id\":\"ada\"}' --method resources/read --uri users://ada
ask '"name": "review"' --method prompts/list
ask 'Review this rust: 1' --method prompts/get --prompt-name review --prompt-args code=1 language=rust
echo "inspector: $checks passed, 0 failed"
