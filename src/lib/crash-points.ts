/**
 * The instants at which a killed process leaves the least behind. A test that wants to see what a restart makes of one
 * injects a function that kills the process there; otherwise nothing happens at them.
 */
export type CrashPoint =
  | 'message-stored'
  | 'run-begun'
  | 'turn-stored'
  | 'approval-open'
  | 'card-sent'
  | 'decision-stored'
  | 'call-begun'
  | 'call-executed'
  | 'call-done'
  | 'sub-run-begun'
  | 'sub-run-ended'
  | 'reply-stored'
  | 'reply-sent'
  | 'schedule-fired';

export type CrashPoints = (point: CrashPoint) => void;

export const noCrashPoints: CrashPoints = () => {};
