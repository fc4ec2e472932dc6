import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { configSchema } from '../src/config/join-settings.ts';
import type { Config } from '../src/config/schema.ts';
import type { ChannelAdapter, ChannelHost, Conversation } from '../src/contract.ts';
import { createDaemon, type Daemon } from '../src/daemon/daemon.ts';
import { settingsOfFeatures } from '../src/features/index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { signal } from '../src/lib/live.ts';
import { silentLog } from '../src/lib/log.ts';
import type { InLanguage } from '../src/lib/words.ts';
import type { LanguageModel } from '../src/models/language-model.ts';

/** Runs a daemon with a real database in a new folder, and people of the bench who talk to this model. */
export async function withDaemon(
  model: LanguageModel,
  agent: Readonly<Record<string, unknown>>,
  work: (channel: BenchChannel) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyturn-bench-'));
  // The daemon's own timers keep no process alive.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    const channel = new BenchChannel();
    const daemon = await startBenchDaemon(await benchConfig(folder, agent), model, { bench: channel });
    await work(channel);
    await daemon.stop();
  } finally {
    clearInterval(alive);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a daemon with one model and these channels, and without a sandbox, a log or secrets. */
export async function startBenchDaemon(
  config: Config,
  model: LanguageModel,
  channels: Readonly<Record<string, ChannelAdapter>>,
): Promise<Daemon> {
  const daemon = await createDaemon({
    config,
    models: {
      ...{ defaultName: 'bench', names: ['bench'], learned: signal<InLanguage>() },
      ...{ look: () => {}, of: () => model, stateOf: () => ({}) },
      sourceOf: (modelId) => ({ provider: 'bench', modelId }),
    },
    adapters: new Map(Object.entries(channels)),
    clock: systemClock,
    log: silentLog,
    environment: {},
    secrets: [],
    sandbox: { holds: false, reason: 'there is none here' },
    privatePaths: [],
    claimCode: 'bench',
    stopRequested: () => {},
  });
  await daemon.start();
  return daemon;
}

async function benchConfig(folder: string, agent: Readonly<Record<string, unknown>>) {
  const block = z.object({ enabled: z.boolean().default(true), allow_from: z.array(z.string()).default(['*']) });
  return configSchema({ bench: block }, await settingsOfFeatures()).parse({
    data_dir: join(folder, 'data'),
    workspace: join(folder, 'workspace'),
    agent: { context_tokens: 16_000, summaries: false, ...agent },
    tools: { rate_limits: {} },
  });
}

/** A platform in this process, on which people write and wait for the answer. */
export class BenchChannel implements ChannelAdapter {
  readonly capabilities = {
    maxLength: 4000,
    forms: false,
    maxFileBytes: 0,
    editPause: { direct: 1000, group: 1000 },
    history: true,
  };
  readonly #answered = new Map<string, () => void>();
  #host: ChannelHost | undefined;
  #messages = 0;
  #said = 0;

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    host.reportHealth({ status: 'connected' });
  }

  async stop(): Promise<void> {}

  async send({ chatId }: Conversation): Promise<{ readonly id: string }> {
    this.#messages += 1;
    this.#answered.get(chatId)?.();
    return { id: `${this.#messages}` };
  }

  /** Somebody writes. Resolves when nothing is left to do there. */
  async say(text: string, chatId = '1'): Promise<void> {
    const place: Conversation = { channel: 'bench', chatId, kind: 'direct' };
    this.#said += 1;
    await this.#host?.receive({
      type: 'message',
      key: `say:${this.#said}`,
      conversation: place,
      sender: { id: chatId, name: 'Ada', isPerson: true },
      text,
      addressed: true,
      sentAt: Date.now(),
    });
    await this.#host?.whenIdle(place);
  }

  /** Somebody writes. Resolves, when something is shown in answer, with how long that took, in ms. */
  async ask(text: string, chatId: string): Promise<number> {
    const begunAt = performance.now();
    const shown = new Promise<void>((resolve) => this.#answered.set(chatId, resolve));
    void this.say(text, chatId);
    await shown;
    return performance.now() - begunAt;
  }
}

/** Prints how long things took, in ms. */
export function report(what: string, durations: readonly number[]): void {
  if (durations.length === 0) throw new Error(`Nothing was measured: ${what}.`);
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  process.stdout.write(`${what}: ${sorted.length} times, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms\n`);
}
