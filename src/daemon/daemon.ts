import { join } from 'node:path';
import { offerRulesOf } from '../config/tool-rules.ts';
import { workspaceTemplatesOf } from '../config/workspace.ts';
import { type ChannelAdapter, type Conversation, partsOf, principalOf } from '../contract.ts';
import { createAccounts, createOwners } from '../conversation/access/people.ts';
import { createHealthBoard } from '../conversation/health/channel-watch.ts';
import { createModelWaits } from '../engine/ask.ts';
import { watchForJumps } from '../lib/clock.ts';
import { Live, signal } from '../lib/live.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { lockData } from '../store/examine.ts';
import { asStoreError, openStore, type Store } from '../store/index.ts';
import { createFileWatch } from '../tools/file-watch.ts';
import { processBounds } from '../tools/guard/process/process-bounds.ts';
import { endLeftCommands, ownerOf, ownerVariable } from '../tools/guard/process/process-family.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { workspaceFinder, workspacesOf } from '../tools/guard/workspace/workspace-folder.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { type ChannelEdit, createChannels } from './channels.ts';
import { featureStart, makeFeatures } from './features.ts';
import { endCodes, makeIntake, makeMoves, makeRules } from './intake.ts';
import { makeStorageNotices, ownerNotices, readThrough } from './owner-notices.ts';
import { type DaemonOptions, makeApprovals, makeDelivery, makeDowntime, type Services, type Setup } from './parts.ts';
import { makeBudget, makeContext, makeQueue, makeSubRuns } from './runs.ts';
import { boundsSettingsOf, ownPathsOf } from './settings.ts';
import { makeTools } from './tools.ts';

export interface Daemon {
  /** Whether it still has no owner, who must claim it with the code. */
  readonly isUnclaimed: boolean;
  /** The number of people let in with a code, at start. */
  readonly letIn: number;
  /** The address for devices; undefined while the gateway is off. */
  address(): string | undefined;
  /**
   * Applies an edit of the config: starts, changes or ends only what it affects. Call after `start`, one edit at a
   * time. Owners are told of a part that cannot follow; the rest goes on.
   */
  edited(next: Setup, channels: ChannelEdit): Promise<void>;
  /** Sends a notice to each owner in their direct chat. */
  tellOwners(markdown: string): void;
  /** Sets or clears (undefined) the fault of the config's file. Owners are told of each change. */
  configFault(words: string | undefined): void;
  /** Starts receiving, and continues the work of the previous process. */
  start(): Promise<void>;
  /**
   * Ends within 2.5 s after the tools, which have their own time; `toolsEnded` is called then. Intake and sends end at
   * once.
   */
  stop(toolsEnded?: () => void): Promise<void>;
}

/** Opens the data and composes the parts. Throws `DataLockedError`, `StoreError` or `WorkspaceFolderError`. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const unlock = lockData(options.config.data_dir);
  const file = join(options.config.data_dir, 'keyturn.db');
  let store: Store | undefined;
  try {
    store = openStore(file);
    const daemon = await compose(options, store, unlock);
    return { ...daemon, start: () => daemon.start().catch((error) => Promise.reject(asStoreError(error, file))) };
  } catch (error) {
    await store?.close();
    unlock();
    throw asStoreError(error, file);
  }
}

async function compose(options: DaemonOptions, store: Store, unlock: () => void): Promise<Daemon> {
  const { clock, log, toolGrace = 2_500 } = options;
  const setup = new Live<Setup>(options);
  const config = setup.view((now) => now.config);
  // The parts call each other in circles, only by these signals: deliver to, wake or stop conversations.
  const deliveries = signal<readonly string[]>();
  const wakes = signal<readonly string[]>();
  const stops = signal<string>();
  const [deliver, wake, stop] = [deliveries.tell, wakes.tell, stops.tell];
  const rightsChanged = signal<void>();
  const redactNow = setup.derived(({ secrets }) => redactor(secrets));
  const redact: Redactor = (text) => redactNow()(text);
  const health = createHealthBoard({ clock, log, redact });
  const fixedAccounts = setup.derived((now) => Object.values(now.config.people));
  const accounts = createAccounts(fixedAccounts, await store.links.links());
  const registry = createToolRegistry({ log, clock, offers: setup.derived((now) => offerRulesOf(now.config)) });
  const workspaceOf = workspaceFinder(() => config.workspace);
  // A fault of a common folder is reported at start, not in the first chat.
  if (!config.workspace.includes('{')) workspaceOf(anywhere);
  const adapters = new Map([...options.adapters].map(([name, adapter]) => [name, redactedAdapter(adapter, redact)]));
  const owners = createOwners({
    fixed: () => config.owners,
    local: () => localOwners(adapters),
    claimed: await store.inbox.owners(),
    accountsOf: accounts.accountsOf,
  });
  const paired = new Set((await store.people.paired()).map(({ principal }) => principal));
  const bounds = processBounds(
    setup.view(({ sandbox, config: now }) => ({ sandbox, ...boundsSettingsOf(now, options.privatePaths) })),
  );
  const owner = ownerOf(config.data_dir);
  const configState: { fault: string | undefined } = { fault: undefined };
  const services: Services = {
    ...options,
    setup,
    configState,
    config,
    models: setup.view((now) => now.models),
    get sandbox() {
      return setup.now.sandbox;
    },
    environment: { ...options.environment, [ownerVariable]: owner },
    adapters,
    rightsChanged,
    reachableOwners: () => owners.all().filter((principal) => adapters.has(partsOf(principal).channel)),
    registry,
    store,
    owners,
    paired,
    accounts,
    health,
    workspaceOf,
    bounds,
    redact,
    deliver,
    wake,
  };
  const rules = makeRules(services);
  const moveChat = makeMoves(services, rules);
  const approvals = makeApprovals(services);
  const { delivery, view, marks, live, cards } = makeDelivery(services, approvals, {
    moveChat,
    tellOwners: ownerNotices(services),
  });
  deliveries.listen((conversationIds) => delivery.wake(conversationIds));
  const budget = makeBudget(services, approvals);
  const timeJumped = signal<number>();
  const heard = signal<string>();
  timeJumped.listen(() => void approvals.lookAgain());
  const notices = makeStorageNotices(services);
  const ending = new AbortController();
  const core = {
    ...services,
    get sandbox() {
      return setup.now.sandbox;
    },
    ...{ rules, approvals, stop, timeJumped, heard },
    ending: ending.signal,
    ownPaths: ownPathsOf(options),
    tellOwners: ownerNotices(services),
  };
  const features = await makeFeatures(core);
  for (const [name, adapter] of features.flatMap(({ channels = [] }) => channels))
    adapters.set(name, redactedAdapter(adapter, redact));
  const starting = featureStart(features, core);
  const { renew: renewTools, ...tools } = await makeTools(services, { rules, delivery, features });
  const subRuns = makeSubRuns(services, view, features);
  const context = makeContext(services, { ...tools, view, budget, subRuns });
  const modelWaits = createModelWaits(services, store.attempts, () => config.agent.wait_for_model_secs * 1000);
  const fileWatch = createFileWatch(store.fileLabels);
  const parts = {
    ...{ ...tools, view, approvals, budget, context, subRuns, features, modelWaits, fileWatch },
    ready: starting.ready,
  };
  const queue = makeQueue(services, parts);
  wakes.listen((conversationIds) => queue.wake(conversationIds));
  stops.listen((conversationId) => queue.stop(conversationId));
  const intake = makeIntake(services, {
    ...tools,
    queue,
    approvals,
    marks,
    rules,
    moveChat,
    context,
    notices,
    features,
    heard: heard.tell,
  });

  const downtime = makeDowntime(services);
  const leftAt = (channel: string): number | undefined => downtime.leftAt(channel);
  const channels = createChannels(services, adapters, { intake, queue, delivery, leftAt });
  let [learned, previewsEnded, reading] = [Promise.resolve(), Promise.resolve(), Promise.resolve()];
  let takenUp = Promise.resolve();
  let unwatch = (): void => {};
  const tellOwners = ownerNotices(services);

  async function edited(next: Setup, edit: ChannelEdit): Promise<void> {
    const change = { from: setup.now.config, to: next.config };
    setup.replace(next);
    // The new rules hold from here on; each part applies them in turn.
    await renewTools();
    rightsChanged.tell();
    const failed = await Promise.allSettled([
      endCodes(services, rules),
      approvals.lookAgain(),
      channels.edited(edit),
      ...features.map((feature) => feature.reload?.(change)),
    ]);
    for (const one of failed)
      if (one.status === 'rejected') {
        const why = one.reason instanceof Error ? one.reason.message : String(one.reason);
        log.error({ err: one.reason }, 'a part could not follow the config');
        tellOwners(`⚠️ A part of what you have edited could not be begun. ${escapeMarkdown(redact(why))}`);
      }
    void registry.learn(ending.signal);
  }

  return {
    isUnclaimed: owners.isUnclaimed(),
    letIn: paired.size,
    edited,
    tellOwners,
    configFault(words) {
      const before = configState.fault;
      configState.fault = words;
      if (words === before) return;
      tellOwners(words === undefined ? '✅ The config file is in order again.' : `⚠️ ${escapeMarkdown(words)}`);
    },
    address: () => features.map((feature) => feature.address?.()).find((address) => address !== undefined),
    async start() {
      await endLeftCommands(owner, clock, log);
      for (const template of workspaceTemplatesOf(config)) bounds.sweep(await workspacesOf(template));
      // Before new events can come in: find unfinished work, and continue it once it can be shown.
      const [{ undelivered, previews }] = await Promise.all([delivery.recover(), downtime.begin()]);
      live.adopt(previews);
      queue.suspect(await store.attempts.recover());
      await fileWatch.recover();
      await notices.begin();
      const unfinished = await store.inbox.unfinished();
      await endCodes(services, rules);
      learned = registry.learn(ending.signal);
      await channels.start();
      starting.begin(channels);
      deliver(undelivered);
      await approvals.recover();
      await modelWaits.begin();
      takenUp = queue.takeUp(unfinished);
      previewsEnded = live.endLeft((conversationId) => queue.whenIdle(conversationId), ending.signal);
      channels.watch();
      reading = readThrough(store, { clock, log, signal: ending.signal });
      downtime.tell();
      unwatch = watchForJumps(clock, (by) => {
        log.info({ by }, 'the time has jumped');
        timeJumped.tell(by);
        if (by < 0) channels.clockSet();
      });
    },
    async stop(toolsEnded) {
      ending.abort();
      unwatch();
      modelWaits.stop();
      approvals.endQuestions();
      // Messages that arrive while tools end are stored, and answered by the next process.
      await Promise.all([queue.end(toolGrace).then(toolsEnded), channels.stop(), delivery.stop()]);
      await Promise.all(features.map((feature) => feature.stop?.()));
      await Promise.all([approvals.stop(), cards.stop(), takenUp, previewsEnded, bounds.stop()]);
      await Promise.all([marks.stop(), downtime.stop(), notices.stop(), reading, learned]);
      await store.attempts
        .leave()
        .catch((error: unknown) => log.warn({ err: error }, 'the next start will take this end for a crash'));
      await store.close();
      unlock();
    },
  };
}

/** A placeholder for checking a folder that all conversations share. */
export const anywhere: Conversation = { channel: 'any', chatId: 'any', kind: 'direct' };

/** People at the machine itself. */
function localOwners(adapters: ReadonlyMap<string, ChannelAdapter>): readonly string[] {
  return [...adapters].flatMap(([name, { localOwner }]: readonly [string, ChannelAdapter]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
}
