import type { FeatureCore } from '../../feature-points.ts';
import type { DeviceStore } from './tables.ts';

interface HaltingParts extends Pick<FeatureCore, 'halt' | 'log'> {
  readonly stored: { readonly devices: Pick<DeviceStore, 'runsOf'> };
}

/** Halts the runs of a device that is being revoked, as soon as it is read which they are. */
export class HaltedRuns {
  readonly #id: string;
  readonly #parts: HaltingParts;
  #isOver = false;
  #goOn: (() => void) | undefined;
  #reading: Promise<void> | undefined;

  constructor(id: string, parts: HaltingParts) {
    this.#id = id;
    this.#parts = parts;
  }

  /** Call it once the device is let in no longer, so that no others begin. */
  begin(): void {
    this.#reading ??= this.#halt();
  }

  /** That it is revoked is stored, or never will be: runs that were not ended go on. Those that are not known yet are not halted. */
  over(): void {
    this.#isOver = true;
    this.#goOn?.();
  }

  /** Resolves once it is known which they are. Never rejects. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  async #halt(): Promise<void> {
    const { halt, log, stored } = this.#parts;
    try {
      const runs = await stored.devices.runsOf([this.#id]);
      // The write may have been faster: it has ended them.
      if (!this.#isOver) this.#goOn = halt(runs);
    } catch (err) {
      log.error({ err, device: this.#id }, 'the runs of a device go on until it is stored that it is revoked');
    }
  }
}
