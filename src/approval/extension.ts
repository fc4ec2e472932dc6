/**
 * What a run may not go beyond without being asked for: its turns, or what it, its person on one day, or all on one day
 * have spent.
 */
export type BoundName =
  | 'turns'
  | 'tokens-per-run'
  | 'cost-per-run'
  | 'tokens-per-person'
  | 'cost-per-person'
  | 'tokens-per-day'
  | 'cost-per-day';

/** Leave for one run to go on beyond one of its bounds. */
export interface Extension {
  readonly runId: string;
  readonly bound: BoundName;
  /** How far the run itself may go then, whatever others spend: turns, tokens, or money in millionths. */
  readonly until: number;
  /** What its next request is to contain: if it may not go on, nothing up to here waits for an answer any more. */
  readonly seenSeq: number;
}

/** How a run ends that may not go on. */
export function closingReasonOf({ bound }: Extension): 'limit' | 'budget' {
  return bound === 'turns' ? 'limit' : 'budget';
}
