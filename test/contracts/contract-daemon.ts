import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { pluggedChannel } from '../../src/config/extension-settings.ts';
import { type ChannelAdapter, type ChannelCapabilities, principalOf } from '../../src/contract.ts';
import { createDaemon, type Daemon } from '../../src/daemon/daemon.ts';
import type { CrashPoint } from '../../src/lib/crash-points.ts';
import { signal } from '../../src/lib/live.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { makeDataFolder } from '../support/new-data-folder.ts';
import { newFolder } from '../support/new-folder.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { ScriptedModel, wordsOf } from '../support/scripted-model.ts';
import { SkippingClock } from '../support/skipping-clock.ts';
import { rowsOf } from '../support/store-setting.ts';
import { faultsOf } from '../support/well-formed.ts';
import { wholeSchema } from '../support/whole-schema.ts';
import type { Open } from './channel-setting.ts';
import { opened } from './connected-adapter.ts';
import type { Platform } from './platform.ts';

/** What people send may be so large, in bytes. */
export const largestFile = 100_000;

export type ContractDaemon<Kind extends Platform> = Awaited<ReturnType<typeof daemonOn<Kind>>>['daemon'];

/**
 * A whole daemon in this process that talks on a platform of its own: real SQLite on disk, a scripted model. It ends with
 * the test. All that the model was asked has to be well formed. A long answer is read in messages, and not in a file,
 * unless the test wants fewer.
 */
export async function daemonOn<Kind extends Platform>(
  open: Open<Kind>,
  { maxMessages = 50 }: { readonly maxMessages?: number } = {},
) {
  const platform = await opened(open);
  const folder = await newFolder();
  const data = join(folder, 'data');
  const workspace = join(folder, 'workspace');
  await makeDataFolder(data);
  const model = new ScriptedModel();
  // A burst of messages is answered as one: the last of them is repeated.
  model.otherwise((request) => `echo: ${wordsOf(request).split('\n').at(-1)}`);
  const clock = new SkippingClock();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  /** Asks for an approval. */
  const deploy = new RecordingTool('deploy', 'shell');
  /** Needs none, and runs until it is let go. */
  const slow = new RecordingTool('slow', 'memory', async (_what, { signal }) => {
    signal.addEventListener('abort', () => release(), { once: true });
    await released;
    return { forLlm: 'it took a while', isError: false, isAsync: false };
  });
  let adapter: ChannelAdapter | undefined;
  let running: Daemon | undefined;

  async function start(): Promise<void> {
    adapter = platform.connect();
    running = await createDaemon({
      // Whatever else the channel's settings hold is for the channel, which has them already.
      config: wholeSchema({ [platform.channel]: pluggedChannel }).parse({
        owners: [principalOf(platform.channel, platform.owner)],
        channels: { [platform.channel]: platform.settings },
        data_dir: data,
        workspace,
        attachments: { max_bytes: largestFile },
        delivery: { max_messages: maxMessages },
      }),
      models: {
        ...{ defaultName: 'only', names: ['only'], learned: signal<InLanguage>() },
        ...{ look: () => {}, of: () => model, stateOf: () => ({}) },
        sourceOf: (modelId) => ({ provider: 'scripted', modelId }),
      },
      adapters: new Map([[platform.channel, adapter]]),
      clock,
      log: silentLog,
      crashPoint: (point) => daemon.onPoint(point),
      environment: { PATH: process.env.PATH },
      secrets: [],
      sandbox: { holds: false, reason: 'there is none here' },
      privatePaths: [],
      claimCode: 'k3f9abcd',
      tools: [deploy.registration, slow.registration],
      stopRequested: () => {},
    });
    await running.start();
    await platform.ready?.();
  }

  async function stop(): Promise<void> {
    const ending = running;
    running = undefined;
    await ending?.stop();
  }

  const daemon = {
    ...{ platform, model, clock, deploy, slow, workspace, start, stop },
    /** What happens at the crash points. */
    onPoint: (_point: CrashPoint): void => {},
    /** Lets the slow tool end. */
    release: () => release(),

    /** Opens the data again, with an adapter of its own. */
    async restart(): Promise<void> {
      await stop();
      await start();
    },

    /** What the channel can do. */
    get capabilities(): ChannelCapabilities {
      if (adapter === undefined) throw new Error('There is a channel once the daemon was started.');
      return adapter.capabilities;
    },

    /** What stands in the database. */
    rows: (sql: string) => rowsOf(join(data, 'keyturn.db'), sql),
  };
  onTestFinished(async () => {
    release();
    await stop();
    expect(model.requests.flatMap(faultsOf)).toEqual([]);
  });
  await start();
  return { ...daemon, daemon };
}
