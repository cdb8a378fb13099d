#!/usr/bin/env bash
# Runs the tests that need a ClickHouse on one inside the test process (chdb), through the client that talks to a server.
# The engine takes half a gigabyte, so it is no dependency: it is installed into a folder of its own, once.
#   scripts/conformance-clickhouse.sh [FOLDER]     FOLDER holds the engine; default: .reckoner/chdb
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-.reckoner/chdb}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ ! -d "$folder/node_modules/chdb" ]; then
  [ -f "$folder/package.json" ] || printf '{ "private": true }\n' >"$folder/package.json"
  npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$folder" \
    chdb@3.4.0 @clickhouse/client@1.23.1
fi
RECKONER_CHDB=$folder exec npx vitest run test/conformance/stores.test.ts test/conformance/clickhouse
