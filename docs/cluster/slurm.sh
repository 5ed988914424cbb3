#!/bin/bash
# A batch or a sweep as one Slurm job: sbatch docs/cluster/slurm.sh batch scenarios.csv -o out
# A Dask scheduler and the command run in the job's first task, workers in all tasks. What was killed goes on by --resume.
#SBATCH --job-name=sizebook
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=02:00:00
set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null' EXIT  # the scheduler may outlive the script where Slurm follows no control groups

port=$((10000 + SLURM_JOB_ID % 50000))
address=tcp://$(hostname):$port
dask scheduler --port "$port" --no-dashboard &
# One thread a worker; above 3 GB a worker is started anew by its nanny, before Slurm would kill the task.
srun --overlap dask worker "$address" --nthreads 1 --memory-limit 3GB --death-timeout 60 --no-dashboard \
    --local-directory "${TMPDIR:-/tmp}" &
echo "$address"
sizebook "$@" --scheduler "$address" --resume
