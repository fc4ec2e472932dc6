import { join } from 'node:path';
import { type ChannelAdapter, type Conversation, principalOf } from '../contract.ts';
import { Accounts } from '../conversation/access/accounts.ts';
import { Owners } from '../conversation/access/owners.ts';
import { People } from '../conversation/access/people.ts';
import { HealthBoard } from '../conversation/health/health-board.ts';
import { workspaceFinder } from '../conversation/workspaces.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { lockData } from '../store/data-lock.ts';
import { openStore, type Store } from '../store/index.ts';
import { processBounds } from '../tools/guard/process/process-bounds.ts';
import { redactor } from '../tools/guard/redact/redact.ts';
import { PluginVoices } from '../tools/sources/hooks/plugin-voices.ts';
import { Bringers } from './bringers.ts';
import { makeBudget } from './budget.ts';
import { Channels } from './channels.ts';
import { makeContext } from './context.ts';
import type { BehindTheDoor, OpenGateway } from './gateway.ts';
import { makeHooks } from './hooks.ts';
import { endCodes, makeIntake, makeRules } from './intake.ts';
import { type DaemonOptions, type Ground, makeBroker, makeDelivery, makeDowntime, makeTrust } from './parts.ts';
import { makeScheduler } from './planning.ts';
import { makeQueue } from './runs.ts';
import { boundsSettingsOf } from './settings.ts';
import { makeSources } from './sources.ts';
import { makeSubRuns, registerSubRunTools } from './sub-runs.ts';
import { makeTools } from './tools.ts';

export interface Daemon {
  /** Whether somebody still has to claim it with the code. */
  readonly isUnclaimed: boolean;
  /** The door for devices; undefined where the config has none. */
  readonly gateway: Pick<Gateway, 'address' | 'routes'> | undefined;
  /** Begins to receive, and goes on with what a former process left. */
  start(): Promise<void>;
  /** Ends within 5 s: sends in flight finish, runs wait for the next process. Nothing is written as an outcome. */
  stop(): Promise<void>;
}

/** How long tools may go on when the process is told to end, in milliseconds. */
const toolGrace = 2_500;

/** Opens the data, and puts the parts together. Throws `DataLockedError`, `StoreError` or `WorkspaceFolderError`. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const unlock = lockData(options.config.data_dir);
  let store: Store | undefined;
  try {
    store = openStore(join(options.config.data_dir, 'keyturn.db'));
    return await compose(options, store, unlock);
  } catch (error) {
    store?.close();
    unlock();
    throw error;
  }
}

async function compose(options: DaemonOptions, store: Store, unlock: () => void): Promise<Daemon> {
  const { config, clock, log, stopRequested } = options;
  // The parts call each other in circles: what is made below is reached through these.
  const deliver = (conversationIds: readonly string[]): void => delivery.wake(conversationIds);
  const wake = (conversationIds: readonly string[]): void => queue.wake(conversationIds);
  const gateway = await makeGateway(options, store, {
    accounts: () => accounts,
    rules: () => rules,
    registry: () => tools.registry,
    stop: (conversationId) => queue.stop(conversationId),
    workspaceOf: (conversation) => workspaceOf(conversation),
    deliver,
    wake,
  });
  const adapters = new Map([...options.adapters, ...(gateway === undefined ? [] : [gateway.channel])]);
  const accounts = new Accounts({
    fixed: Object.values(config.people),
    links: await store.links.links(),
    ...(gateway === undefined ? {} : { devices: gateway.devices }),
  });
  const owners = new Owners({
    fixed: config.owners,
    local: localOwners(adapters),
    claimed: await store.inbox.owners(),
    accountsOf: accounts.accountsOf,
  });
  const people = new People(owners, await store.people.paired());
  const health = new HealthBoard({ clock, log });
  const workspaceOf = workspaceFinder(config.workspace);
  // What is wrong with the one folder of all is said at start, not in the first chat.
  if (!config.workspace.includes('{')) workspaceOf(anywhere);

  const { sandbox, privatePaths } = options;
  const bounds = processBounds({ sandbox, ...boundsSettingsOf(config, privatePaths) });
  const redact = redactor({ secrets: options.secrets });
  const ground: Ground = {
    ...options,
    adapters,
    deviceDoor: gateway?.door,
    store,
    owners,
    people,
    accounts,
    health,
    workspaceOf,
    bounds,
    redact,
    deliver,
    wake,
  };
  const { delivery, stage, marks, live, cards } = makeDelivery(ground, {
    cardRefused: (approvalId) => broker.cardRefused(approvalId),
    moved: (from, chatId) => intake.moved(from, chatId),
  });
  const { broker, questions, deadlines } = makeBroker(ground);
  const budget = makeBudget(ground, { broker, deadlines });
  const tools = makeTools(ground, {
    planned: (at) => scheduler.watch(at),
    whenDelivered: (conversationId) => delivery.whenIdle(conversationId),
    isWelcome: (sender, conversation) => rules.isWelcome(sender, conversation),
  });
  if (gateway !== undefined) tools.registry.include(gateway.tools);
  await registerSubRunTools(ground, tools.registry);
  const subRuns = makeSubRuns(ground, stage);
  const context = makeContext(ground, { ...tools, presenter: stage, budget, subRuns });
  const trust = makeTrust(ground);
  const ending = new AbortController();
  const pluginVoices = new PluginVoices();
  const makeAll = () => makeSources(ground, { ...tools, trust, pluginVoices, channels });
  const bringers = new Bringers({ make: makeAll, clock, log, ending: ending.signal });
  const hooks = await makeHooks(ground, pluginVoices);
  const ready = (): Promise<void> | undefined => bringers.ready();
  const queue = makeQueue(ground, { ...tools, stage, broker, questions, budget, context, subRuns, hooks, ready });
  const rules = makeRules(ground);
  const scheduler = makeScheduler(ground, rules);
  const intake = makeIntake(ground, { ...tools, queue, broker, questions, marks, rules, context, trust, bringers });

  const downtime = makeDowntime(ground);
  const leftAt = (channel: string): number | undefined => downtime.leftAt(channel);
  const host = { intake, queue, delivery, health, inbox: store.inbox, leftAt, clock, log, stopRequested };
  const channels = new Channels({ ground, adapters, host });
  let previewsEnded = Promise.resolve();
  return {
    isUnclaimed: owners.isUnclaimed(),
    gateway,
    async start() {
      // Before anything new can come in: what was left is looked for now, and gone on with when it can be shown.
      const [{ undelivered, previews }] = await Promise.all([delivery.recover(), downtime.begin()]);
      live.adopt(previews);
      const unfinished = await store.inbox.unfinished();
      await endCodes(ground, rules);
      await channels.start();
      bringers.begin();
      deliver(undelivered);
      await questions.recover();
      await broker.endUnreadable();
      await deadlines.attend();
      wake(unfinished);
      scheduler.begin();
      previewsEnded = live.endLeft((conversationId) => queue.whenIdle(conversationId), ending.signal);
      channels.watch();
      downtime.tell();
    },
    async stop() {
      ending.abort();
      // What still comes in while tools end is stored, and answered by the next process.
      await Promise.all([queue.end(toolGrace), channels.stop(), scheduler.stop()]);
      await bringers.stop();
      await Promise.all([hooks.stop(), deadlines.stop(), cards.stop(), previewsEnded, bounds.stop()]);
      await Promise.all([delivery.stop(), marks.stop(), downtime.stop(), trust.stop()]);
      store.close();
      unlock();
    },
  };
}

/** The door for devices. Nothing of it is loaded where the config has none. */
async function makeGateway(
  options: DaemonOptions,
  store: Store,
  behind: BehindTheDoor,
): Promise<OpenGateway | undefined> {
  if (!options.config.gateway.enabled) return undefined;
  const { openGateway } = await import('./gateway.ts');
  return openGateway(options, store, behind);
}

const anywhere: Conversation = { channel: 'any', chatId: 'any', kind: 'direct' };

/** The people who sit at the machine. */
function localOwners(adapters: DaemonOptions['adapters']): readonly string[] {
  return [...adapters].flatMap(([name, { localOwner }]: readonly [string, ChannelAdapter]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
}
