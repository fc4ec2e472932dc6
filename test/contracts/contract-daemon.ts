import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { withPluggedChannels } from '../../src/config/extension-settings.ts';
import { configSchema } from '../../src/config/schema.ts';
import { type ChannelAdapter, type ChannelCapabilities, principalOf } from '../../src/contract.ts';
import { createDaemon, type Daemon } from '../../src/daemon/daemon.ts';
import type { CrashPoint } from '../../src/lib/crash-points.ts';
import { silentLog } from '../../src/lib/log.ts';
import { makeDataFolder } from '../support/new-data-folder.ts';
import { newFolder } from '../support/new-folder.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { ScriptedModel, wordsOf } from '../support/scripted-model.ts';
import { SkippingClock } from '../support/skipping-clock.ts';
import { rowsOf } from '../support/store-setting.ts';
import { faultsOf } from '../support/well-formed.ts';
import type { Open } from './channel-setting.ts';
import { opened } from './connected-adapter.ts';
import type { Platform } from './platform.ts';

/** What people send may be so large, in bytes. */
export const largestFile = 100_000;

/** A whole daemon in this process that talks on one platform: real SQLite on disk, a scripted model. */
export class ContractDaemon<Kind extends Platform> {
  /** Itself, for tests that take it apart. */
  readonly daemon = this;
  readonly platform: Kind;
  readonly model = new ScriptedModel();
  readonly clock = new SkippingClock();
  /** Asks for an approval. */
  readonly deploy = new RecordingTool('deploy', 'shell');
  /** Needs none, and runs until it is let go. */
  readonly slow: RecordingTool;
  /** What happens at the crash points. */
  onPoint: (point: CrashPoint) => void = () => {};
  readonly #folder: string;
  readonly #maxMessages: number;
  readonly #released = Promise.withResolvers<void>();
  #adapter: ChannelAdapter | undefined;
  #daemon: Daemon | undefined;

  constructor(platform: Kind, { folder, maxMessages }: { readonly folder: string; readonly maxMessages: number }) {
    this.platform = platform;
    this.#maxMessages = maxMessages;
    // A burst of messages is answered as one: the last of them is repeated.
    this.model.otherwise((request) => `echo: ${wordsOf(request).split('\n').at(-1)}`);
    this.#folder = folder;
    this.slow = new RecordingTool('slow', 'memory', async (_what, { signal }) => {
      signal.addEventListener('abort', () => this.release(), { once: true });
      await this.#released.promise;
      return { forLlm: 'it took a while', isError: false, isAsync: false };
    });
  }

  /** Opens the data again, with an adapter of its own. */
  async start(): Promise<void> {
    const { platform, model, clock, deploy, slow } = this;
    const adapter = platform.connect();
    this.#adapter = adapter;
    this.#daemon = await createDaemon({
      // Whatever else the channel's settings hold is for the channel, which has them already.
      config: configSchema(withPluggedChannels({}, { channel_plugins: { [platform.channel]: {} } })).parse({
        owners: [principalOf(platform.channel, platform.owner)],
        channels: { [platform.channel]: platform.settings },
        data_dir: join(this.#folder, 'data'),
        workspace: this.workspace,
        attachments: { max_bytes: largestFile },
        delivery: { max_messages: this.#maxMessages },
      }),
      models: { defaultName: 'only', names: ['only'], of: () => model },
      adapters: new Map([[platform.channel, adapter]]),
      clock,
      log: silentLog,
      crashPoint: (point) => this.onPoint(point),
      environment: { PATH: process.env.PATH },
      secrets: [],
      sandbox: { holds: false, reason: 'there is none here' },
      privatePaths: [],
      claimCode: 'k3f9abcd',
      tools: [deploy.registration, slow.registration],
      stopRequested: () => {},
    });
    await this.#daemon.start();
    await platform.ready?.();
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    await daemon?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  get workspace(): string {
    return join(this.#folder, 'workspace');
  }

  /** What the channel can do. */
  get capabilities(): ChannelCapabilities {
    if (this.#adapter === undefined) throw new Error('There is a channel once the daemon was started.');
    return this.#adapter.capabilities;
  }

  /** Whether people still see what the last process has shown. */
  get hasHistory(): boolean {
    return this.capabilities.history;
  }

  /** Lets the slow tool end. */
  release(): void {
    this.#released.resolve();
  }

  /** What stands in the database. */
  rows(sql: string): readonly Readonly<Record<string, unknown>>[] {
    return rowsOf(join(this.#folder, 'data', 'keyturn.db'), sql);
  }
}

/**
 * A daemon that ends with the test, on a platform of its own. All that the model was asked has to be well formed. A long
 * answer is read in messages, and not in a file, unless the test wants fewer.
 */
export async function daemonOn<Kind extends Platform>(
  open: Open<Kind>,
  { maxMessages = 50 }: { readonly maxMessages?: number } = {},
): Promise<ContractDaemon<Kind>> {
  const platform = await opened(open);
  const folder = await newFolder();
  await makeDataFolder(join(folder, 'data'));
  const daemon = new ContractDaemon(platform, { folder, maxMessages });
  onTestFinished(async () => {
    daemon.release();
    await daemon.stop();
    expect(daemon.model.requests.flatMap(faultsOf)).toEqual([]);
  });
  await daemon.start();
  return daemon;
}
