import { join } from 'node:path';
import { type ChannelAdapter, type ChannelHost, type Conversation, principalOf } from './contract.ts';
import { Owners } from './conversation/access/owners.ts';
import { People } from './conversation/access/people.ts';
import { channelHost } from './conversation/channel-host.ts';
import { ChannelWatch } from './conversation/health/channel-watch.ts';
import { HealthBoard } from './conversation/health/health-board.ts';
import { workspaceFinder } from './conversation/workspaces.ts';
import { makeBudget } from './daemon-budget.ts';
import { makeContext } from './daemon-context.ts';
import { endCodes, makeIntake, makeRules } from './daemon-intake.ts';
import { type DaemonOptions, type Ground, makeBroker, makeDelivery, makeDowntime } from './daemon-parts.ts';
import { makeScheduler } from './daemon-planning.ts';
import { makeQueue } from './daemon-runs.ts';
import { boundsSettingsOf } from './daemon-settings.ts';
import { makeTools } from './daemon-tools.ts';
import { lockData } from './store/data-lock.ts';
import { openStore, type Store } from './store/index.ts';
import { processBounds } from './tools/guard/process/process-bounds.ts';
import { redactor } from './tools/guard/redact/redact.ts';

export interface Daemon {
  /** Whether somebody still has to claim it with the code. */
  readonly isUnclaimed: boolean;
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
  const { config, adapters, clock, log, stopRequested } = options;
  const owners = new Owners({
    fixed: config.owners,
    local: localOwners(adapters),
    claimed: await store.inbox.owners(),
  });
  const people = new People(owners, await store.people.paired());
  const health = new HealthBoard({ clock, log });
  // The parts call each other in circles: what is made below is reached through these two.
  const deliver = (conversationIds: readonly string[]): void => delivery.wake(conversationIds);
  const wake = (conversationIds: readonly string[]): void => queue.wake(conversationIds);

  const workspaceOf = workspaceFinder(config.workspace);
  // What is wrong with the one folder of all is said at start, not in the first chat.
  if (!config.workspace.includes('{')) workspaceOf(anywhere);

  const { sandbox, privatePaths } = options;
  const bounds = processBounds({ sandbox, ...boundsSettingsOf(config, privatePaths) });
  const redact = redactor({ secrets: options.secrets });
  const ground: Ground = { ...options, store, owners, people, health, workspaceOf, bounds, redact, deliver, wake };
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
  const context = makeContext(ground, { ...tools, presenter: stage, budget });
  const queue = makeQueue(ground, { ...tools, stage, broker, questions, budget, context });
  const rules = makeRules(ground);
  const scheduler = makeScheduler(ground, rules);
  const intake = makeIntake(ground, { ...tools, queue, broker, questions, marks, rules, context });

  const listening = new Set(adapters.keys());
  const ended = (channel: string): void => {
    listening.delete(channel);
    if (listening.size === 0) stopRequested();
  };
  const downtime = makeDowntime(ground);
  const leftAt = (channel: string): number | undefined => downtime.leftAt(channel);
  const host = { intake, queue, delivery, health, inbox: store.inbox, leftAt, clock, log, ended, stopRequested };
  const hostOf = (channel: string, over: AbortSignal): ChannelHost => channelHost(channel, host, over);
  const watch = new ChannelWatch({ adapters, health, hostOf, clock, log });
  const ending = new AbortController();
  let previewsEnded = Promise.resolve();
  return {
    isUnclaimed: owners.isUnclaimed(),
    async start() {
      // Before anything new can come in: what was left is looked for now, and gone on with when it can be shown.
      const [{ undelivered, previews }] = await Promise.all([delivery.recover(), downtime.begin()]);
      live.adopt(previews);
      const unfinished = await store.inbox.unfinished();
      await endCodes(ground, rules);
      for (const [name, adapter] of adapters) {
        await watch.start(name);
        if (!adapter.capabilities.history) deliver(await store.outbox.showCardsAgain(name));
      }
      deliver(undelivered);
      await questions.recover();
      await broker.endUnreadable();
      await deadlines.attend();
      wake(unfinished);
      scheduler.begin();
      previewsEnded = live.endLeft((conversationId) => queue.whenIdle(conversationId), ending.signal);
      watch.begin();
      downtime.tell();
    },
    async stop() {
      ending.abort();
      // What still comes in while tools end is stored, and answered by the next process.
      await Promise.all([queue.end(toolGrace), watch.stop(), scheduler.stop()]);
      await Promise.all([deadlines.stop(), cards.stop(), previewsEnded, bounds.stop()]);
      await Promise.all([delivery.stop(), marks.stop(), downtime.stop()]);
      store.close();
      unlock();
    },
  };
}

const anywhere: Conversation = { channel: 'any', chatId: 'any', kind: 'direct' };

/** The people who sit at the machine. */
function localOwners(adapters: DaemonOptions['adapters']): readonly string[] {
  return [...adapters].flatMap(([name, { localOwner }]: readonly [string, ChannelAdapter]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
}
