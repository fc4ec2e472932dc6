import type { Clock } from '../../src/lib/clock.ts';
import type { TerminalWords } from './words.ts';

/** In ms: how often it changes, and how long nothing else was shown before it comes back. */
const pace = 200;
const quietTime = 1500;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** A sign that something is being done while nothing else is to be seen. */
export interface WorkingSign {
  /** Shows it until `ended` resolves; if it is shown already, that goes on. */
  begin(ended: () => Promise<void>): void;
  /** Something else was shown, and took its place. */
  note(): void;
  end(): void;
}

interface SignParts {
  readonly clock: Clock;
  readonly words: () => TerminalWords;
  /** Shows this row; none if it is empty. */
  show(row: string): void;
}

interface SignState extends SignParts {
  /** When the work began; undefined if there is none. */
  since: number | undefined;
  frame: number;
  stopTimer: () => void;
}

export function createWorkingSign(parts: SignParts): WorkingSign {
  const sign: SignState = { ...parts, since: undefined, frame: 0, stopTimer: () => {} };
  return {
    begin(ended) {
      if (sign.since !== undefined) return;
      sign.since = sign.clock.now();
      step(sign);
      ended().then(
        () => end(sign),
        () => end(sign),
      );
    },
    note() {
      if (sign.since !== undefined) wait(quietTime, sign);
    },
    end: () => end(sign),
  };
}

function step(sign: SignState): void {
  const { since, clock, words, frame } = sign;
  if (since === undefined) return;
  const seconds = Math.floor((clock.now() - since) / 1000);
  sign.show(`${frames[frame % frames.length]} ${words().thinking({ seconds })}`);
  sign.frame += 1;
  wait(pace, sign);
}

function wait(milliseconds: number, sign: SignState): void {
  sign.stopTimer();
  sign.stopTimer = sign.clock.after(milliseconds, () => step(sign));
}

function end(sign: SignState): void {
  if (sign.since === undefined) return;
  sign.since = undefined;
  sign.stopTimer();
  sign.show('');
}
