import type { Update, UserFromGetMe } from '@grammyjs/types';
import { Changes, contains, type Found, type WaitOptions } from './changes.ts';
import type { ActiveFault } from './fault-rules.ts';
import { createChats, describeMessage, type ShownMessage } from './telegram/chats.ts';
import { type ApiCall, describeCall, type FaultKind, type FaultRule, HttpDoor } from './telegram/http-door.ts';
import { type CallbackAnswer, Files, type ShownDraft, type TelegramState } from './telegram/methods.ts';
import { makeChat, People, type PressOptions, type SayOptions } from './telegram/people.ts';
import { UpdateQueue } from './telegram/update-queue.ts';

export interface TelegramServerOptions {
  /** In milliseconds since 1970. What is kept for a while goes by it; a long poll does not. */
  readonly now?: () => number;
}

/** A press of a button, and what the bot says to it. */
export interface Press {
  readonly id: string;
  readonly update: Update;
  /** Waits, from when it is first asked for, until the bot answers the press. */
  readonly answered: Promise<CallbackAnswer>;
}

const callsToTell = 12;
/** The bot's number, with which its token begins. */
const botId = 7_000_000_001;
/** What the bot is told of itself. */
const bot: UserFromGetMe = {
  id: botId,
  is_bot: true,
  first_name: 'Keyturn',
  username: 'keyturn_test_bot',
  can_join_groups: true,
  can_read_all_group_messages: true,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
};

export type TelegramServer = Awaited<ReturnType<typeof start>>;
export const TelegramServer = { start } as const;

/**
 * A Bot API server of our own, as strict as the real one, with the people at the other end. It listens on this machine
 * only; each test starts its own.
 */
async function start({ now = Date.now }: TelegramServerOptions = {}) {
  const changes = new Changes();
  const state: TelegramState = {
    bot,
    now,
    chats: createChats(now),
    updates: new UpdateQueue(now),
    files: new Files(),
    pressedAt: new Map(),
    answers: new Map(),
    drafts: new Map(),
    menus: new Map(),
  };
  const { chats, updates, files, pressedAt, answers, drafts } = state;
  const people = new People(state, changes);
  const token = `${botId}:${'T'.repeat(35)}`;
  const door = new HttpDoor(state, changes, token);
  const { server, calls, faults } = door;
  const port = await server.open();

  /** What a person sees in the chat now, the oldest first. */
  function chat(chatId: number): readonly ShownMessage[] {
    return chats.shown(chatId);
  }

  /** Looks again after every request and everything that a person does. */
  function waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return changes.waitFor(look, { describe, ...options });
  }

  function describe(): string {
    const shown = chats.chatIds().flatMap((id) => [`Chat ${id}:`, ...chat(id).map(describeMessage)]);
    const last = calls.all.slice(-callsToTell).map(describeCall);
    return [...shown, 'Last calls:', ...last, ...server.mistakes.map((it) => `The fake itself failed: ${it}`)].join(
      '\n',
    );
  }

  return {
    token,
    bot,
    /** What people do beside saying, editing and pressing. */
    people,
    /** What the channel takes as `api_root`. */
    root: `http://127.0.0.1:${port}`,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
    chat,
    waitFor,

    /** What a person sees of a message that is being written, if anything. */
    draft(chatId: number): ShownDraft | undefined {
      const entry = drafts.get(chatId);
      return entry !== undefined && entry.until > now() ? entry.draft : undefined;
    },

    /** Makes a chat that the bot may write to before anybody has said something there. */
    addChat: (chatId: number, title?: string): void => void chats.open(makeChat(chatId, title)),
    /** Puts a file where the bot can fetch it with getFile; gives its id. */
    addFile: (name: string, bytes: Buffer): string => files.add({ name, bytes }),
    say: (chatId: number, text: string, options: SayOptions = {}): Update => people.say(chatId, text, options),
    /** Changes what a person said. */
    edit: (chatId: number, messageId: number, text: string): Update => people.edit(chatId, messageId, text),

    /** Presses a button of a message, by its data or its label. Throws if it is not there, unless it is forged. */
    press(chatId: number, messageId: number, dataOrLabel: string, options: PressOptions = {}): Press {
      const { id, update } = people.press(chatId, messageId, dataOrLabel, options);
      const answer = (): Promise<CallbackAnswer> =>
        waitFor(() => answers.get(id), { what: `an answer to the press of "${dataOrLabel}"` });
      let answered: Promise<CallbackAnswer> | undefined;
      return {
        id,
        update,
        get answered() {
          answered ??= answer();
          return answered;
        },
      };
    },

    /** Delivers an update once more, even if it was confirmed. */
    redeliver: (update: Update): void => updates.addAgain(update),

    /** While a webhook is set, nobody can poll. */
    setWebhook(url: string): void {
      updates.webhook.url = url;
    },

    /** Waits until the bot shows such a message in the chat. */
    waitForMessage(chatId: number, wanted: string | RegExp, timeoutMs?: number): Promise<ShownMessage> {
      const look = () => chat(chatId).findLast((message) => message.from === 'bot' && contains(message.text, wanted));
      const what = `a message of the bot with ${wanted} in the chat ${chatId}`;
      return waitFor(look, { what, ...(timeoutMs !== undefined && { timeoutMs }) });
    },

    get calls(): readonly ApiCall[] {
      return calls.all;
    },
    callsOf: (method: string): readonly ApiCall[] => calls.of(method),
    get polls(): number {
      return calls.of('getUpdates').length;
    },

    /** The bot is given another token, as by @BotFather's /revoke: the one before is refused. */
    exchangeToken(): string {
      const other = `${botId}:${'U'.repeat(35)}`;
      door.exchangeToken(other);
      return other;
    },

    /** How many connections the bot has made so far. */
    get connections(): number {
      return server.connections;
    },

    /** Every update below it is confirmed; 0 before the first. */
    get confirmedOffset(): number {
      return updates.confirmedOffset;
    },

    /** Whether a poll waits for what comes. */
    get isPolled(): boolean {
      return updates.isPolled;
    },

    /** Makes requests go wrong. The rules are tried in the order in which they came. */
    fault: (rule: FaultRule): ActiveFault => faults.add(rule),
    clearFaults: (): void => faults.clear(),
    /** How many requests went wrong in that way. */
    faultsFired: (kind: FaultKind): number => faults.fired(kind),
    /** Resets every connection, old and new, until it is over. */
    outage: (on: boolean): void => server.outage(on),

    /** Forgets what stands in the chats, what was uploaded, pressed and asked for. What is not confirmed yet stays. */
    forget(): void {
      for (const part of [chats, calls]) part.forget();
      for (const map of [files.all, pressedAt, answers]) map.clear();
    },
  };
}
