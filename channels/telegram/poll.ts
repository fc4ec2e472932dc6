import { bearable, type ChannelHealth, type ChannelHost, type InboundMessage } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { backOff, type Clock, withTimeout } from '../../src/lib/clock.ts';
import { nearest } from '../../src/lib/nearest.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { durationWords } from '../../src/lib/time-words.ts';
import { createHealth } from '../kit/connection-health.ts';
import { offerCommands } from '../kit/retries.ts';
import { type BotIdentity, commandMenus, type ReadingApi, type SendingApi } from './api.ts';
import { readFailure } from './failure.ts';
import { type Parsed, parseUpdate, updateIdOf } from './parse.ts';
import type { TelegramSettings } from './settings.ts';

const longestPause = 30_000;
const pauses = { firstPause: 250, longestPause, chance: () => 1 };
const shortestRest = 1_000;
const conflictPause = 2_000;
/** One conflict after a restart is normal: Telegram still holds the previous process's poll. */
const toleratedConflicts = 2;
/** Conflicts count this long, in ms. Between two of them, this process may receive updates. */
const conflictWindow = 120_000;

export interface PollOptions {
  readonly settings: TelegramSettings;
  readonly reading: ReadingApi;
  readonly sending: SendingApi;
  readonly host: ChannelHost;
  readonly background: Background;
}

/**
 * Long-polls for updates until the signal aborts or the token is refused. Updates are confirmed, by the next offset,
 * only after the host has stored them; others are delivered again. Never rejects.
 */
export async function poll(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { settings, reading: api, sending, host, background } = options;
  const { clock, log } = host;
  const channel = createHealth('telegram', host);
  const store = createStore(options);
  const isDeafAfter = deafnessCheck(api, host, signal);
  let bot: BotIdentity | undefined;
  let isGreeted = false;
  let offset: number | undefined;
  let isConnected = false;
  let failures = 0;
  /** Times of the latest conflicts, ms since 1970. */
  let conflicts: readonly number[] = [];

  const latestConflicts = (): readonly number[] => conflicts.filter((at) => clock.now() - at < conflictWindow);
  const isContested = (): boolean => latestConflicts().length > toleratedConflicts;

  async function round(): Promise<Outcome> {
    try {
      bot ??= await connect();
      // The first poll returns at once, to report "connected" early; not in a conflict, where that proves nothing.
      const timeout = isConnected || latestConflicts().length > 0 ? settings.poll_timeout_secs : 0;
      const milliseconds = (timeout + settings.poll_grace_secs) * 1000;
      const begun = clock.now();
      const fetch = (watched: AbortSignal) => api.getUpdates(offset, timeout, watched);
      const updates = await withTimeout({ clock, milliseconds, signal }, fetch);
      if (await isDeafAfter(updates.length)) {
        api.renew();
        return fail(deafWords);
      }
      if (updates.length > 0) return await take(updates, bot);
      // Telegram holds empty answers back; do not hammer servers that do not.
      const isHasty = timeout > 0 && clock.now() - begun < shortestRest;
      return succeed(bot, isHasty ? shortestRest : 0);
    } catch (error) {
      return judge(error);
    }
  }

  async function connect(): Promise<BotIdentity> {
    const [found] = await Promise.all([api.getMe(signal), api.deleteWebhook(signal)]);
    if (!isGreeted) background.run('the commands were not announced', announce);
    isGreeted = true;
    return found;
  }

  async function announce(): Promise<void> {
    noteUnknownCommands(settings, host);
    for (const menu of commandMenus(host.commands, settings.commands)) {
      const fields = { language: menu.language ?? 'all' };
      await offerCommands(() => sending.announceCommands(menu), { ...host, platform: 'Telegram', signal, fields });
    }
  }

  async function take(updates: readonly unknown[], receiver: BotIdentity): Promise<Outcome> {
    const unstored = await store(updates, receiver);
    if (unstored !== undefined) {
      const { updateId, reason } = unstored;
      offset = updateId ?? offset;
      log.error({ updateId, err: reason }, 'an update was not stored');
      return fail('What Telegram delivers cannot be stored. It is fetched again; the log says what is wrong.');
    }
    const last = updates.map(updateIdOf).findLast((id) => id !== undefined);
    if (last === undefined) return fail('Telegram sends updates without ids; check api_root.');
    offset = last + 1;
    return succeed(receiver, 0);
  }

  function succeed({ username }: BotIdentity, pause: number): Outcome {
    failures = 0;
    if (isContested()) return { pause, health: contested };
    return { pause, health: { status: 'connected', account: `@${username}` } };
  }

  function judge(error: unknown): Outcome {
    const { fault, words, code } = readFailure(error);
    if (code === undefined) return fail(`Telegram cannot be reached: ${words}.`);
    if (words.startsWith('409 ')) return /webhook/i.test(words) ? reconnect() : yieldToOther();
    if (fault !== 'lost' && fault.type === 'auth')
      return { pause: 0, health: { status: 'dead', reason: deadWords(words) } };
    if (fault === 'lost' || fault.type !== 'rate-limited') return fail(`Telegram refuses to deliver: ${words}.`);
    const wait = bearable(fault.retryAfter);
    const outcome = fail(`Telegram asks to wait. It is asked again in ${durationWords(wait)}.`);
    return { ...outcome, pause: Math.max(outcome.pause, wait) };
  }

  /** Connecting deletes the webhook. */
  function reconnect(): Outcome {
    bot = undefined;
    return fail('Somebody has set a webhook for this bot. It was removed; if it comes back, end the other program.');
  }

  function yieldToOther(): Outcome {
    conflicts = [...latestConflicts(), clock.now()];
    const pause = Math.min(longestPause, conflictPause * conflicts.length);
    return { pause, health: isContested() ? contested : { status: 'connecting' } };
  }

  function fail(reason: string): Outcome {
    failures += 1;
    return { pause: backOff(failures, pauses), health: { status: 'failing', reason } };
  }

  let former: ChannelHealth | undefined;
  channel.tell({ status: 'connecting' });
  while (!signal.aborted) {
    const { pause, health } = await round();
    if (signal.aborted) return;
    isConnected = health.status === 'connected';
    // Log each failure, but a continuing conflict only once.
    if (health.status === 'failing' && !(health === contested && former === contested))
      log.warn({ reason: health.reason }, 'telegram does not receive');
    former = health;
    channel.tell(health);
    if (health.status === 'dead') return;
    await channel.pause(pause, signal);
  }
}

/** A feature may have gone with its commands, or a name is misspelt. */
function noteUnknownCommands({ commands }: TelegramSettings, { commands: offered, log }: ChannelHost): void {
  const names = offered.map(({ name }) => name);
  const described = new Set(Object.values(commands).flatMap((descriptions) => Object.keys(descriptions)));
  for (const command of described)
    if (!names.includes(command))
      log.warn({ command, meant: nearest(command, names) }, 'channels.telegram.commands describes no command of ours');
}

/** The result of a round: the pause before the next, in ms, and the health. */
interface Outcome {
  readonly pause: number;
  readonly health: ChannelHealth;
}

const conflictWords =
  'Another process receives with the same token, so messages go astray. Stop the other one; ' +
  'if you know of none, revoke the token at @BotFather (/revoke) and put the new one into channels.telegram.token.';

const contested = { status: 'failing', reason: conflictWords, needsOwner: true } as const;

const deafWords =
  'Telegram has messages for the bot and delivers none of them. A new connection is made; ' +
  'if that does not help, check api_root and the proxy.';

function deadWords(words: string): string {
  return (
    `Telegram does not accept the token (${words}). Take it from @BotFather (/mybots, API Token), ` +
    'put it into channels.telegram.token.'
  );
}

/** How long without updates before asking for the pending count, and the timeout of that request, in ms. */
const askAfter = 60_000;
const longestAnswer = 5_000;
/** A single count may include an update that has just arrived. */
const enoughSuspicion = 2;

/**
 * Detects polls that succeed but deliver nothing although updates are pending, which happens if another server answers
 * them. Takes the number of updates of a poll and resolves with whether delivery is broken. Asks rarely, and twice
 * before it says so.
 */
function deafnessCheck(api: Pick<ReadingApi, 'countPending'>, { clock, log }: ChannelHost, signal: AbortSignal) {
  let askedAt = clock.now();
  let suspicion = 0;
  return async (received: number): Promise<boolean> => {
    if (received > 0) suspicion = 0;
    else if (suspicion === 0 && clock.now() - askedAt < askAfter) return false;
    askedAt = clock.now();
    if (received > 0) return false;
    try {
      const pending = await withTimeout({ clock, milliseconds: longestAnswer, signal }, api.countPending);
      suspicion = pending > 0 ? suspicion + 1 : 0;
    } catch (error) {
      log.debug({ reason: readFailure(error).words }, 'Telegram does not say how many updates wait');
    }
    return suspicion >= enoughSuspicion;
  };
}

interface Item {
  readonly updateId: number | undefined;
  readonly parsed: Parsed;
}

/**
 * Hands a batch of updates to the host. Resolves with the first update that could not be stored, if any: it and all
 * later ones must be delivered again.
 */
function createStore({ host, sending, background }: PollOptions) {
  const albums = createAlbums(host.clock);

  async function store({ updateId, parsed }: Item): Promise<void> {
    switch (parsed.type) {
      case 'message': {
        const { event, album } = parsed;
        // In direct chats every item is addressed to the bot anyway.
        const isAlbum = album !== undefined && event.conversation.kind === 'group';
        const pieces = isAlbum ? albums.pieces(album, event) : [event];
        await Promise.all(pieces.map((event) => host.receive(event)));
        return;
      }
      case 'edit':
        await host.receive(parsed.event);
        return;
      case 'press': {
        const { notice } = await host.receive(parsed.event);
        return background.run('a press was not answered', () => sending.answerPress(parsed.pressId, notice));
      }
      case 'moved':
        return host.moved(parsed.from, parsed.chatId);
      case 'ignored':
        return host.log.debug({ updateId, reason: parsed.reason }, 'an update was ignored');
      case 'unreadable':
        return host.log.warn({ updateId, path: parsed.path }, 'an update could not be read and was skipped');
    }
  }

  return async (updates: readonly unknown[], bot: BotIdentity) => {
    const now = host.clock.now();
    const items = updates.map((update) => ({ updateId: updateIdOf(update), parsed: parseUpdate(update, bot, now) }));
    const storing: Promise<void>[] = [];
    let moving = Promise.resolve();
    for (const item of items) {
      // The new chat's messages belong to the old conversation. All others are stored at once, in their order.
      const isMove = item.parsed.type === 'moved';
      const begun = isMove ? Promise.all(storing).then(() => store(item)) : moving.then(() => store(item));
      if (isMove) moving = begun;
      storing.push(begun);
    }
    for (const [index, outcome] of (await Promise.allSettled(storing)).entries())
      if (outcome.status === 'rejected') return { updateId: items[index]?.updateId, reason: outcome.reason };
    return undefined;
  };
}

/** How long after the first item an album may get more, in ms. */
const albumTime = 60_000;
const mostAlbums = 100;
/** Telegram's limit of items per album. */
const mostItems = 10;

interface Album {
  isAddressed: boolean;
  /** Items that came before the album was known to be addressed to the bot. */
  readonly early: Map<string, InboundMessage>;
}

/**
 * Groups the items of albums. In a group, only the item with the caption shows that the album is for the bot; then all
 * items are addressed, in any order of arrival: the host has ignored those that came before.
 */
export function createAlbums(clock: Clock) {
  const albums = new Perishable<string, Album>({ clock, most: mostAlbums });

  return {
    /** The events for an item: itself, and earlier items again once the album is known to be for the bot. */
    pieces(name: string, event: InboundMessage): readonly InboundMessage[] {
      const known = albums.get(name);
      const album = known ?? { isAddressed: false, early: new Map() };
      if (known === undefined) albums.set(name, album, albumTime);
      album.isAddressed ||= event.addressed;
      const { isAddressed, early } = album;
      if (isAddressed) return [...early.values(), event].map((piece) => ({ ...piece, addressed: true }));
      if (early.size < mostItems) early.set(event.key, event);
      return [event];
    },
  };
}
