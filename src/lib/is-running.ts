/** Whether a process with this number runs, of whatever user: another one may have got the number since. */
export function isRunning(pid: number): boolean {
  // 0 and below would be groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
