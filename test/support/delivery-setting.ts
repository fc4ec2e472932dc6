import { onTestFinished } from 'vitest';
import { type ChannelHost, type Conversation, conversationId } from '../../src/contract.ts';
import { createLiveReplies } from '../../src/conversation/live/live-replies.ts';
import { createDelivery } from '../../src/delivery/send.ts';
import type { SenderSettings } from '../../src/delivery/show.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { CrashPoint } from '../../src/lib/crash-points.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { type Words, wordsIn } from '../../src/lib/words.ts';
import { createTelemetry } from '../../src/telemetry.ts';
import { noRedaction } from '../../src/tools/guard/redact/redact.ts';
import type { FileDraft } from '../../src/tools/output.ts';
import type { StoredMessage } from '../../src/words/message-parts.ts';
import { direct } from './deed.ts';
import { ManualClock } from './manual-clock.ts';
import { newStore, originOf, rowsOf, said } from './store-setting.ts';
import { TestChannel, type TestChannelOptions } from './test-channel.ts';

export const home = direct('test');
export const bobs = direct('test', 'bob');

export interface DeliverySettingOptions extends TestChannelOptions {
  readonly settings?: Partial<SenderSettings>;
}

/** A delivery that can die, on a real store, to a platform in memory. */
export async function deliverySetting({ settings, ...options }: DeliverySettingOptions = {}) {
  const { store, file } = await newStore();
  const clock = new ManualClock();
  const channel = new TestChannel(options);
  await channel.start(hostOf(clock));
  for (const conversation of [home, bobs])
    await store.inbox.accept(said(originOf(conversation.chatId, conversation), 'hello'));

  /** How often a part may still be sent before the process dies of it; never, if it is not set. */
  let partsToLive: number | undefined;
  const moves: string[] = [];
  /** What owners were told. */
  const told: string[] = [];
  const { outbox, files } = store;
  /** Where it is known who reads. */
  const prepared = new Set<string>();
  const readerIn = (conversationId: string) => {
    if (!prepared.has(conversationId)) throw new Error(`it is not known yet who reads in ${conversationId}`);
    return { timeZone: 'UTC', isNamed: false, language: 'en' } as const;
  };
  const live = createLiveReplies({
    outbox,
    clock,
    log: silentLog,
    maxMessages: 4,
    isBusy: (conversationId) => delivery.isBusy(conversationId),
    deliver: (conversationIds) => delivery.wake(conversationIds),
  });
  const parts = {
    outbox,
    files,
    adapters: new Map([['test', channel]]),
    live,
    clock,
    log: silentLog,
    redact: noRedaction,
    commands: new Set(['retry', 'drop']),
    crashPoint: (point: CrashPoint) => {
      if (partsToLive === undefined) return;
      partsToLive -= 1;
      if (partsToLive > 0) return;
      partsToLive = undefined;
      throw new Error(`died at ${point}`);
    },
    settings: {
      firstPause: 500,
      longestPause: 30_000,
      ambiguousPause: 3000,
      maxMessages: 5,
      lateAfter: 600_000,
      steadyAfter: 15_000,
      ...settings,
    },
    cardRefused: async () => {},
    chatRefuses: () => {},
    cardShown: () => {},
    tellOwners: (words: Words) => void told.push(wordsIn('en', words)),
    readerIn,
    prepareReaders: async (conversationIds: readonly string[]) => {
      for (const conversationId of conversationIds) prepared.add(conversationId);
    },
    telemetry: createTelemetry(silentLog),
    conversationNow: (conversation: Conversation) => conversation,
    moved: async ({ chatId: from }: Conversation, chatId: string) => {
      moves.push(`${from} → ${chatId}`);
    },
  };
  let lives = 0;
  /** The clock of the next process: what the one before it wanted to be called for is called off. */
  function clockOfLife(): Clock {
    lives += 1;
    const life = lives;
    return {
      now: () => clock.now(),
      after: (milliseconds, callback) =>
        clock.after(milliseconds, () => {
          if (life === lives) callback();
        }),
    };
  }
  let delivery = createDelivery({ ...parts, clock: clockOfLife() });
  onTestFinished(() => delivery.stop());
  /** Something goes wrong when so many more parts were sent, before the last of them is noted: it is tried again after 30 s. */
  const failsAfter = (count: number): void => {
    partsToLive = count;
  };
  /** The process dies, whatever it does; another one goes on. `isSuspicious`: nobody knows of what it has died. */
  const dies = async (isSuspicious = true): Promise<void> => {
    delivery = createDelivery({ ...parts, clock: clockOfLife() });
    delivery.wake((await delivery.recover(isSuspicious)).undelivered);
  };
  const restart = async (): Promise<void> => {
    await delivery.stop();
    await dies();
  };
  async function say(markdown: string, to: Conversation = home, more: Partial<StoredMessage> = {}): Promise<string> {
    const id = newId(20);
    await store.outbox.say(conversationId(to), { id, kind: 'notice', markdown, ...more }, clock.now());
    delivery.wake([conversationId(to)]);
    return id;
  }
  return {
    store,
    clock,
    channel,
    live,
    moves,
    told,
    rows: (sql: string) => rowsOf(file, sql),
    wake: () => delivery.wake([conversationId(home)]),
    whenIdle: (id = conversationId(home)) => delivery.whenIdle(id),
    stop: () => delivery.stop(),
    say,
    /** Says it, and waits until it is delivered. */
    sayAtRest: async (...said: Parameters<typeof say>): Promise<void> => {
      await say(...said);
      await delivery.whenIdle(conversationId(home));
    },
    /** Says it with files, of which copies are kept as the daemon does. */
    share: async (markdown: string, drafts: readonly FileDraft[], more: Partial<StoredMessage> = {}) => {
      const id = newId(20);
      const kept = await store.files.keep(id, drafts);
      await store.outbox.say(
        conversationId(home),
        { id, kind: 'for_user', markdown, ...more, files: kept },
        clock.now(),
      );
      delivery.wake([conversationId(home)]);
      return id;
    },
    /** The process dies when so many more parts were sent, before it notes the last of them; another one goes on. */
    diesAfter: async (count: number): Promise<void> => {
      failsAfter(count);
      await clock.waitsFor(30_000);
      await restart();
    },
    failsAfter,
    dies,
    restart,
  };
}

function hostOf(clock: ManualClock): ChannelHost {
  const nothing = (): void => {};
  return {
    receive: async () => ({}),
    moved: async () => {},
    conversations: async () => [],
    whenIdle: async () => {},
    reportHealth: nothing,
    reportEnd: nothing,
    requestStop: nothing,
    commands: [],
    log: silentLog,
    clock,
  };
}
