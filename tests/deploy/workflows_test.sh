#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The workflow files hold what check_workflows.py says, and it notices when they do not. The scripts are clean.
set -euo pipefail
# shellcheck source=tests/deploy/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
export CONVICT

check() { python3 "$here/check_workflows.py" "$root" "$@"; }

test_ours() {
  expect_code 0 check "$root"/.github/workflows/{ci,nightly,triage}.yml
  expect_code 0 shellcheck -x -P "$root" "$root"/deploy/night.sh "$here"/*_test.sh
}

# Each fault in a copy of ours, by sed: what is replaced, and what has to be said about it.
test_faults() {
  local fault
  while IFS='|' read -r file fault said; do
    sed "s#$fault#" "$root/.github/workflows/$file.yml" > broken.yml
    ! cmp -s broken.yml "$root/.github/workflows/$file.yml" || flunk "changes nothing: $fault"
    expect_code 1 check broken.yml
    expect_contains out "$said"
  done << 'END'
ci|make test$#make tset|tset
ci|make fuzz TIME#make fuz TIME|fuz
ci|--engine libfuzzer#--motor libfuzzer|--motor
ci|convict fuzz#convict fuss|fuss
ci|checkout@v4#checkout@main|not pinned
ci|timeout-minutes: 90#timeout: 90|no timeout-minutes
ci|contents: read#contents: write|permissions of the workflow
ci|jobs:#jobs: [|is no YAML
nightly|night.sh replay#night.sh replya|replya
nightly|--require plan#--required plan|--required
nightly|deploy/issues.py#deploy/issue.py|is no program
nightly|issues: write#packages: write|more permissions
nightly|\[1, 2, 3, 4\]#[1, 2, 3]|the matrix has
nightly|shard "$SHARD"#shard ${{ matrix.shard }}|an expression
nightly|run: tar -xzf plan#run: unpack plan|unknown program
nightly|^concurrency:.*#_:|concurrency is missing
triage|container: debian:12#container: debian:11|not debian:12
triage|--status "#--state "|--state
END
}

"test_$1"
