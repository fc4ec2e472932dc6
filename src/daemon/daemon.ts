import { join } from 'node:path';
import { chatMover } from '../conversation/access/chat-moves.ts';
import { createRequestDesk } from '../conversation/access/request-desk.ts';
import { createDowntime } from '../conversation/health/downtime.ts';
import { createStorageNotices } from '../conversation/health/storage.ts';
import { createModelWaits } from '../engine/ask.ts';
import type { ObeyAside } from '../engine/command-aside.ts';
import type { Origin } from '../engine/message.ts';
import type { FeatureDefinition, LocalAsked, Refused } from '../feature-points.ts';
import { once } from '../lib/background.ts';
import type { JsonObject } from '../lib/json.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { finishRestore } from '../store/backup/restore.ts';
import type { Database } from '../store/database.ts';
import { lockData } from '../store/examine.ts';
import { storeOf } from '../store/index.ts';
import { logLeftFeatures } from '../store/left-tables.ts';
import { asStoreError, openDatabase } from '../store/open.ts';
import { openProcessNote, type ProcessNote } from '../store/process-note.ts';
import { whenFree } from '../store/when-free.ts';
import { createFileWatch } from '../tools/file-watch.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { type ChannelEdit, createChannels, makeDelivery, makeIntake } from './channels.ts';
import { commandMenu, loadFeatures } from './command-menu.ts';
import { createEditOutcomes } from './edit-outcome.ts';
import { applyEdit, type DaemonParts, featureStart, startDaemon, stopDaemon } from './lifecycle.ts';
import type { LocalParts } from './local-socket/local-parts.ts';
import { createLocalSocket, type LocalSocket } from './local-socket/local-socket.ts';
import { personAtMachine } from './local-socket/machine.ts';
import { modelNotices } from './owner-notices.ts';
import { makeReports } from './reports.ts';
import { makeRuns } from './runs.ts';
import type { DaemonOptions, Services, Setup } from './services.ts';
import { shareParts } from './shared-parts.ts';
import { makeTools } from './tools.ts';
import { daemonWords } from './words.ts';

export interface Daemon {
  /** Whether it still has no owner, who must claim it with the code. */
  readonly isUnclaimed: boolean;
  /** The number of people let in with a code, at start. */
  readonly letIn: number;
  /**
   * Applies an edit of the config: starts, changes or ends only what it affects. Call after `start`, one edit at a
   * time. Owners are told of a part that cannot follow; the rest goes on.
   */
  edited(next: Setup, channels: ChannelEdit): Promise<void>;
  /** Sends a notice to each owner in their direct chat. */
  tellOwners(markdown: Words): void;
  /** Sets or clears (undefined) the fault of the config's file. Owners are told of each change. */
  configFault(words: Words | undefined): void;
  /** Whether a run is being worked on. Runs that wait for a person are not. */
  isWorking(): boolean;
  /** Whether its database can be read. Never rejects. */
  answers(): Promise<boolean>;
  /** Calls back each time that the last run has come to rest, or that much code was loaded. */
  onRest(listener: () => void): void;
  /** Asks a feature as a program at the local socket does. Undefined: none knows the request. */
  askedHere(request: string, asked: Omit<LocalAsked, 'person'>): Promise<JsonObject | Refused | undefined>;
  /** Starts receiving, and continues the work of the previous process. */
  start(): Promise<void>;
  /** Notes at once that the process was told to end: if it is killed before it has ended, its work is not to blame. */
  toldToEnd(): void;
  /**
   * Ends within 2.5 s after the tools, which have their own time; `toolsEnded` is called then. Intake and sends end at
   * once.
   */
  stop(toolsEnded?: () => void): Promise<void>;
}

/** Opens the data and composes the parts. Throws `DataLockedError`, `StoreError` or `WorkspaceFolderError`. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const definitions = await loadFeatures();
  const refusal = (error: unknown): unknown => asStoreError(error, file, definitions);
  const unlock = lockData(options.config.data_dir);
  const file = join(options.config.data_dir, 'keyturn.db');
  let database: Database | undefined;
  try {
    finishRestore(options.config.data_dir);
    database = await whenFree(() => openDatabase(file, definitions), {
      clock: options.clock,
      told: (words) => tellOfReader(words, options),
      signal: options.startEnding,
    });
    await logLeftFeatures(database.sql, definitions, options.log);
    const note = openProcessNote(options.config.data_dir);
    const daemon = await compose(options, database, { definitions, note, unlock });
    return { ...daemon, start: () => daemon.start().catch((error) => Promise.reject(refusal(error))) };
  } catch (error) {
    await database?.close();
    unlock();
    throw refusal(error);
  }
}

function tellOfReader(words: InLanguage, { log, dataInUse }: DaemonOptions): void {
  log.warn({}, words('en'));
  dataInUse?.(words);
}

interface Opened {
  readonly definitions: readonly FeatureDefinition[];
  readonly note: ProcessNote;
  readonly unlock: () => void;
}

async function compose(options: DaemonOptions, database: Database, opened: Opened): Promise<Daemon> {
  const { note, unlock } = opened;
  const parts = await makeParts(options, database, opened);
  const { services, queue } = parts;
  const { tellOwners } = services;
  let unwatch = (): void => {};
  return {
    isUnclaimed: services.owners.isUnclaimed(),
    letIn: services.paired.size,
    edited: (next, edit) => applyEdit(next, edit, parts),
    tellOwners,
    configFault: (words) => noteConfigFault(words, services),
    isWorking: queue.isWorking,
    answers: () => canRead(services),
    onRest(listener) {
      queue.rested.listen(listener);
      services.muchLoaded.listen(listener);
    },
    askedHere: async (request, asked) => services.localRequests.get(request)?.({ ...asked, person: personAtMachine() }),
    async start() {
      unwatch = await startDaemon(parts);
    },
    toldToEnd: () => note.toldToEnd(),
    async stop(toolsEnded) {
      unwatch();
      await stopDaemon(parts, { toolGrace: options.toolGrace ?? 2_500, toolsEnded });
      unlock();
    },
  };
}

async function canRead({ store, log }: Services): Promise<boolean> {
  try {
    await store.lifetime.aliveAt();
    return true;
  } catch (err) {
    log.error({ err }, 'the database cannot be read');
    return false;
  }
}

async function makeParts(
  options: DaemonOptions,
  database: Database,
  { definitions, note }: Opened,
): Promise<DaemonParts> {
  const ending = new AbortController();
  const store = storeOf(database, options.config.data_dir);
  // They call each other in circles.
  const circles = {
    deliver: (conversationIds: readonly string[]) => delivery.wake(conversationIds),
    wake: (conversationIds: readonly string[]) => queue.wake(conversationIds),
    stop: (conversationId: string) => queue.stop(conversationId),
    halt: (conversationIds: readonly string[]) => queue.halt(conversationIds),
    room: (origin: Origin) => reports.room(origin),
    obeyAside: (...given: Parameters<ObeyAside>) => intake.obeyAside(...given),
  };
  const parts = definitions.flatMap(({ settings = [] }) => settings);
  const menu = commandMenu(definitions);
  const services = await shareParts(options, store, { ...circles, database, ending: ending.signal, parts, menu });
  const { config, adapters, approvals, rightsChanged, timeJumped, redact } = services;
  const moved = chatMover({ ...services, inbox: store.inbox });
  const { delivery, view, marks, live, cards } = makeDelivery(services, moved);
  timeJumped.listen(() => void approvals.lookAgain());
  rightsChanged.listen(approvals.followSoon);
  const notices = createStorageNotices({ ...services, storage: store.state });
  const features = await Promise.all(definitions.map((definition) => definition.make(services)));
  services.trust.answeredBy(features);
  services.ruleOffers.answeredBy(features);
  services.webDoor.answeredBy(features);
  for (const [name, adapter] of features.flatMap(({ channels = [] }) => channels))
    adapters.set(name, redactedAdapter(adapter, redact));
  const starting = featureStart(features, services);
  const { runner, renew: renewTools } = await makeTools(services, { delivery, marks, features });
  const modelWaits = createModelWaits(services, store.attempts, () => config.agent.wait_for_model_secs * 1000);
  const fileWatch = createFileWatch(store.fileLabels);
  const work = { view, runner, features, modelWaits, fileWatch, ready: starting.ready };
  const { queue, compactor } = makeRuns(services, work);
  const reports = makeReports(services, { queue, runner, features });
  const requests = createRequestDesk({
    ...services,
    inbox: store.inbox,
    effects: store.effects,
    store: store.people,
  });
  const intake = makeIntake(services, { queue, marks, moved, compactor, notices, requests, features, reports });
  const downtime = createDowntime({ ...services, store: store.lifetime, noted: notices.learn });
  const channels = createChannels(services, { intake, queue, delivery, reports, requests, downtime });
  const outcomesOfEdits = createEditOutcomes(services, features);
  const made = { services, note, features, starting, delivery, live, cards, marks, queue, modelWaits, fileWatch };
  const around = {
    downtime,
    notices,
    requests,
    channels,
    outcomesOfEdits,
    renewTools,
    followModels: modelNotices(services),
    localSocket: localSocketOf(services, { queue, channels, logLines: options.logLines }),
  };
  return { ...made, ...around, ending, beside: [] };
}

type SocketNeeds = Pick<LocalParts, 'queue' | 'logLines'> & Pick<DaemonParts, 'channels'>;

/** What it answers is loaded when somebody asks. */
function localSocketOf(services: Services, { channels, ...parts }: SocketNeeds): LocalSocket {
  const upSince = services.clock.now();
  const { store, log, deliver } = services;
  const chats = once(async () =>
    (await import('./local-socket/chats/machine-chats.ts')).createMachineChats({ channels, store, deliver, log }),
  );
  return createLocalSocket({
    folder: services.config.data_dir,
    log,
    answer: async (request, connection) => {
      const { answerRequest } = await import('./local-socket/requests.ts');
      return answerRequest(request, { ...parts, services, upSince, chats }, connection);
    },
  });
}

function noteConfigFault(words: Words | undefined, { configState, tellOwners }: Services): void {
  const [before, now] = [configState.fault, words].map((one) => one && wordsIn('en', one));
  configState.fault = words;
  if (now === before) return;
  tellOwners((language) => {
    if (words === undefined) return daemonWords[language].configInOrder;
    const lines = wordsIn(language, words)
      .split('\n')
      .map((line) => escapeMarkdown(line));
    return `⚠️ ${lines.join('\n\n')}`;
  });
}
