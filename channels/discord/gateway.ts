import { GatewayCloseCodes as Close, GatewayIntentBits } from 'discord.js';
import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { backOff, onAbort } from '../../src/lib/clock.ts';
import type { InLanguage, Words } from '../../src/lib/words.ts';
import { Reception } from '../kit/reception.ts';
import { askCommand } from './ask-about.ts';
import { Backfill } from './backfill.ts';
import { inviteLink } from './failure.ts';
import { type GatewayEvent, GatewaySocket, type Session, type SocketEnd } from './gateway-socket.ts';
import { createIntake, type DiscordIntake } from './intake.ts';
import { registerCommands } from './interactions.ts';
import { type BotIdentity, preflight, sessionStart } from './preflight.ts';
import type { Lasting, Runtime } from './runtime.ts';
import { discordWords, wordsFor } from './words.ts';

const intents =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;

/** Pause before the second attempt to connect, in ms. */
const firstPause = 500;
/** No more events are accepted while this many wait to be stored. */
const mostBacklog = 1_000;

interface Outcome {
  /** Pause before the next attempt, in ms. */
  readonly pause: number;
  /** What went wrong, for the operator. */
  readonly reason?: Words | undefined;
  /** Retrying is useless until the operator fixes something. */
  readonly isFinal?: boolean;
}

/**
 * Runs from one start to the next stop. Checks the token, registers the commands, then receives over one connection
 * after another: each resumes the session of the last, and after a new session the missed messages are backfilled.
 * Failures are retried for ever with growing pauses; only faults that the operator must fix end it.
 */
export class Gateway {
  readonly #lasting: Lasting;
  readonly #host: ChannelHost;
  readonly #ending = new AbortController();
  readonly #background: Background;
  readonly #intake: DiscordIntake;
  readonly #backfill: Backfill;
  readonly #reception: Reception;
  #bot: BotIdentity | undefined;
  #isChecked = false;
  #hasBegun = false;
  #failures = 0;
  /** The backlog overflowed and is not drained yet: no events are accepted. */
  #isFull = false;
  /** Discord refused our intents, and no session has started since. */
  #isDisallowed = false;

  constructor(host: ChannelHost, lasting: Lasting) {
    const { settings, continuity } = lasting;
    const { signal } = this.#ending;
    this.#lasting = lasting;
    this.#host = host;
    this.#background = new Background(host.log);
    const runtime: Runtime = { ...lasting, host, self: () => this.#self, signal };
    this.#intake = createIntake(runtime);
    this.#backfill = new Backfill(runtime, this.#intake.takeMessage);
    this.#reception = new Reception({
      channel: 'discord',
      platform: 'Discord',
      host,
      background: this.#background,
      signal,
      account: () => this.#bot && `@${this.#bot.username}`,
      look: async ({ since }) => !settings.backfill || this.#backfill.look(since),
      former: continuity.reception,
    });
    continuity.reception = this.#reception;
  }

  /** Starts connecting at once. */
  start(): void {
    this.#background.run('receiving has ended by a fault', () => this.#receive());
  }

  /** Resolves when everything has ended. Events not stored by then are resent. */
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
    const { signal } = this.#ending;
    const { health } = this.#reception;
    this.#lasting.continuity.sessionAt(this.#host.clock.now())?.rewind();
    health.tell({ status: 'connecting' });
    while (!signal.aborted) {
      const { pause, reason, isFinal } = await this.#round();
      if (signal.aborted) return;
      if (isFinal) return health.die(reason ?? '');
      if (reason !== undefined) health.fail(reason);
      await health.pause(pause, signal);
    }
  }

  async #round(): Promise<Outcome> {
    const { api, continuity } = this.#lasting;
    const { clock } = this.#host;
    const { signal } = this.#ending;
    try {
      if (!this.#isChecked && !(await this.#check())) return { pause: 0, reason: mayNotRead, isFinal: true };
      const session = continuity.sessionAt(clock.now());
      if (this.#isFull) return this.#nextAfter(this.#reception.unstored);
      if (session !== undefined) return this.#judge(await this.#connect(session.resumeUrl, session));
      await this.#reception.health.pause(continuity.pauseBefore(clock.now()), signal);
      const start = await sessionStart(api, signal);
      if (typeof start !== 'string') return start;
      continuity.begunAt = clock.now();
      return this.#judge(await this.#connect(start));
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { fault, words } = error;
      if (fault.type === 'auth') return { pause: 0, reason: badToken, isFinal: true };
      return this.#nextAfter(words, fault.type === 'rate-limited' ? fault.retryAfter : 0);
    }
  }

  async #check(): Promise<boolean> {
    const { api, settings } = this.#lasting;
    const { signal } = this.#ending;
    const found = await preflight(api, this.#host, signal);
    if (found === 'unreadable') return false;
    const { applicationId } = found;
    const isNew = this.#bot === undefined;
    this.#bot = found;
    this.#isChecked = true;
    api.applicationId = applicationId;
    const { commands, clock, log } = this.#host;
    const menu = { commands, others: [askCommand()], clock, log };
    const register = () => registerCommands(api, applicationId, menu, signal);
    if (settings.register_commands && isNew) this.#background.run('the commands could not be registered', register);
    return true;
  }

  async #connect(url: string, session?: Session): Promise<SocketEnd> {
    const { settings, network } = this.#lasting;
    this.#reception.health.repeat();
    const socket = new GatewaySocket({
      token: settings.token,
      intents,
      url,
      session,
      clock: this.#host.clock,
      network,
      listener: {
        began: (begun, guilds) => this.#began(begun, guilds),
        resumed: () => this.#reception.resumed(),
        event: (event) => {
          if (!this.#accept(event)) socket.end({ reason: this.#reception.unstored });
        },
        beat: () => {
          this.#failures = 0;
          if (this.#intake.isStuck) this.#reception.refused();
          this.#reception.heard();
        },
      },
    });
    const unlisten = onAbort(this.#ending.signal, () => socket.end({}));
    const end = await socket.ended;
    this.#reception.closed();
    unlisten();
    await socket.gone;
    return end;
  }

  /** Returns false if the backlog is full. Events not stored by the stop are resent. */
  #accept(event: GatewayEvent): boolean {
    const { session } = this.#lasting.continuity;
    this.#isFull ||= this.#reception.waiting >= mostBacklog;
    if (session === undefined || this.#isFull) return false;
    const stored = session.arrived(event.sequence);
    void this.#reception
      .take(() => this.#store(event))
      .then(stored, () => {})
      .then(() => {
        if (this.#reception.waiting === 0) this.#isFull = false;
      });
    return true;
  }

  async #store({ name, data }: GatewayEvent): Promise<boolean> {
    let isStored = false;
    try {
      await this.#backfill.cameBefore(name, data);
      await this.#intake.take(name, data);
      isStored = !this.#intake.isStuck;
    } catch (error) {
      this.#host.log.error({ event: name, err: error }, 'an event of Discord was not understood');
    }
    // After the abort, the intake resolves without having stored the event.
    if (this.#ending.signal.aborted) throw new Error('The channel is stopped.');
    return isStored;
  }

  /** A new session does not replay earlier events. */
  #began(session: Session, guilds: number): void {
    this.#lasting.continuity.session = session;
    this.#isDisallowed = false;
    this.#reception.opened();
    if (guilds === 0 && !this.#hasBegun) {
      const invitation = inviteLink(this.#self.applicationId);
      this.#host.log.warn({ invitation }, wordsFor(this.#host).inNoServer);
    }
    this.#hasBegun = true;
  }

  #judge({ reason, code = 0, endsSession, pause }: SocketEnd): Outcome {
    const final = finalReason(code);
    if (endsSession || final !== undefined) this.#lasting.continuity.session = undefined;
    if (reason === undefined && this.#failures === 0) {
      this.#failures = 1;
      return { pause: 0 };
    }
    // The operator may have switched the intent off since the check: check again, once.
    if (code === Close.DisallowedIntents && !this.#isDisallowed) {
      this.#isDisallowed = true;
      this.#isChecked = false;
      return this.#nextAfter(mayNotRead);
    }
    return final === undefined ? this.#nextAfter(reason, pause) : { pause: 0, reason: final, isFinal: true };
  }

  #nextAfter(reason: Words | undefined, least = 0): Outcome {
    this.#failures += 1;
    return { pause: Math.max(least, backOff(this.#failures, { firstPause })), reason };
  }
}

const badToken: InLanguage = (language) => discordWords[language].badToken;
const mayNotRead: InLanguage = (language) => discordWords[language].mayNotRead;

/** What only the operator can fix, by close code. It ends the session, too. */
function finalReason(code: number): InLanguage | undefined {
  switch (code) {
    case Close.AuthenticationFailed:
      return badToken;
    case Close.DisallowedIntents:
      return mayNotRead;
    case Close.ShardingRequired:
      return (language) => discordWords[language].tooManyServers;
    case Close.InvalidShard:
    case Close.InvalidAPIVersion:
    case Close.InvalidIntents:
      return (language) => discordWords[language].outdated({ code });
    default:
      return undefined;
  }
}
