#!/usr/bin/env bash
# Runs the tests that need a ClickHouse, on one inside the test process (chdb, without a server):
#   bash scripts/conformance-clickhouse.sh [FOLDER]
# The engine takes half a gigabyte, so it is no dependency and no part of .ci/run: it is installed into a temporary
# folder and removed afterwards. With a folder it is kept there.
# Exits with 0 when every test ran and passed, 1 when one failed or did not run, 2 when the engine cannot be installed.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
engine="chdb@3.4.0 @clickhouse/client@1.23.1"

log=$(mktemp -d)
folder=${1:-$log/engine}
trap 'rm -rf "$log"' EXIT
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1

if [ ! -d "$folder/node_modules/chdb" ]; then
  [ -f "$folder/package.json" ] || printf '{ "private": true }\n' >"$folder/package.json"
  # shellcheck disable=SC2086
  if ! npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$folder" $engine >"$log/install" 2>&1; then
    printf 'The ClickHouse half was not run: %s cannot be installed here.\n' "$engine"
    tail -n 5 "$log/install" | sed 's/^/    /'
    exit 2
  fi
fi

RECKONER_CHDB=$folder npx vitest run test/conformance/stores.test.ts test/conformance/clickhouse \
  --reporter=default --reporter=json --outputFile.json="$log/tests.json"
result=$?

node -e '
  const { testResults = [] } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const [passed, failed] = [count("passed"), count("failed")];
  const skipped = tests.length - passed - failed;
  console.log(`ClickHouse half: ${passed} passed, ${failed} failed, ${skipped} not run`);
  process.exitCode = passed > 0 && failed + skipped === 0 ? 0 : 1;
' "$log/tests.json" || result=1
exit "$result"
