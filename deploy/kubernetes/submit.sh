#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A night on Kubernetes: applies night.yaml, waits for its shards, lets the merge run, and ends with its exit code.
set -euo pipefail

usage() {
  cat << 'END'
Run a night of fuzzing on Kubernetes: an indexed Job of one pod a shard, and a Job after it that merges and reports
Usage: deploy/kubernetes/submit.sh [MANIFEST]

MANIFEST is night.yaml beside this script, or a copy of it with your image, storage and settings. Called again after
it was interrupted, it goes on with the night. Prints what the merge says.
Exit codes: those of deploy/night.sh: 0 clean, 1 something new was found; 2 bad input, or kubectl failed
END
}

case ${1:-} in -h | --help) usage && exit 0 ;; esac
manifest=${1:-$(dirname "${BASH_SOURCE[0]}")/night.yaml}
fail() { echo "submit.sh: $*" >&2 && exit 2; }
[ -f "$manifest" ] || fail "'$manifest' does not exist; valid: a copy of deploy/kubernetes/night.yaml"
command -v kubectl > /dev/null || fail 'no kubectl; valid: a machine that is configured for your cluster'

# `kubectl wait` knows one condition at a time, and a Job with a failed shard never becomes Complete.
ended() {
  local conditions
  conditions=$(kubectl get "job/$1" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') || exit 2
  [[ " $conditions " =~ \ (Complete|Failed)\  ]]
}
until_ended() { until ended "$1"; do sleep "${POLL:-15}"; done; }

kubectl delete job convict-night convict-merge --ignore-not-found --cascade=foreground > /dev/null || exit 2
kubectl apply -f "$manifest" || exit 2
until_ended convict-night
kubectl patch job/convict-merge --patch '{"spec": {"suspend": false}}' > /dev/null || exit 2
until_ended convict-merge
kubectl logs job/convict-merge || exit 2
code=$(kubectl get pods --selector=job-name=convict-merge \
  -o 'jsonpath={.items[-1:].status.containerStatuses[0].state.terminated.exitCode}') || exit 2
exit "${code:-2}"
