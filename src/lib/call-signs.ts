/** The state of a call as one sign, wherever people read it: on cards, in notices, beside what tools do. */
export const callSigns = {
  waiting: '⏳',
  running: '⚙️',
  done: '✔️',
  failed: '⚠️',
  denied: '❌',
  expired: '⌛',
  /** It was called off, or never ran. */
  stopped: '🚫',
  /** The process was cut off: nobody knows how much of it happened. */
  cutOff: '⚡',
} as const;
