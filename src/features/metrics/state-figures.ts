/* How things stand in the moment of a request: channels, what waits, the disk. Nothing is asked in between. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { FeatureCore } from '../../feature-points.ts';
import { ownVersion } from '../../lib/own-version.ts';
import { waitingIn } from './tables.ts';

export type StateParts = Pick<
  FeatureCore,
  'config' | 'database' | 'health' | 'store' | 'configState' | 'figures' | 'log'
>;

/** Returns the function that reads them. It never rejects: what cannot be read is not a number. */
export function createStateFigures(registry: Registry, parts: StateParts): () => Promise<void> {
  const gauges = stateGauges(registry);
  gauges.build.set({ version: ownVersion(), node: process.version }, 1);
  return async () => {
    await readState(gauges, parts);
    await readFigures(registry, parts);
    await readDisk(gauges, parts);
  };
}

interface StateGauges {
  readonly build: Gauge<'version' | 'node'>;
  readonly channels: Gauge<'channel'>;
  readonly configFault: Gauge;
  readonly storageFault: Gauge;
  readonly conversations: Gauge;
  readonly approvals: Gauge;
  readonly outbox: Gauge<'state'>;
  readonly database: Gauge<'file'>;
  readonly backup: Gauge;
}

interface Described<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
}

function gauge<Label extends string = never>(registry: Registry, { name, help, labels }: Described<Label>) {
  return new Gauge({
    name: `keyturn_${name}`,
    help,
    labelNames: [...(labels ?? [])],
    registers: [registry],
  });
}

function stateGauges(registry: Registry): StateGauges {
  return {
    build: gauge(registry, {
      name: 'build_info',
      help: 'Which Keyturn runs on which Node.',
      labels: ['version', 'node'],
    }),
    channels: gauge(registry, {
      name: 'channel_connected',
      help: 'Whether the last receive of a channel succeeded.',
      labels: ['channel'],
    }),
    configFault: gauge(registry, {
      name: 'config_fault',
      help: 'Whether the config file is faulty, so that the last valid one holds.',
    }),
    storageFault: gauge(registry, {
      name: 'storage_fault',
      help: 'Whether nothing can be stored, such as on a full disk.',
    }),
    conversations: gauge(registry, {
      name: 'conversations_open',
      help: 'Conversations in which something is left to do.',
    }),
    approvals: gauge(registry, {
      name: 'approvals_open',
      help: 'Approvals and questions that wait for a person.',
    }),
    outbox: gauge(registry, {
      name: 'outbox_messages',
      help: 'Messages to people that are not out: waiting, or held since the platform refused them.',
      labels: ['state'],
    }),
    database: gauge(registry, {
      name: 'database_bytes',
      help: 'The size of the database and of its log.',
      labels: ['file'],
    }),
    backup: gauge(registry, {
      name: 'last_backup_timestamp_seconds',
      help: 'When the newest backup in the data folder was made. 0: there is none.',
    }),
  };
}

async function readState(
  gauges: StateGauges,
  { health, configState, store, database, log }: StateParts,
): Promise<void> {
  gauges.channels.reset();
  for (const { name, health: of } of health.all())
    gauges.channels.set({ channel: name }, of.status === 'connected' ? 1 : 0);
  gauges.configFault.set(configState.fault === undefined ? 0 : 1);
  gauges.storageFault.set(store.state.trouble === undefined ? 0 : 1);
  const waiting = await waitingOrNone(database, log);
  gauges.conversations.set(waiting?.conversations ?? Number.NaN);
  gauges.approvals.set(waiting?.approvals ?? Number.NaN);
  gauges.outbox.set({ state: 'waiting' }, waiting?.unsent ?? Number.NaN);
  gauges.outbox.set({ state: 'held' }, waiting?.held ?? Number.NaN);
}

/** Those of other features, whichever were made by now. */
async function readFigures(registry: Registry, { figures, log }: StateParts): Promise<void> {
  for (const [name, { description, read }] of figures) {
    const known = registry.getSingleMetric(`keyturn_${name}`);
    const shown = known instanceof Gauge ? known : gauge(registry, { name, help: description });
    try {
      shown.set(await read());
    } catch (error) {
      shown.set(Number.NaN);
      log.debug({ err: error, figure: name }, 'a figure could not be read for the metrics');
    }
  }
}

async function waitingOrNone(database: StateParts['database'], log: StateParts['log']) {
  try {
    return await waitingIn(database);
  } catch (error) {
    log.debug({ err: error }, 'what waits in the database could not be counted for the metrics');
    return undefined;
  }
}

async function readDisk(gauges: StateGauges, { config }: StateParts): Promise<void> {
  const folder = config.data_dir;
  const [main, log, backup] = await Promise.all([
    sizeOf(join(folder, 'keyturn.db')),
    sizeOf(join(folder, 'keyturn.db-wal')),
    newestBackup(join(folder, 'backups')),
  ]);
  gauges.database.set({ file: 'main' }, main);
  gauges.database.set({ file: 'log' }, log);
  gauges.backup.set(backup / 1000);
}

/** 0 if there is no such file. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** When it was made, in ms since 1970; 0 if there is none. */
async function newestBackup(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const times = names
    .filter((name) => /^keyturn-.*\.tar\.gz$/.test(name))
    .map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    );
  return Math.max(0, ...(await Promise.all(times)));
}
