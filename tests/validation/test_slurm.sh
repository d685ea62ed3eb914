#!/usr/bin/env bash
# --slurm on a real Slurm, one node on loopback: a job whose time is up in the middle of a run and one whose process is killed
# are queued again, and the table is the same, byte for byte, as without.
source "$(dirname "$0")/../cli/common.bash"
export XDG_CACHE_HOME=$temporary/cache

shaken_bed 0.6 "10 10 10 mm" 40 "0.5 s" "every: 50 ms, series: [shaker.z]" >model.yaml
study=(sweep model.yaml --vary "constants.f=15:25:3 Hz" --beds 2 --measure energy.impact,energy.work)

for program in munged slurmctld slurmd sbatch squeue scontrol; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null && continue
    echo "needs the packages slurm-wlm and munge: job arrays are not checked on a real Slurm"
    exit 77
done
if [[ $(id -u) -ne 0 ]]; then
    echo "needs to be root to start Slurm: job arrays are not checked on a real one"
    exit 77
fi
PATH=$PATH:/usr/sbin
host=$(hostname -s)
read -r port port2 < <(python3 -c 'import socket
s = [socket.socket(), socket.socket()]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))')
mkdir munge state spool
chmod 700 munge
head -c 1024 /dev/urandom >munge/key
chmod 400 munge/key
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$port2
AuthType=auth/munge
AuthInfo=socket=$temporary/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$temporary/state
SlurmdSpoolDir=$temporary/spool
SlurmctldPidFile=$temporary/slurmctld.pid
SlurmdPidFile=$temporary/slurmd.pid
SlurmctldLogFile=$temporary/slurmctld.log
SlurmdLogFile=$temporary/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=bf_interval=1,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$temporary/slurm.conf
munged --force --foreground --key-file="$temporary/munge/key" --socket="$temporary/munge/socket" \
    --pid-file="$temporary/munge/pid" --log-file="$temporary/munge/log" --seed-file="$temporary/munge/seed" >munged.out 2>&1 &
daemons=($!)
slurmctld -D >slurmctld.out 2>&1 &
daemons+=($!)
slurmd -D >slurmd.out 2>&1 &
daemons+=($!)
cleanups+=('kill "${daemons[@]}" 2>/dev/null; wait "${daemons[@]}" 2>/dev/null')
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
    for daemon in "${daemons[@]}"; do
        kill -0 "$daemon" 2>/dev/null && continue
        echo "needs a Slurm that can be started here: job arrays are not checked ($(tail -n 1 slurmctld.out slurmd.out munged.out | tr '\n' ' '))"
        exit 77
    done
    sleep 0.1
done

expect 0 "${study[@]}" -o whole -q
expect 0 "${study[@]}" -o array --slurm 2
job=$(sbatch --parsable --time=10 array/study.sbatch) || fail "sbatch refused the script"
# The first job is told that its time is up in the middle of a run; the process of the second is killed.
own() { # processes of the study: those in this folder
    for pid in $(pgrep -f "sweep .*--leave"); do [[ $(readlink "/proc/$pid/cwd") == "$PWD" && $(cat "/proc/$pid/comm") == maraca ]] && echo "$pid"; done
}
until [[ -n $(find array/points -name series.csv 2>/dev/null) ]]; do sleep 0.05; done
scancel --batch --signal=USR1 "${job}_1" || fail "cannot signal the first job"
until [[ $(own | wc -l) -eq 1 ]]; do sleep 0.05; done
kill -9 "$(own)" || fail "nothing to kill"
while [[ -n $(squeue -h) ]]; do sleep 0.2; done
[[ $(find array/points -name result.json | wc -l) -eq 6 ]] || fail "not all runs were done: $(cat array/slurm-*.log)"
says "array/slurm-${job}_1.log" "goes on from there"
says "array/slurm-${job}_2.log" "Killed"
same array/study.csv whole/study.csv
same array/study.json whole/study.json
echo "one job told, one killed: 6 of 6 runs, the same table"
