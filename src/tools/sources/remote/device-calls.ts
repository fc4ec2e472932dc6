import type { Clock } from '../../../lib/clock.ts';
import { type DeviceConnection, interruptionOf } from './device-connection.ts';
import { Patience } from './patience.ts';
import type { DeviceOutcome, WantedCall } from './wanted-call.ts';

export interface DeviceCallsDependencies {
  /** The sockets that a device has now, the newest first. */
  readonly socketsOf: (deviceId: string) => readonly DeviceConnection[];
  readonly clock: Clock;
}

/** No call takes longer, whatever signs of life it gives, in milliseconds. */
const longestCall = 600_000;

/** Has devices called: each call of ours is asked once, or until somebody answers where that does no harm. */
export class DeviceCalls {
  readonly #dependencies: DeviceCallsDependencies;
  /** Who waits for a device to offer its tools. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(dependencies: DeviceCallsDependencies) {
    this.#dependencies = dependencies;
  }

  /** A device that is not there is waited for, as long as the call may take. Never rejects. */
  async run(wanted: WantedCall): Promise<DeviceOutcome> {
    const interruption = new AbortController();
    const { timeout, signal } = wanted;
    const over = (): void => interruption.abort('timed-out');
    const stop = (): void => interruption.abort(isTimeout(signal.reason) ? 'timed-out' : 'stopped');
    const patience = new Patience({ clock: this.#dependencies.clock, timeout, most: longestCall, over });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await this.#attempts(wanted, patience, interruption.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      patience.stop();
    }
  }

  /** The device has tools on offer that it had not. */
  offered(deviceId: string): void {
    for (const goOn of this.#waiting.get(deviceId) ?? []) goOn();
  }

  async #attempts(wanted: WantedCall, patience: Patience, interruption: AbortSignal): Promise<DeviceOutcome> {
    let wasAsked = false;
    while (!interruption.aborted) {
      const sockets = this.#socketsFor(wanted);
      if (sockets === 'changed') return { type: 'changed', wasAsked };
      const asked = firstOf(sockets, (socket) => socket.ask(wanted, { patience, interruption }));
      if (asked === undefined) {
        await this.#whenOffered(wanted.device.id, interruption);
        continue;
      }
      wasAsked = true;
      const outcome = await asked;
      if (outcome.type !== 'lost' || !wanted.isIdempotent) return outcome;
    }
    return wasAsked ? { type: interruptionOf(interruption) } : { type: 'absent' };
  }

  #socketsFor({ device, tool, fingerprint }: WantedCall): readonly DeviceConnection[] | 'changed' {
    const offering = this.#dependencies.socketsOf(device.id).filter(({ tools }) => tools.has(tool));
    const same = offering.filter(({ tools }) => tools.get(tool)?.spec.fingerprint === fingerprint);
    return same.length === 0 && offering.length > 0 ? 'changed' : same;
  }

  /** Resolves when the device offers something, or with the interruption. */
  #whenOffered(deviceId: string, interruption: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(deviceId) ?? new Set();
      const goOn = (): void => {
        waiting.delete(goOn);
        if (waiting.size === 0) this.#waiting.delete(deviceId);
        interruption.removeEventListener('abort', goOn);
        resolve();
      };
      this.#waiting.set(deviceId, waiting.add(goOn));
      interruption.addEventListener('abort', goOn, { once: true });
    });
  }
}

function firstOf<One, Result>(all: readonly One[], find: (one: One) => Result | undefined): Result | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the time of the call was over, as whoever runs it counts. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
