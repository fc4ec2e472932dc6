import type { ChannelHost } from '../../../src/contract.ts';
import type { Continuity } from './continuity.ts';
import { unstoredWords } from './end-verdict.ts';
import type { Frame } from './frame.ts';
import type { Link } from './link.ts';

export interface ReceptionDependencies {
  readonly continuity: Continuity;
  readonly host: Pick<ChannelHost, 'clock' | 'log'>;
  readonly link: Link;
  /** Takes what Discord tells. Resolves once it is stored, or given up because the session is over. */
  readonly take: (event: string, data: unknown) => Promise<void>;
  /** Whether storing fails now. */
  readonly isStuck: () => boolean;
}

/** While so many events wait to be stored, no more are taken. */
const mostBacklog = 1_000;

/** Has what comes in stored, and says that all is well only while that succeeds. */
export class Reception {
  readonly #dependencies: ReceptionDependencies;
  /** How many events are on their way into the store. */
  #waiting = 0;
  #isFull = false;
  /** When Discord was heard last, in milliseconds since 1970. */
  #heardAt = 0;
  /** It is to be said that all is well as soon as everything is stored. */
  #isOwed = false;

  constructor(dependencies: ReceptionDependencies) {
    this.#dependencies = dependencies;
  }

  /** More has come in than could be stored, and not all of it is stored by now: nothing else may come. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Takes an event, unless there are too many: gives whether it has. What was not stored when the signal aborts comes again. */
  accept({ name, data, sequence }: Frame & { readonly type: 'event' }, signal: AbortSignal): boolean {
    const { continuity, host, take } = this.#dependencies;
    const session = continuity.current;
    if (this.#waiting >= mostBacklog) this.#isFull = true;
    if (session === undefined || this.#isFull) return false;
    this.#heardAt = host.clock.now();
    const stored = session.arrived(sequence);
    this.#waiting += 1;
    void take(name, data)
      .catch((error: unknown) => host.log.error({ event: name, err: error }, 'an event of Discord was not understood'))
      .then(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#isFull = false;
        // Given up is not stored: it comes again.
        if (signal.aborted) return;
        stored();
        if (this.#waiting === 0) this.#allStored();
      });
    return true;
  }

  /** Discord is there. If something is on its way into the store, all is well once it is there. */
  heard(): void {
    const { host, link, isStuck } = this.#dependencies;
    this.#heardAt = host.clock.now();
    this.#isOwed = true;
    if (this.#waiting === 0) this.#allStored();
    else if (isStuck()) link.fail(unstoredWords);
  }

  /** The connection has ended: that all is well is not said before Discord is heard again. */
  ended(): void {
    this.#isOwed = false;
  }

  /** All that has come in is stored. */
  #allStored(): void {
    const { continuity, link } = this.#dependencies;
    continuity.heard(this.#heardAt);
    if (!this.#isOwed) return;
    this.#isOwed = false;
    link.succeed();
  }
}
