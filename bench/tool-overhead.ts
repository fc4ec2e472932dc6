/**
 * The overhead of a tool call besides the tool and the model: validate, judge, journal, execute, journal. Prints the
 * time from the model's call of `echo` to the next request with its result, with a real database on this disk.
 *
 *     node bench/tool-overhead.ts [CALLS]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';
import type { ChannelAdapter, ChannelHost, Conversation } from '../src/contract.ts';
import { createDaemon } from '../src/daemon/daemon.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import type { AnswerPart, LanguageModel } from '../src/models/language-model.ts';

const calls = Number(process.argv[2] ?? 2000);
/** Per message: within the limits of a run. */
const callsOfRun = 100;
const place: Readonly<Conversation> = { channel: 'bench', chatId: '1', kind: 'direct' };

async function measure(folder: string): Promise<readonly number[]> {
  const took: number[] = [];
  const adapter = new BenchChannel();
  const model = callingModel((duration) => took.push(duration));
  const daemon = await createDaemon({
    config: benchConfig(folder),
    models: { defaultName: 'calling', names: ['calling'], of: () => model },
    adapters: new Map([['bench', adapter]]),
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
  // The first run warms up and is not counted.
  for (let run = 0; run <= calls / callsOfRun; run++) await adapter.say(`${run}`);
  await daemon.stop();
  return took.slice(callsOfRun);
}

function benchConfig(folder: string) {
  const block = z.object({ enabled: z.boolean().default(true), allow_from: z.array(z.string()).default(['*']) });
  return configSchema({ bench: block }).parse({
    data_dir: join(folder, 'data'),
    workspace: join(folder, 'workspace'),
    agent: { max_turns: callsOfRun + 1, context_tokens: 16_000, summaries: false },
    tools: { rate_limits: {} },
  });
}

/** Calls `echo` this many times in sequence, and measures the time until the next request. */
function callingModel(measured: (duration: number) => void): LanguageModel {
  let made = 0;
  let answeredAt: number | undefined;
  return {
    label: 'bench',
    seesImages: false,
    async *stream() {
      if (answeredAt !== undefined) measured(performance.now() - answeredAt);
      answeredAt = undefined;
      const isLast = made === callsOfRun;
      made = isLast ? 0 : made + 1;
      const part: AnswerPart = isLast
        ? { type: 'text', text: 'done' }
        : { type: 'call', modelCallId: `m${made}`, name: 'echo', arguments: { message: `hello ${made}` } };
      if (!isLast) answeredAt = performance.now();
      yield { type: 'finish', answer: { parts: [part], usage: { inputTokens: 1, outputTokens: 1 } } };
    },
  };
}

/** One person who writes and waits for the answer. */
class BenchChannel implements ChannelAdapter {
  readonly capabilities = {
    maxLength: 4000,
    forms: false,
    maxFileBytes: 0,
    editPause: { direct: 1000, group: 1000 },
    history: true,
  };
  #host: ChannelHost | undefined;
  #messages = 0;

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    host.reportHealth({ status: 'connected' });
  }

  async stop(): Promise<void> {}

  async send(): Promise<{ readonly id: string }> {
    this.#messages += 1;
    return { id: `${this.#messages}` };
  }

  async say(text: string): Promise<void> {
    await this.#host?.receive({
      type: 'message',
      key: `say:${text}`,
      conversation: place,
      sender: { id: 'ada', name: 'Ada', isPerson: true },
      text,
      addressed: true,
      sentAt: Date.now(),
    });
    await this.#host?.whenIdle(place);
  }
}

function report(what: string, durations: readonly number[]): void {
  if (durations.length === 0) throw new Error('Nothing was measured: the model was never asked again after a call.');
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  process.stdout.write(`${what}: ${sorted.length} calls, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'keyturn-bench-'));
try {
  report('echo, from answer to next request', await measure(folder));
} finally {
  await rm(folder, { recursive: true, force: true });
}
