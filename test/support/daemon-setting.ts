import { cpSync, renameSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ConfigDesk } from '../../src/config/config-desk.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Conversation } from '../../src/contract.ts';
import type { ChannelEdit } from '../../src/daemon/channels.ts';
import { createDaemon, type Daemon } from '../../src/daemon/daemon.ts';
import type { Setup } from '../../src/daemon/services.ts';
import type { CrashPoints } from '../../src/lib/crash-points.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { signal } from '../../src/lib/live.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type InLanguage, wordsIn } from '../../src/lib/words.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { createModelHealth } from '../../src/models/model-health.ts';
import type { Models } from '../../src/models/open-models.ts';
import type { Transcriber } from '../../src/models/transcriber.ts';
import type { HostLookup } from '../../src/tools/guard/network/network-rules.ts';
import { type CommandShell, plainShell } from '../../src/tools/guard/process/command-shell.ts';
import type { SandboxState } from '../../src/tools/guard/process/sandbox.ts';
import type { ToolRegistration } from '../../src/tools/registry.ts';
import { machineShell } from './machine-shell.ts';
import { ManualClock } from './manual-clock.ts';
import { makeDataFolder } from './new-data-folder.ts';
import { newFolder } from './new-folder.ts';
import { ScriptedModel } from './scripted-model.ts';
import { TestChannel, type TestChannelOptions } from './test-channel.ts';
import { wholeSchema, withPluggedChannels } from './whole-schema.ts';

export interface DaemonSettingOptions {
  /** The config, without folders and channels. Ada is the owner if it does not say otherwise. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Who may talk beside the owner. */
  readonly allowFrom?: readonly string[];
  readonly channel?: TestChannelOptions;
  readonly moreChannels?: readonly TestChannelOptions[];
  /** Models beside the one that answers by itself, by the names under which they can be chosen. */
  readonly moreModels?: Readonly<Record<string, LanguageModel>>;
  /** In place of all others: models of servers. */
  readonly models?: Models;
  readonly tools?: readonly ToolRegistration[];
  readonly log?: Log;
  /** What tools may not say. None if not set. */
  readonly secrets?: readonly string[];
  readonly transcriber?: Transcriber;
  readonly crashPoint?: CrashPoints;
  /** How long tools may go on when it is stopped, in milliseconds. */
  readonly toolGrace?: number;
  /** Default: there is none. */
  readonly sandbox?: SandboxState;
  /** Default: the machine's, as the product takes it: bash where it is installed. */
  readonly shell?: CommandShell;
  readonly privatePaths?: readonly string[];
  /** Default: there is no file. */
  readonly configDesk?: ConfigDesk;
  /** What stands in the workspace, by its names there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: the system's. */
  readonly lookup?: HostLookup;
  /** Beside PATH. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The group that the daemon takes part in. */
export const group: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };

/** A whole daemon in this process: real SQLite on disk, a scripted model, a platform in memory, time by hand. */
export class DaemonSetting {
  /** Itself, for tests that take it apart. */
  readonly setting = this;
  readonly folder: string;
  readonly clock = new ManualClock();
  readonly model = new ScriptedModel();
  readonly channel: TestChannel;
  readonly channels: readonly TestChannel[];
  /** Each time that the process was asked to end: with what the platforms say, if they refuse it. */
  readonly endings: (string | undefined)[] = [];
  /** Where the operator was told that it can be claimed. */
  readonly startLinks: string[] = [];
  readonly #options: DaemonSettingOptions;
  #daemon: Daemon | undefined;
  #shell: CommandShell = plainShell;
  #gateway: string | undefined;
  #reading: Sqlite.Database | undefined;

  constructor(folder: string, options: DaemonSettingOptions) {
    this.folder = folder;
    this.#options = options;
    this.channel = new TestChannel(options.channel);
    this.channels = [this.channel, ...(options.moreChannels ?? []).map((more) => new TestChannel(more))];
  }

  get workspace(): string {
    return join(this.folder, 'workspace');
  }

  /** Writes a file of the workspace, with its folders. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    const path = join(this.workspace, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  async start(changed: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { tools, shell } = this.#options;
    this.#shell = shell ?? (await machineShell());
    this.#daemon = await createDaemon({
      ...this.#setup(changed),
      adapters: new Map(this.channels.map((channel) => [channel.name, channel])),
      clock: this.clock,
      log: this.#log(),
      crashPoint: this.#options.crashPoint,
      environment: { PATH: process.env.PATH, ...this.#options.environment },
      privatePaths: this.#options.privatePaths ?? [],
      configDesk: this.#options.configDesk,
      lookup: this.#options.lookup,
      claimCode: 'k3f9abcd',
      startLinkKnown: (channel, { url }) => this.startLinks.push(`${channel} ${url}`),
      stopRequested: (refusal) => this.endings.push(refusal && wordsIn('en', refusal)),
      ...(this.#options.toolGrace === undefined ? {} : { toolGrace: this.#options.toolGrace }),
      ...(tools === undefined ? {} : { tools }),
    });
    await this.#daemon.start();
  }

  /** The operator edits the config while it runs: these keys stand beside those of the setting. Gives the setup that now holds. */
  async edit(
    changed: Readonly<Record<string, unknown>>,
    { sandbox, warnings, ...channels }: Partial<ChannelEdit & Pick<Setup, 'sandbox' | 'warnings'>> = {},
  ): Promise<object> {
    const now = { ...this.#setup(changed), warnings };
    const setup = sandbox === undefined ? now : { ...now, sandbox };
    await this.#daemon?.edited(setup, { made: new Map(), gone: [], ...channels });
    return setup;
  }

  /** The file of the config cannot be used, in these words, or can be again. */
  configFault(words: string | undefined): void {
    this.#daemon?.configFault(words);
  }

  #setup(changed: Readonly<Record<string, unknown>>): Setup {
    const { secrets = [], transcriber, sandbox } = this.#options;
    return {
      config: this.#config(changed),
      models: this.#models(),
      transcriber,
      secrets,
      shell: this.#shell,
      sandbox: sandbox ?? { holds: false, reason: 'the test has none' },
    };
  }

  /** Where devices connect: `http://127.0.0.1:PORT`. */
  get gatewayAddress(): string {
    if (this.#gateway === undefined) throw new Error('the gateway was never open');
    return this.#gateway;
  }

  /** The log of the test, if it has one. It names the port that the gateway has found. */
  #log(): Log {
    const log = this.#options.log ?? silentLog;
    return {
      debug: (fields, words) => log.debug(fields, words),
      info: (fields, words) => {
        const { channel, account }: { channel?: unknown; account?: unknown } = fields;
        if (channel === 'device' && typeof account === 'string') this.#gateway = account;
        log.info(fields, words);
      },
      warn: (fields, words) => log.warn(fields, words),
      error: (fields, words) => log.error(fields, words),
      child: (fields) => log.child(fields),
    };
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    this.#reading?.close();
    this.#reading = undefined;
    await daemon?.stop();
  }

  /**
   * The process is killed: what it does while it ends here is lost, and the next start finds the data as they are now. `told`:
   * a signal has told it to end just before.
   */
  async dies({ told = false }: { readonly told?: boolean } = {}): Promise<void> {
    const [data, kept] = [join(this.folder, 'data'), join(this.folder, 'kept')];
    const stopping = told ? this.stop() : undefined;
    cpSync(data, kept, { recursive: true });
    await (stopping ?? this.stop());
    rmSync(data, { recursive: true });
    renameSync(kept, data);
  }

  async restart(changed: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.stop();
    await this.start(changed);
  }

  /** What stands in the database. Reads only. */
  rows(sql: string): readonly Readonly<Record<string, unknown>>[] {
    const read = (sqlite: Sqlite.Database) => sqlite.prepare<[], Record<string, unknown>>(sql).all();
    if (this.#daemon === undefined) return this.#inDatabase(true, read);
    // Tests look again and again: opening the file each time would cost more than what they wait for.
    this.#reading ??= this.#open(true);
    return read(this.#reading);
  }

  /** All that stands in a table. */
  all(table: string): readonly Readonly<Record<string, unknown>>[] {
    return this.rows(`SELECT * FROM ${table}`);
  }

  /** Changes the database behind the daemon's back: what a process that died left there. */
  tamper(sql: string): void {
    this.#inDatabase(false, (sqlite) => sqlite.exec(sql));
  }

  #inDatabase<Result>(readonly: boolean, work: (sqlite: Sqlite.Database) => Result): Result {
    const sqlite = this.#open(readonly);
    try {
      return work(sqlite);
    } finally {
      sqlite.close();
    }
  }

  #open(readonly: boolean): Sqlite.Database {
    return new Sqlite(join(this.folder, 'data', 'keyturn.db'), { readonly });
  }

  #models(): Models {
    if (this.#options.models !== undefined) return this.#options.models;
    const others = this.#options.moreModels ?? {};
    const health = createModelHealth(this.clock);
    return {
      defaultName: 'scripted',
      names: ['scripted', ...Object.keys(others)],
      learned: signal<InLanguage>(),
      look: () => {},
      of: (name = 'scripted') => health.watched(name, others[name] ?? this.model),
      sourceOf: (modelId) => ({ provider: 'scripted', modelId }),
      stateOf: (name = 'scripted') => health.stateOf(name),
    };
  }

  #config(changed: Readonly<Record<string, unknown>>): Config {
    const names = this.channels.map(({ name }) => name);
    const wanted: Readonly<Record<string, unknown>> = { ...this.#options.config, ...changed };
    const { channel_plugins: plugins, agent = {} } = wanted;
    const schema = schemaOf(names, this.#options.allowFrom ?? [], plugins);
    return schema.parse({
      owners: ['test:ada'],
      workspace: this.workspace,
      // A test that lets days pass is not about the backups of each.
      ...(schema instanceof z.ZodObject && 'data' in schema.shape ? noBackups : {}),
      ...wanted,
      // What a test lets somebody say while the model thinks is meant to come later.
      agent: isJsonObject(agent) ? { burst_ms: 0, ...agent } : agent,
      data_dir: join(this.folder, 'data'),
    });
  }
}

const noBackups = { data: { backups: 0 } };

/** Making one takes longer than reading a config with it. */
const schemas = new Map<string, ReturnType<typeof wholeSchema>>();

/** For channels of these names, in which these people may talk, and those of plugins. */
function schemaOf(names: readonly string[], allowFrom: readonly string[], plugins: unknown) {
  const key = JSON.stringify([names, allowFrom, plugins]);
  const made = schemas.get(key);
  if (made !== undefined) return made;
  const block = z.strictObject({
    enabled: z.boolean().default(true),
    allow_from: z.array(z.string()).default([...allowFrom]),
    groups: z
      .record(
        z.string(),
        z.strictObject({
          require_mention: z.boolean().default(true),
          follow_threads: z.boolean().default(true),
          allow_from: z.array(z.string()).default([]),
          commands_from: z.array(z.string()).default(['*']),
          time_zone: z.string().optional(),
        }),
      )
      .prefault({ team: {} }),
  });
  const own = Object.fromEntries(names.map((name) => [name, block]));
  const known = isJsonObject(plugins) ? withPluggedChannels(own, plugins) : own;
  const schema = wholeSchema(known);
  schemas.set(key, schema);
  return schema;
}

/** Starts a daemon that ends with the test. */
export async function daemonSetting(options: DaemonSettingOptions = {}): Promise<DaemonSetting> {
  const folder = await newFolder();
  await makeDataFolder(join(folder, 'data'));
  const setting = new DaemonSetting(folder, options);
  onTestFinished(() => setting.stop());
  await mkdir(setting.workspace);
  for (const [name, text] of Object.entries(options.files ?? {})) await setting.write(name, text);
  await setting.start();
  return setting;
}
