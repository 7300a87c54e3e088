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
  expect_code 0 check "$root"/.github/workflows/{ci,nightly,triage}.yml "$root"/deploy/ci/{github,gitlab}.yml
  expect_code 0 shellcheck -x -P "$root" "$root"/deploy/night.sh "$here"/*_test.sh
}

# Each fault in a copy of ours, by sed: what is replaced, and what has to be said about it.
test_faults() {
  local fault ours
  while IFS='|' read -r file fault said; do
    ours=$root/.github/workflows/$file.yml
    [ -f "$ours" ] || ours=$root/deploy/ci/$file.yml
    sed "s#$fault#" "$ours" > "broken-$file.yml"
    ! cmp -s "broken-$file.yml" "$ours" || flunk "changes nothing: $fault"
    expect_code 1 check "broken-$file.yml"
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
github|make -C convict program#make -C convict programme|programme
github|convict/corpus/seeds#convict/corpus/sedes|there is no
github|--depth 1#--depth one|not as everywhere else
github|--time "#--duration "|--duration
gitlab|--format junit#--form junit|--form
gitlab|  timeout: 3h#  time: 3h|timeout is missing
END
}

# What a recipe of deploy/ci does once convict is cloned and built.
commands_of() {
  python3 - "$root/deploy/ci/$1.yml" << 'END'
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
job = job.get("trial") or job["jobs"]["trial"]
steps = [step["run"] for step in job["steps"] if "run" in step] if "steps" in job else job["script"] + job["after_script"]
print("\n".join(step for step in steps if not step.startswith(("apt-get", "git", "make"))))
END
}

# Each recipe in an empty folder that has a kernel: green if it is right, red if it is not.
test_recipes() {
  mkdir -p convict/build/release
  ln -s "$root/src" "$root/corpus" convict/
  ln -s "$CONVICT" convict/build/release/convict
  "$CONVICT" new-plugin --lang c mine > /dev/null
  mv mine/mine.c .
  export TIME=3s GITHUB_STEP_SUMMARY=summary.md
  local file
  for file in github gitlab; do
    commands_of "$file" > "$file.sh"
    rm -f convict.db mine.so
    expect_code 0 bash -e "$file.sh"
    expect_file convict.db
  done
  expect_contains summary.md 'no new cause of a target'
  expect_file convict.xml
  sed -i 's/  float sum = 0;/  float sum = 1;/' mine.c
  expect_code 1 bash -e github.sh
}

# The line of the crontab, with the variables above it, as cron runs it: silent if all is well.
test_cron() {
  mkdir -p home/kernel
  ln -s "$root" home/convict
  "$CONVICT" new-plugin --lang c mine > /dev/null
  mv mine/mine.c home/kernel/
  local line
  while read -r line; do export "${line?}"; done < <(grep -E '^[A-Z]+=' "$root/deploy/ci/crontab")
  export HOME=$PWD/home TIME=3s SHARDS=1
  grep -E '^[0-9]' "$root/deploy/ci/crontab" | cut -d ' ' -f 6- > line.sh
  expect_code 0 sh line.sh
  expect_equal "$(cat out)" ''
  expect_contains home/kernel/night/summary.txt 'night'
  sed -i 's/  float sum = 0;/  float sum = 1;/' home/kernel/mine.c
  expect_code 0 sh line.sh
  expect_contains out 'mine'
}

"test_$1"
