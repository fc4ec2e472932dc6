import type { Clock } from '../lib/clock.ts';
import { endsWithin } from '../lib/ends-within.ts';
import type { Log } from '../lib/log.ts';
import type { PluginVoices } from '../tools/sources/hooks/plugin-voices.ts';
import type { Trust } from '../tools/trust.ts';
import type { Channels } from './channels.ts';
import type { Tools } from './tools.ts';

/** Something that brings tools, or channels, while the daemon runs. */
export interface Bringer {
  /** Begins; resolves without waiting for what may take long. Never rejects: what goes wrong is told to the operator. */
  start(): Promise<void>;
  /** Takes away what it has brought, and leaves nothing running. Ends within 2 s. */
  stop(): Promise<void>;
  /** What an owner should know of it now, a line of plain text each. */
  troubles?(): readonly string[];
}

/** What tools from elsewhere are brought with. */
export interface SourceParts extends Tools {
  readonly trust: Trust;
  /** Where channels from elsewhere come in. */
  readonly channels: Pick<Channels, 'attach' | 'detach'>;
  /** Told where plugins can be asked as hooks. */
  readonly pluginVoices: PluginVoices;
}

export interface BringersDependencies {
  readonly make: () => Promise<readonly Bringer[]>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the process ends: nothing is begun or waited for any more. */
  readonly ending: AbortSignal;
}

/** How long runs wait for what brings tools to have begun, in milliseconds. */
const longestWait = 2_000;

/** Begins and ends all that brings tools from elsewhere. What of it fails is logged, and costs nothing else. */
export class Bringers {
  readonly #dependencies: BringersDependencies;
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #made: Promise<readonly Bringer[]> = Promise.resolve([]);
  #bringers: readonly Bringer[] = [];

  constructor(dependencies: BringersDependencies) {
    this.#dependencies = dependencies;
    dependencies.ending.addEventListener('abort', () => this.#ready.resolve(), { once: true });
  }

  /** Returns at once. */
  begin(): void {
    const { clock, ending: signal } = this.#dependencies;
    this.#made = this.#make();
    void endsWithin(this.#start(), { clock, milliseconds: longestWait, signal }).then(() => {
      this.#isReady = true;
      this.#ready.resolve();
    });
  }

  /** Resolves when the tools that need not be waited for long are there; undefined when that is so. */
  ready(): Promise<void> | undefined {
    return this.#isReady ? undefined : this.#ready.promise;
  }

  /** What an owner should know of them now, a line of plain text each. */
  troubles(): readonly string[] {
    return this.#bringers.flatMap((bringer) => bringer.troubles?.() ?? []);
  }

  async stop(): Promise<void> {
    await this.#each('a source of tools could not be ended', (bringer) => bringer.stop());
  }

  async #make(): Promise<readonly Bringer[]> {
    try {
      this.#bringers = await this.#dependencies.make();
      return this.#bringers;
    } catch (error) {
      this.#dependencies.log.error({ err: error }, 'no tools from elsewhere are there: they could not be loaded');
      return [];
    }
  }

  #start(): Promise<void> {
    return this.#each('a source of tools could not begin: its tools are missing', async (bringer) => {
      if (!this.#dependencies.ending.aborted) await bringer.start();
    });
  }

  async #each(failure: string, work: (bringer: Bringer) => Promise<void>): Promise<void> {
    const attempts = (await this.#made).map((bringer) =>
      work(bringer).catch((error: unknown) => this.#dependencies.log.error({ err: error }, failure)),
    );
    await Promise.all(attempts);
  }
}
