# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# To be sourced: a Slurm cluster of two nodes on this machine, with a controller, two slurmd, and a munged of its own.
# All of it lives in one folder and on free ports of the loopback: nothing of /etc is read or changed, and a cluster
# that the machine may belong to is not touched.

# start_cluster FOLDER: returns when both nodes are idle; exports SLURM_CONF, which is all the commands need.
start_cluster() {
  cluster=$1
  cluster_pids=()
  chmod a+x "$(dirname "$cluster")"  # munged wants its socket to be within everybody's reach
  mkdir -p "$cluster/state"
  (umask 277 && head -c 64 /dev/urandom >"$cluster/munge.key")
  : >"$cluster/plugstack.conf"  # no plugins: those of /etc are somebody else's
  write_slurm_conf
  export SLURM_CONF=$cluster/slurm.conf
  daemon munged --foreground --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
    --pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed"
  await 'munged answers' test -S "$cluster/munge.socket"
  daemon slurmctld -D
  daemon slurmd -D -N node1
  daemon slurmd -D -N node2
  await 'two idle nodes' two_idle_nodes
}

# Slurm's stepds are children of slurmd's: they end with their jobs, which stop_cluster cancels first.
stop_cluster() {
  [ -n "${cluster_pids:-}" ] || return 0
  if scancel --user="$(id -un)" 2>/dev/null; then await 'an empty queue' no_jobs || true; fi
  kill "${cluster_pids[@]}" 2>/dev/null || true
  wait "${cluster_pids[@]}" 2>/dev/null || true
}

# await WHAT COMMAND...: until COMMAND succeeds, for five minutes.
await() {
  local what=$1 tries=0
  shift
  until "$@" 2>/dev/null; do
    [ $((tries += 1)) -le 1500 ] || { echo "waited five minutes for $what" >&2; return 1; }
    sleep 0.2
  done
}

no_jobs() { [ -z "$(squeue --noheader)" ]; }

two_idle_nodes() { [ "$(sinfo --noheader --Node --format=%T)" = $'idle\nidle' ]; }

daemon() {
  PATH=$PATH:/usr/sbin "$@" >>"$cluster/$1.out" 2>&1 &
  cluster_pids+=($!)
}

free_ports() {
  python3 -c 'import socket; s = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(x.getsockname()[1] for x in s))'
}

# No cgroups and no accounting: a container has the rights for neither.
write_slurm_conf() {
  local ports
  read -r -a ports <<<"$(free_ports)"
  cat >"$cluster/slurm.conf" <<CONF
ClusterName=convict
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
PlugStackConfig=$cluster/plugstack.conf
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=node1 NodeHostname=node1 NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1
NodeName=node2 NodeHostname=node2 NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1
PartitionName=night Nodes=node1,node2 Default=YES State=UP
CONF
}
