import { type Clock, sleep, untilAborted } from '../lib/clock.ts';

/** In ms. */
const turn = 100;
/** The budget of a turn. A message costs 1, plus 1 per 8 KB: 2,500 messages or 20 MB a second. */
const perTurn = 250;
const bytesOfOne = 8_192;
/** This many full turns without a pause are a flood: half a minute. */
const mostTurns = 300;
/** A gap of at least this ends a flood: a flooding writer resumes as soon as it is read. In ms. */
const pause = 500;

/** Limits how fast the output of external programs is read (pipes, HTTP): their readers wait for a turn. */
export interface Pace {
  /** Resolves when this many messages of this size in all may be read, in call order. */
  turnFor(bytes: number, messages?: number): Promise<void>;
  /** What is left is read at once. */
  end(): void;
}

interface PaceState {
  readonly clock: Clock;
  readonly flooded: (seconds: number) => void;
  readonly ending: AbortController;
  left: number;
  turnBegan: number;
  fullTurns: number;
  last: Promise<void>;
}

/** `flooded` is called once, with the time that it lasted, if too much is written for too long: no turn comes then. */
export function createPace(clock: Clock, flooded: (seconds: number) => void): Pace {
  const state: PaceState = {
    clock,
    flooded,
    ending: new AbortController(),
    left: perTurn,
    turnBegan: clock.now(),
    fullTurns: 0,
    last: Promise.resolve(),
  };
  return {
    turnFor(bytes, messages = 1) {
      state.last = state.last.then(() => untilTurn(messages + bytes / bytesOfOne, state));
      return state.last;
    },
    end: () => state.ending.abort(),
  };
}

async function untilTurn(cost: number, state: PaceState): Promise<void> {
  const { clock, ending, flooded } = state;
  const passed = clock.now() - state.turnBegan;
  if (passed >= pause) state.fullTurns = 0;
  // A clock that was set back must not block.
  if (passed < 0 || passed >= turn) beginTurn(state);
  while (state.left <= 0 && !ending.signal.aborted) {
    await sleep(clock, turn, ending.signal);
    beginTurn(state);
    state.fullTurns += 1;
    if (state.fullTurns === mostTurns) flooded((mostTurns * turn) / 1000);
    if (state.fullTurns >= mostTurns) await untilAborted(new Promise(() => {}), ending.signal);
  }
  state.left -= cost;
}

function beginTurn(state: PaceState): void {
  state.left = Math.min(state.left, 0) + perTurn;
  state.turnBegan = state.clock.now();
}
