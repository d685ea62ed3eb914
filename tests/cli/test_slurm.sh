#!/usr/bin/env bash
# --slurm writes a job array (tests/validation/test_slurm.sh runs one); --leave.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

shaken_bed 0.6 "10 10 10 mm" 40 "0.5 s" "every: 50 ms, series: [shaker.z]" >model.yaml
study=(sweep model.yaml --vary "constants.f=15:25:3 Hz" --beds 2 --measure energy.impact,energy.work)

# ---- the script, which needs no Slurm; a name with blanks and quotes
expect 0 "${study[@]}" -o "it's a study" --slurm 3
says out "study.sbatch" "sbatch"
says "it's a study/study.sbatch" "#SBATCH --array=1-3" "#SBATCH --requeue" "--leave" "'it'\\''s a study'" "scontrol requeue"
bash -n "it's a study/study.sbatch" || fail "the script is no bash"
! grep -q -- --slurm "it's a study/study.sbatch" || fail "the jobs would write scripts"
expect 2 "${study[@]}" -o wrong --slurm 2 --slot 1/2
says err "no --slot"
expect 0 optimise model.yaml --vary 'constants.f=15:25 Hz' --minimise energy.work -o search --slurm 2
! grep -q -- --leave search/study.sbatch || fail "jobs of an optimisation must wait for each other"
expect 2 optimise model.yaml --vary 'constants.f=15:25 Hz' --minimise energy.work -o search --leave
says err "no --leave"

# ---- a process that leaves what another one is doing
"$maraca" "${study[@]}" -o shared --threads 1 -q >first 2>&1 &
process=$!
until [[ -n $(find shared/points -name run.lock 2>/dev/null) ]]; do sleep 0.02; done
expect 0 "${study[@]}" -o shared --threads 1 -q --leave
wait $process || fail "the other process failed: $(cat first)"
expect 0 "${study[@]}" -o whole -q
same shared/study.csv whole/study.csv
