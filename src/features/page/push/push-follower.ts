import { once } from '../../../lib/background.ts';
import type { TelemetryEvent } from '../../../telemetry.ts';
import type { PageParts } from '../page-parts.ts';
import type { Pushes } from './pushes.ts';

/** Hears what browsers are told while no tab is open. What tells them is loaded when there may be one. */
export class PushFollower {
  readonly #parts: PageParts;
  readonly #load: () => Promise<Pushes>;
  #unlisten: (() => void) | undefined;
  #isLoaded = false;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#load = once(async () => (await import('./pushes.ts')).createPushes(parts));
  }

  start(): void {
    this.#unlisten ??= this.#parts.telemetry.listen((event) => this.#hear(event));
  }

  async stop(): Promise<void> {
    this.#unlisten?.();
    if (this.#isLoaded) await (await this.#load()).stop();
  }

  #hear(event: TelemetryEvent): void {
    if (event.type === 'approval_requested' && this.#parts.accounts.devices().length > 0)
      this.#do(async (pushes) => pushes.asked(event.approvalId));
    if (event.type === 'rights_changed' && event.change === 'device_removed')
      this.#do((pushes) => pushes.removed(event.subject));
  }

  #do(work: (pushes: Pushes) => Promise<void>): void {
    this.#isLoaded = true;
    this.#load()
      .then(work)
      .catch((err: unknown) => this.#parts.log.warn({ err, part: 'page' }, 'browsers without a tab could not be told'));
  }
}
