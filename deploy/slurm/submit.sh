#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A night on Slurm: the phases of deploy/night.sh as the tasks of an array job, and its merge as a job behind them.
set -euo pipefail
deploy=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")

usage() {
  cat << 'END'
Submit a night of fuzzing to Slurm: an array job of one task a shard, and a job behind it that merges and reports
Usage: SHARDS=16 TIME=1h deploy/slurm/submit.sh [OPTION OF SBATCH]...

Reads the variables of deploy/night.sh. The checkout, NIGHT and DB have to be on a file system that all nodes share.
The options go to all tasks. Task 0 is the replay. Prints both job ids; the merge fails if something new was found.
Submitted again after a night that was cancelled, it goes on with that night.
Exit codes: 0 submitted, 2 bad settings, or Slurm refused
Example: SHARDS=16 TIME=1h DB=nightly.db deploy/slurm/submit.sh --partition=batch --time=2:00:00 --mem=8G
END
}

case ${1:-} in -h | --help) usage && exit 0 ;; esac
command -v sbatch > /dev/null || { echo 'submit.sh: no sbatch; valid: a machine that submits to Slurm' >&2 && exit 2; }

NIGHT=$(realpath -m "${NIGHT:-night}")
DB=$(realpath -m "${DB:-nightly.db}")
export NIGHT DB
"$deploy/night.sh" plan
shards=$(sed -n 's/^shards=//p' "$NIGHT/plan")
tasks=$(sbatch --parsable --array="0-$shards" --output="$NIGHT/task-%a.log" "$@" \
  "$deploy/slurm/night.sbatch" "$deploy/night.sh") || exit 2
merge=$(sbatch --parsable --dependency="afterany:$tasks" --output="$NIGHT/merge.log" "$@" \
  "$deploy/slurm/merge.sbatch" "$deploy/night.sh") || { scancel "$tasks" && exit 2; }
echo "job $tasks: replay and shards 1-$shards; job $merge: merge"
