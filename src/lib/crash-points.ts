/** The moments where a kill leaves the least behind. Tests kill the process there; a real one has none of them. */
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
