import { GatewayCloseCodes, GatewayIntentBits } from 'discord-api-types/v10';
import { ChannelError, type ChannelHost } from '../../../src/contract.ts';
import { backOff } from '../../../src/lib/back-off.ts';
import { sleep } from '../../../src/lib/clock.ts';
import type { DiscordApi } from '../web-api/api.ts';
import type { Continuity } from './continuity.ts';
import { judgeEnd, unstoredWords } from './end-verdict.ts';
import type { Frame } from './frame.ts';
import { GatewaySocket, type SocketEnd, type SocketListener } from './gateway-socket.ts';
import type { Link } from './link.ts';
import { type BotIdentity, preflight } from './preflight.ts';
import type { Reception } from './reception.ts';
import { Session } from './session.ts';
import { contentWords, Setback, tokenWords } from './setback.ts';
import { sessionStart } from './start-limit.ts';

export interface GatewayDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly token: string;
  readonly host: ChannelHost;
  readonly continuity: Continuity;
  readonly link: Link;
  readonly reception: Reception;
  /** Called before anything can come in. */
  readonly onKnown: (bot: BotIdentity) => void;
  /** Another session has begun: what happened between `heardAt` and now nobody will tell. */
  readonly onBegan: (began: { readonly guilds: number; readonly heardAt: number | undefined }) => void;
  /** A session goes on: Discord has told all that happened meanwhile. */
  readonly onResumed: () => void;
}

/** What Discord is asked to tell. */
const intents =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;

/** Before the second attempt to connect, in milliseconds. */
const firstPause = 500;
/** In a long pause it says so often why it does not receive, in milliseconds. */
const tellEvery = 30_000;
/** Discord wants that before another session is begun, and up to so much more; in milliseconds. */
const invalidPause = 1_000;
const invalidSpread = 4_000;

/** What came of one connection, or of the attempt. */
interface Outcome {
  /** How long to wait before the next, in milliseconds. */
  readonly pause: number;
  /** Why it did not go well, for the operator. */
  readonly reason?: string;
  /** No later try succeeds unless he does something about it. */
  readonly isFinal?: boolean;
}

/**
 * Receives over one connection after the other. Where the last one broke the next goes on; what it can't do now it tries
 * for ever, ever more seldom. Only what the operator has to mend ends it.
 */
export class Gateway {
  readonly #dependencies: GatewayDependencies;
  #isKnown = false;
  #failures = 0;
  /** Discord has refused what the bot asks to be told, and has begun no session since. */
  #isDisallowed = false;

  constructor(dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
  }

  /** Receives until the signal aborts or the operator has to do something. */
  async run(signal: AbortSignal): Promise<void> {
    const { continuity, host, link } = this.#dependencies;
    continuity.sessionAt(host.clock.now())?.rewind();
    link.connect();
    while (!signal.aborted) {
      const { pause, reason, isFinal = false } = await this.#round(signal);
      if (signal.aborted) return;
      if (isFinal) {
        link.die(reason ?? '');
        return;
      }
      if (reason !== undefined) link.fail(reason);
      await this.#pause(pause, signal);
    }
  }

  async #round(signal: AbortSignal): Promise<Outcome> {
    const { continuity, host, reception } = this.#dependencies;
    try {
      if (!this.#isKnown) await this.#learn(signal);
      const session = continuity.sessionAt(host.clock.now());
      if (reception.isFull) return this.#backOff(unstoredWords);
      return session === undefined ? await this.#begin(signal) : await this.#resume(session, signal);
    } catch (error) {
      return this.#judgeError(error);
    }
  }

  async #learn(signal: AbortSignal): Promise<void> {
    const { api, host, link, onKnown } = this.#dependencies;
    const bot = await preflight({ api, log: host.log, signal });
    link.name(bot.username);
    onKnown(bot);
    this.#isKnown = true;
  }

  async #begin(signal: AbortSignal): Promise<Outcome> {
    const { api, continuity, host } = this.#dependencies;
    await this.#pause(continuity.pauseBefore(host.clock.now()), signal);
    const start = await sessionStart(api, signal);
    if (signal.aborted || start.type === 'exhausted') return { pause: 0, ...start };
    continuity.begun(host.clock.now());
    return this.#connect({ url: start.url }, signal);
  }

  #resume(session: Session, signal: AbortSignal): Promise<Outcome> {
    return this.#connect({ url: session.resumeUrl, session }, signal);
  }

  async #connect(to: { readonly url: string; readonly session?: Session }, signal: AbortSignal): Promise<Outcome> {
    const { token, host, link, reception } = this.#dependencies;
    link.repeat();
    const listener = this.#listener((event) => {
      if (!reception.accept(event, signal)) socket.end({ type: 'full' });
    });
    const socket = new GatewaySocket({ ...to, token, intents, clock: host.clock, listener });
    const stop = (): void => socket.end({ type: 'stopped' });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const end = await socket.ended;
    reception.ended();
    signal.removeEventListener('abort', stop);
    await socket.gone;
    return this.#judge(end);
  }

  #listener(event: (event: Frame & { readonly type: 'event' }) => void): SocketListener {
    const { continuity, host, reception, onBegan, onResumed } = this.#dependencies;
    return {
      event,
      began: (ready) => {
        const session = new Session(ready);
        const { heardAt } = continuity;
        continuity.keep(session, host.clock.now());
        this.#isDisallowed = false;
        reception.heard();
        onBegan({ guilds: ready.guilds, heardAt });
        return session;
      },
      resumed: () => {
        reception.heard();
        onResumed();
      },
      beat: () => {
        this.#failures = 0;
        reception.heard();
      },
    };
  }

  #judge(end: SocketEnd): Outcome {
    const verdict = judgeEnd(end);
    if (!verdict.keepsSession) this.#dependencies.continuity.drop();
    if (verdict.isInvited && this.#failures === 0) {
      this.#failures = 1;
      return { pause: 0 };
    }
    if (this.#isWorthAsking(end)) {
      this.#isDisallowed = true;
      this.#isKnown = false;
      return this.#backOff(contentWords);
    }
    const { reason, isFinal = false } = verdict;
    const outcome = { ...this.#backOff(reason), isFinal };
    if (end.type !== 'invalid-session') return outcome;
    return { ...outcome, pause: Math.max(outcome.pause, invalidPause + invalidSpread * Math.random()) };
  }

  /** Whoever runs the application may have switched off what was on a while ago: that can be mended, once. */
  #isWorthAsking(end: SocketEnd): boolean {
    return end.type === 'closed' && end.code === GatewayCloseCodes.DisallowedIntents && !this.#isDisallowed;
  }

  #judgeError(error: unknown): Outcome {
    if (error instanceof Setback) return { pause: 0, reason: error.message, isFinal: true };
    if (!(error instanceof ChannelError)) throw error;
    const { fault, message } = error;
    if (fault.type === 'auth') return { pause: 0, reason: tokenWords, isFinal: true };
    const outcome = this.#backOff(message);
    return fault.type === 'rate-limited' ? { ...outcome, pause: Math.max(outcome.pause, fault.retryAfter) } : outcome;
  }

  #backOff(reason: string | undefined): Outcome {
    this.#failures += 1;
    return { pause: backOff(this.#failures, { firstPause }), ...(reason !== undefined && { reason }) };
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { host, link } = this.#dependencies;
    for (let left = milliseconds; left > 0 && !signal.aborted; left -= tellEvery) {
      await sleep(host.clock, Math.min(left, tellEvery), signal);
      if (left > tellEvery && !signal.aborted) link.repeat();
    }
  }
}
