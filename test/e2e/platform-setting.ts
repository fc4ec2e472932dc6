import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { type Found, type WaitOptions, waitUntil } from '../support/wait-for.ts';
import { daemonConfig, modelEnvironment } from './daemon-config.ts';

export interface SettingOptions<Server> {
  /** Stands in the config beside the model and the channel, or in their place. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the process dies: see `crashing-main.ts`. */
  readonly crashAt?: string;
  /** What runs the process: see `DaemonOptions`. */
  readonly under?: readonly string[];
  /** Does something to the server before the daemon starts. Then nobody waits for the daemon to connect. */
  readonly prepare?: (server: Server) => void;
}

interface PlatformServer {
  close(): Promise<void>;
  waitFor<T>(look: () => T, options?: WaitOptions): Promise<Found<T>>;
}

interface Platform<Server, Owner> {
  readonly name: string;
  readonly server: Server;
  /** Stands in the config. */
  readonly block: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** How often a daemon has begun to receive, or received again. */
  readonly received: () => number;
  /** Whether it receives now, where that is not plain from it. */
  readonly isReady?: () => boolean;
  /** An owner by their number, from 0 on: their id in the config, and what tests talk with them by. */
  readonly owner: (index: number) => { readonly principal: string; readonly make: () => Owner };
}

/** Owners in the config of every setting: a test takes one whom no other test takes, and so has a chat of its own. */
const ownerCount = 60;

/** The daemon as a process of its own, between a platform and a model that speak the real protocols. */
export async function platformSetting<Server extends PlatformServer, Owner>(
  { name, server, block, received, isReady = () => true, owner, ...platform }: Platform<Server, Owner>,
  { config = {}, env, crashAt, under, prepare }: SettingOptions<Server>,
) {
  const model = await ModelServer.start();
  prepare?.(server);
  const owners = Array.from({ length: ownerCount }, (_, index) => `${name}:${owner(index).principal}`);
  const daemon = DaemonProcess.start({
    config: daemonConfig({ model, owners, channels: { [name]: { enabled: true, ...block } }, config }),
    crashAt,
    ...(under && { under }),
    env: { ...modelEnvironment, ...platform.env, ...env },
  });
  let taken = 0;

  /** Resolves when it has received more often than that, and receives. */
  async function connected(before = 0): Promise<void> {
    await server.waitFor(() => received() > before && isReady(), { what: 'a daemon that receives' });
  }

  /** Kills the process and starts it again. Resolves when it receives. */
  async function restart(): Promise<void> {
    await daemon.kill();
    const before = received();
    await daemon.restart();
    await connected(before);
  }

  async function dispose(): Promise<void> {
    await daemon.dispose();
    await Promise.all([server.close(), model.close()]);
  }

  function newOwner(): Owner {
    if (taken === ownerCount) throw new Error('There are no more owners in the config of the setting.');
    taken += 1;
    return owner(taken - 1).make();
  }

  /** Reads the daemon's database, which it goes on writing. */
  function rows<Shape extends z.ZodType>(shape: Shape, sql: string): readonly z.output<Shape>[] {
    const database = new Sqlite(join(daemon.dataDir, 'keyturn.db'), { readonly: true, fileMustExist: true });
    try {
      return z.array(shape).parse(database.prepare(sql).all());
    } finally {
      database.close();
    }
  }

  /** Resolves when the daemon has noted of all that it said that it is shown: a killed one says the rest once more. */
  async function allNoted(): Promise<void> {
    const open = "SELECT id FROM outbox WHERE revision > delivered_revision AND state <> 'abandoned'";
    await waitUntil(() => rows(z.unknown(), open).length === 0);
  }

  if (prepare === undefined) await connected();
  return { model, daemon, connected, restart, allNoted, dispose, [Symbol.asyncDispose]: dispose, newOwner, rows };
}

/** What the bot has said, the oldest first. */
export function saidIn(messages: readonly { readonly from: string; readonly text: string }[]): readonly string[] {
  return messages.filter(({ from }) => from === 'bot').map(({ text }) => text);
}
