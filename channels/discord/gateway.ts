import { GatewayCloseCodes as Close, GatewayIntentBits } from 'discord.js';
import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { Background } from '../../src/lib/background.ts';
import { Reception, unstoredWords } from '../kit/reception.ts';
import { Backfill } from './backfill.ts';
import { inviteLink } from './failure.ts';
import { type GatewayEvent, GatewaySocket, type SocketEnd } from './gateway-socket.ts';
import { DiscordIntake } from './intake.ts';
import { registerCommands } from './interactions.ts';
import { type BotIdentity, contentWords, preflight, sessionStart, tokenWords } from './preflight.ts';
import type { Lasting, Runtime } from './runtime.ts';
import { Session } from './session.ts';

/** What Discord is asked to tell. */
const intents =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;

/** Before the second attempt to connect, in milliseconds. */
const firstPause = 500;
/** Discord wants that before another session is begun, and up to so much more; in milliseconds. */
const invalidPause = 1_000;
const invalidSpread = 4_000;

/** While so many events wait to be stored, no more are taken. */
const mostBacklog = 1_000;

/** What came of one connection, or of the attempt. */
interface Outcome {
  /** How long to wait before the next, in milliseconds. */
  readonly pause: number;
  /** Why it did not go well, for the operator. */
  readonly reason?: string | undefined;
  /** No later try succeeds until the operator does something about it. */
  readonly isFinal?: boolean;
}

/**
 * From one start to the next stop. First the token is looked at and the commands are offered; then it receives over one
 * connection after the other. Where the last one broke the next goes on; where a session begins, what was said meanwhile is
 * looked for. What it can't do now it tries for ever, ever more seldom; only what the operator has to mend ends it.
 */
export class Gateway {
  readonly #runtime: Runtime;
  readonly #reception: Reception;
  readonly #intake: DiscordIntake;
  readonly #backfill: Backfill;
  readonly #background: Background;
  readonly #ending = new AbortController();
  #bot: BotIdentity | undefined;
  #isChecked = false;
  #hasBegun = false;
  #failures = 0;
  /** More has come in than could be stored, and not all of it is stored by now: nothing else may come. */
  #isFull = false;
  /** Discord has refused what the bot asks to be told, and has begun no session since. */
  #isDisallowed = false;

  /** Begins to connect. */
  constructor(host: ChannelHost, lasting: Lasting) {
    const { settings, continuity } = lasting;
    const { signal } = this.#ending;
    this.#runtime = { ...lasting, host, self: () => this.#self, signal };
    this.#background = new Background(host.log);
    this.#intake = new DiscordIntake(this.#runtime);
    this.#backfill = new Backfill(this.#runtime, this.#intake);
    this.#reception = new Reception({
      ...{ channel: 'discord', platform: 'Discord', host, background: this.#background, signal },
      account: () => this.#bot && `@${this.#bot.username}`,
      look: async ({ since }) => !settings.backfill || this.#backfill.look(since),
      former: continuity.reception,
    });
    continuity.reception = this.#reception;
    this.#background.run('receiving has ended by a fault', () => this.#receive());
  }

  /** Resolves when nothing of it is left. What was not stored by then comes again. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#background.settled();
    await this.#intake.settled();
  }

  get #self(): BotIdentity {
    if (this.#bot === undefined) throw new Error('Nothing comes from Discord before the bot is known.');
    return this.#bot;
  }

  async #receive(): Promise<void> {
    const { continuity, host, signal } = this.#runtime;
    continuity.sessionAt(host.clock.now())?.rewind();
    this.#reception.health.tell({ status: 'connecting' });
    while (!signal.aborted) {
      const { pause, reason, isFinal } = await this.#round();
      if (signal.aborted) return;
      if (isFinal) return this.#reception.health.die(reason ?? '');
      if (reason !== undefined) this.#reception.health.fail(reason);
      await this.#reception.health.pause(pause, signal);
    }
  }

  async #round(): Promise<Outcome> {
    const { api, continuity, host, signal } = this.#runtime;
    try {
      if (!this.#isChecked && !(await this.#check())) return { pause: 0, reason: contentWords, isFinal: true };
      const session = continuity.sessionAt(host.clock.now());
      if (this.#isFull) return this.#backOff(unstoredWords('Discord'));
      if (session !== undefined) return this.#judge(await this.#connect(session.resumeUrl, session));
      await this.#reception.health.pause(continuity.pauseBefore(host.clock.now()), signal);
      const start = await sessionStart(api, signal);
      if (typeof start !== 'string') return start;
      continuity.begunAt = host.clock.now();
      return this.#judge(await this.#connect(start));
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { fault, message } = error;
      if (fault.type === 'auth') return { pause: 0, reason: tokenWords, isFinal: true };
      const outcome = this.#backOff(message);
      return fault.type === 'rate-limited' ? { ...outcome, pause: Math.max(outcome.pause, fault.retryAfter) } : outcome;
    }
  }

  /** Whether the bot may read messages. */
  async #check(): Promise<boolean> {
    const { api, host, settings, signal } = this.#runtime;
    const bot = await preflight(api, host.log, signal);
    if (bot === 'unreadable') return false;
    const isNew = this.#bot === undefined;
    this.#bot = bot;
    this.#isChecked = true;
    api.applicationId = bot.applicationId;
    if (settings.register_commands && isNew)
      this.#background.run('the commands could not be registered', () =>
        registerCommands(api, bot.applicationId, host, signal),
      );
    return true;
  }

  async #connect(url: string, session?: Session): Promise<SocketEnd> {
    const [{ settings, host, signal }, reception] = [this.#runtime, this.#reception];
    this.#reception.health.repeat();
    const socket = new GatewaySocket({
      ...{ token: settings.token, intents, url, session, clock: host.clock },
      listener: {
        began: (ready) => this.#began(new Session(ready), ready.guilds),
        resumed: () => reception.resumed(),
        event: (event) => {
          if (!this.#accept(event)) socket.end({ type: 'full' });
        },
        beat: () => {
          this.#failures = 0;
          if (this.#intake.isStuck) reception.refused();
          reception.heard();
        },
      },
    });
    const stop = (): void => socket.end({ type: 'stopped' });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const end = await socket.ended;
    reception.closed();
    signal.removeEventListener('abort', stop);
    await socket.gone;
    return end;
  }

  /** Takes an event, unless there are too many: gives whether it has. What was not stored when the channel is stopped comes again. */
  #accept({ name, data, sequence }: GatewayEvent): boolean {
    const { host, signal, continuity } = this.#runtime;
    const reception = this.#reception;
    this.#isFull ||= reception.waiting >= mostBacklog;
    if (continuity.session === undefined || this.#isFull) return false;
    const stored = continuity.session.arrived(sequence);
    const store = async (): Promise<boolean> => {
      await this.#backfill.cameBefore(name, data);
      await this.#intake.take(name, data);
      return !this.#intake.isStuck;
    };
    const misread = (error: unknown): boolean => {
      host.log.error({ event: name, err: error }, 'an event of Discord was not understood');
      return false;
    };
    void reception
      .take(async () => {
        const isStored = await store().catch(misread);
        // Given up is not stored.
        if (signal.aborted) throw new Error('The channel is stopped.');
        return isStored;
      })
      .then(stored, () => {})
      .then(() => {
        if (reception.waiting === 0) this.#isFull = false;
      });
    return true;
  }

  /** Nobody will tell what happened before the session. */
  #began(session: Session, guilds: number): Session {
    const { continuity, host } = this.#runtime;
    continuity.session = session;
    this.#isDisallowed = false;
    this.#reception.opened();
    if (guilds === 0 && !this.#hasBegun) {
      const invitation = inviteLink(this.#self.applicationId);
      host.log.warn({ invitation }, 'discord: the bot is in no server yet; open this address to let it in');
    }
    this.#hasBegun = true;
    return session;
  }

  #judge(end: SocketEnd): Outcome {
    if (!keepsSession(end)) this.#runtime.continuity.session = undefined;
    if (end.type === 'reconnect' && this.#failures === 0) {
      this.#failures = 1;
      return { pause: 0 };
    }
    const code = end.type === 'closed' ? end.code : Number.NaN;
    // The operator may have switched off what was on a while ago: that can be mended, once.
    if (code === Close.DisallowedIntents && !this.#isDisallowed) {
      this.#isDisallowed = true;
      this.#isChecked = false;
      return this.#backOff(contentWords);
    }
    const final = finalWords[code];
    if (final !== undefined) return { pause: 0, reason: final, isFinal: true };
    const outcome = this.#backOff(endWords(end));
    if (end.type !== 'invalid-session') return outcome;
    return { ...outcome, pause: Math.max(outcome.pause, invalidPause + invalidSpread * Math.random()) };
  }

  #backOff(reason: string | undefined): Outcome {
    this.#failures += 1;
    return { pause: backOff(this.#failures, { firstPause }), reason };
  }
}

/** After these, and after those that are final, Discord knows the session no more. */
const sessionEnding: readonly number[] = [
  ...[1000, 1001],
  ...[Close.NotAuthenticated, Close.AlreadyAuthenticated, Close.InvalidSeq, Close.SessionTimedOut],
];

function keepsSession(end: SocketEnd): boolean {
  if (end.type === 'closed') return !sessionEnding.includes(end.code) && !(end.code in finalWords);
  if (end.type === 'invalid-session') return end.isResumable;
  // A connection that stands and is not told that the session goes on would wait for that for ever.
  return end.type !== 'unopened' || !end.hello;
}

/** Why a connection has ended, for the operator; undefined where nothing is wrong. */
function endWords(end: SocketEnd): string | undefined {
  switch (end.type) {
    case 'closed': {
      const why = end.trouble ?? (end.code === 1006 ? 'the connection broke' : `it closed the connection, ${end.code}`);
      return `Discord cannot be reached: ${why}.`;
    }
    case 'invalid-session':
      return 'Discord has ended the session. Another one is begun.';
    case 'unopened':
      return 'Discord did not answer in time.';
    case 'silent':
      return 'Discord has fallen silent. A new connection is made.';
    case 'full':
      return unstoredWords('Discord');
    case 'reconnect':
    case 'stopped':
      return undefined;
  }
}

const versionWords = (code: Close): string =>
  `Discord does not speak with this version of Keyturn any more (close code ${code}). Take a newer one.`;

/** What has gone wrong for good where Discord closes a connection with this code. */
const finalWords: Readonly<Record<number, string>> = {
  [Close.AuthenticationFailed]: tokenWords,
  [Close.DisallowedIntents]: contentWords,
  [Close.ShardingRequired]:
    'The bot is in more servers than one connection can serve, which is 2,500. Let it leave some of them.',
  [Close.InvalidShard]: versionWords(Close.InvalidShard),
  [Close.InvalidAPIVersion]: versionWords(Close.InvalidAPIVersion),
  [Close.InvalidIntents]: versionWords(Close.InvalidIntents),
};
