/**
 * Why a run is told to end: a person wants it to (an outcome, which is stored), or the process is ending (which leaves no
 * trace, so that the next process goes on with it).
 */
export type StopRequest = { readonly type: 'stopped-by-person' } | { readonly type: 'process-ending' };

export const stoppedByPerson: StopRequest = { type: 'stopped-by-person' };
export const processEnding: StopRequest = { type: 'process-ending' };

/** Whether the reason of an abort is a person's wish. */
export function isPersonsWish(reason: unknown): boolean {
  return reason === stoppedByPerson;
}
