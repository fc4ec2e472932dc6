/** Discord counts from the first instant of 2015. */
const epoch = 1_420_070_400_000;

/** When what has this id was made, in milliseconds since 1970. */
export function instantOf(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** The greatest id that is smaller than all that are given from that instant on, in milliseconds since 1970. */
export function idBefore(instant: number): string {
  const since = Math.max(0, Math.floor(instant) - epoch);
  return String(since === 0 ? 0n : (BigInt(since) << 22n) - 1n);
}
