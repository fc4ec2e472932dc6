import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { enabledChannels } from '../../config/extension-settings.ts';
import { type ChannelFacts, channelFacts, longestReason } from '../../conversation/health/channel-facts.ts';
import type { LogLevel } from '../../lib/log.ts';
import { ownVersion } from '../../lib/own-version.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import { countGrants } from '../../store/overview.ts';
import { budgetLimitsOf, dayOf } from '../runs.ts';
import type { Services } from '../services.ts';
import type { LocalParts } from './local-parts.ts';

/** How the running process is. Instants are ms since 1970. */
export interface StatusFacts {
  readonly version: string;
  readonly pid: number;
  readonly upSince: number;
  readonly dataFolder: string;
  readonly model: ModelFacts;
  readonly channels: readonly ChannelFacts[];
  /** Whether a run is being worked on now. */
  readonly isWorking: boolean;
  readonly waiting: WaitingFacts;
  /** Saved permissions that hold. */
  readonly grants: number;
  /** Whether nobody owns it yet. */
  readonly isUnclaimed: boolean;
  /** What is wrong: a line each. */
  readonly troubles: readonly string[];
  readonly disk: DiskFacts;
  readonly today: SpentFacts;
  /** From which level on it logs. */
  readonly logLevel: LogLevel;
}

export interface ModelFacts {
  readonly name: string;
  readonly answeredAt: number | undefined;
  readonly fault: { readonly since: number; readonly text: string } | undefined;
}

export interface WaitingFacts {
  readonly approvals: number;
  readonly questions: number;
  readonly undelivered: number;
  readonly strangers: number;
}

/** In bytes. */
export interface DiskFacts {
  readonly free: number;
  readonly database: number;
}

export interface SpentFacts {
  readonly tokens: number;
  /** In millionths of the currency. */
  readonly cost: number;
  readonly currency: string;
}

export async function statusFacts(language: Language, parts: LocalParts): Promise<StatusFacts> {
  const { services, queue, upSince } = parts;
  const { config, owners, database, clock } = services;
  return {
    version: ownVersion(),
    pid: process.pid,
    upSince,
    dataFolder: config.data_dir,
    model: modelFacts(language, parts),
    channels: channelFacts(language, services),
    isWorking: queue.isWorking(),
    waiting: await waitingFacts(parts),
    grants: await countGrants(database.sql, clock.now()),
    isUnclaimed: owners.isUnclaimed() && canBeClaimed(services),
    troubles: troublesOf(language, parts),
    disk: diskFacts(config.data_dir),
    today: await spentFacts(parts),
    logLevel: services.logThreshold.level,
  };
}

/** On a channel of the config: devices are let in with a code, and who sits at the terminal owns it anyway. */
function canBeClaimed({ adapters, config }: Services): boolean {
  return [...enabledChannels(config.channels).keys()].some((name) => {
    const adapter = adapters.get(name);
    return adapter !== undefined && adapter.localOwner === undefined;
  });
}

function modelFacts(language: Language, { services: { models } }: LocalParts): ModelFacts {
  const { answeredAt, fault } = models.stateOf(undefined);
  return {
    name: models.of(undefined).label,
    answeredAt,
    fault: fault && { since: fault.since, text: oneLine(fault.wordsIn(language), longestReason) },
  };
}

async function waitingFacts({ services: { store, clock } }: LocalParts): Promise<WaitingFacts> {
  const pending = await store.approvals.pending();
  const questions = pending.filter(({ type }) => type === 'question').length;
  return {
    approvals: pending.length - questions,
    questions,
    undelivered: (await store.outbox.undeliveredMessages()).length,
    strangers: (await store.people.codeHolders(clock.now())).length,
  };
}

function troublesOf(language: Language, { services }: LocalParts): readonly string[] {
  const { store, configState } = services;
  return [store.state.trouble?.words ?? [], configState.fault ?? []]
    .flat()
    .map((trouble) => oneLine(wordsIn(language, trouble), longestReason));
}

function diskFacts(folder: string): DiskFacts {
  const { bavail, bsize } = statfsSync(folder);
  const sizes = ['keyturn.db', 'keyturn.db-wal'].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return { free: bavail * bsize, database: sizes.reduce((sum, size) => sum + size, 0) };
}

async function spentFacts({ services: { store, setup, clock } }: LocalParts): Promise<SpentFacts> {
  const entries = await store.spending.entriesOf(dayOf(setup)(clock.now()));
  return {
    tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: entries.reduce((sum, { cost }) => sum + cost, 0),
    currency: budgetLimitsOf(setup.now.config).currency,
  };
}
