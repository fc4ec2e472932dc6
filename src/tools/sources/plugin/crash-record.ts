import { backOff } from '../../../lib/back-off.ts';
import type { Clock } from '../../../lib/clock.ts';

export interface CrashRecordDependencies {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

/** So many crashes within so much time (in milliseconds) are too many. */
const mostCrashes = 5;
const crashWindow = 10 * 60_000;

/** What people and models read of a plugin that has crashed too often. */
export const gaveUpWords =
  'It has crashed five times within ten minutes. It is off until Keyturn is started anew, or an owner ends his trust and gives it again.';

/** What has become of a plugin's processes lately, and when the next may be started. */
export class CrashRecord {
  readonly #dependencies: CrashRecordDependencies;
  #crashes: readonly number[] = [];
  /** Since it last did what it should. */
  #inARow = 0;
  #notBefore = 0;

  constructor(dependencies: CrashRecordDependencies) {
    this.#dependencies = dependencies;
  }

  /** A process crashed. Returns whether it has crashed too often to be started again. */
  crashed(): boolean {
    const { clock, chance } = this.#dependencies;
    const now = clock.now();
    this.#crashes = [...this.#crashes.filter((at) => at > now - crashWindow), now];
    this.#inARow += 1;
    this.#notBefore = now + backOff(this.#inARow, chance === undefined ? {} : { chance });
    return this.#crashes.length >= mostCrashes;
  }

  /** A call was answered. */
  worked(): void {
    this.#inARow = 0;
  }

  /** How long it must not be started yet, in milliseconds. */
  pause(): number {
    return Math.max(0, this.#notBefore - this.#dependencies.clock.now());
  }
}
