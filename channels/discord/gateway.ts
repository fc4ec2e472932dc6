import { GatewayCloseCodes as Close, GatewayIntentBits } from 'discord.js';
import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { backOff, onAbort } from '../../src/lib/clock.ts';
import { Reception, unstoredWords } from '../kit/reception.ts';
import { createBackfill } from './backfill.ts';
import { inviteLink } from './failure.ts';
import { type GatewayEvent, openGatewaySocket, type Session, type SocketEnd } from './gateway-socket.ts';
import { createIntake } from './intake.ts';
import { registerCommands } from './interactions.ts';
import { type BotIdentity, contentWords, preflight, sessionStart, tokenWords } from './preflight.ts';
import type { Lasting, Runtime } from './runtime.ts';

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
  readonly reason?: string | undefined;
  /** Retrying is useless until the operator fixes something. */
  readonly isFinal?: boolean;
}

/**
 * Runs from one start to the next stop, and starts connecting at once. Checks the token, registers the commands, then
 * receives over one connection after another: each resumes the session of the last, and after a new session the missed
 * messages are backfilled. Failures are retried for ever with growing pauses; only faults that the operator must fix
 * end it.
 */
export function openGateway(host: ChannelHost, lasting: Lasting) {
  const { settings, api, continuity } = lasting;
  const { clock, log } = host;
  const ending = new AbortController();
  const { signal } = ending;
  let bot: BotIdentity | undefined;
  let isChecked = false;
  let hasBegun = false;
  let failures = 0;
  /** The backlog overflowed and is not drained yet: no events are accepted. */
  let isFull = false;
  /** Discord refused our intents, and no session has started since. */
  let isDisallowed = false;

  const runtime: Runtime = { ...lasting, host, self, signal };
  const background = new Background(log);
  const intake = createIntake(runtime);
  const backfill = createBackfill(runtime, intake.takeMessage);
  const reception = new Reception({
    ...{ channel: 'discord', platform: 'Discord', host, background, signal },
    account: () => bot && `@${bot.username}`,
    look: async ({ since }) => !settings.backfill || backfill.look(since),
    former: continuity.reception,
  });
  continuity.reception = reception;
  background.run('receiving has ended by a fault', receive);

  function self(): BotIdentity {
    if (bot === undefined) throw new Error('Nothing comes from Discord before the bot is known.');
    return bot;
  }

  async function receive(): Promise<void> {
    continuity.sessionAt(clock.now())?.rewind();
    reception.health.tell({ status: 'connecting' });
    while (!signal.aborted) {
      const { pause, reason, isFinal } = await round();
      if (signal.aborted) return;
      if (isFinal) return reception.health.die(reason ?? '');
      if (reason !== undefined) reception.health.fail(reason);
      await reception.health.pause(pause, signal);
    }
  }

  async function round(): Promise<Outcome> {
    try {
      if (!isChecked && !(await check())) return { pause: 0, reason: contentWords, isFinal: true };
      const session = continuity.sessionAt(clock.now());
      if (isFull) return nextAfter(unstoredWords('Discord'));
      if (session !== undefined) return judge(await connect(session.resumeUrl, session));
      await reception.health.pause(continuity.pauseBefore(clock.now()), signal);
      const start = await sessionStart(api, signal);
      if (typeof start !== 'string') return start;
      continuity.begunAt = clock.now();
      return judge(await connect(start));
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { fault, message } = error;
      if (fault.type === 'auth') return { pause: 0, reason: tokenWords, isFinal: true };
      return nextAfter(message, fault.type === 'rate-limited' ? fault.retryAfter : 0);
    }
  }

  async function check(): Promise<boolean> {
    const found = await preflight(api, log, signal);
    if (found === 'unreadable') return false;
    const { applicationId } = found;
    const isNew = bot === undefined;
    bot = found;
    isChecked = true;
    api.applicationId = applicationId;
    const register = () => registerCommands(api, applicationId, host, signal);
    if (settings.register_commands && isNew) background.run('the commands could not be registered', register);
    return true;
  }

  async function connect(url: string, session?: Session): Promise<SocketEnd> {
    reception.health.repeat();
    const socket = openGatewaySocket({
      ...{ token: settings.token, intents, url, session, clock, network: lasting.network },
      listener: {
        began: begin,
        resumed: () => reception.resumed(),
        event: (event) => {
          if (!accept(event)) socket.end({ reason: unstoredWords('Discord') });
        },
        beat: () => {
          failures = 0;
          if (intake.isStuck) reception.refused();
          reception.heard();
        },
      },
    });
    const unlisten = onAbort(signal, () => socket.end({}));
    const end = await socket.ended;
    reception.closed();
    unlisten();
    await socket.gone;
    return end;
  }

  /** Returns false if the backlog is full. Events not stored by the stop are resent. */
  function accept({ name, data, sequence }: GatewayEvent): boolean {
    isFull ||= reception.waiting >= mostBacklog;
    if (continuity.session === undefined || isFull) return false;
    const stored = continuity.session.arrived(sequence);
    const store = async (): Promise<boolean> => {
      await backfill.cameBefore(name, data);
      await intake.take(name, data);
      return !intake.isStuck;
    };
    const misread = (error: unknown): boolean => {
      log.error({ event: name, err: error }, 'an event of Discord was not understood');
      return false;
    };
    void reception
      .take(async () => {
        const isStored = await store().catch(misread);
        // After the abort, the intake resolves without having stored the event.
        if (signal.aborted) throw new Error('The channel is stopped.');
        return isStored;
      })
      .then(stored, () => {})
      .then(() => {
        if (reception.waiting === 0) isFull = false;
      });
    return true;
  }

  /** A new session does not replay earlier events. */
  function begin(session: Session, guilds: number): void {
    continuity.session = session;
    isDisallowed = false;
    reception.opened();
    if (guilds === 0 && !hasBegun) {
      const invitation = inviteLink(self().applicationId);
      log.warn({ invitation }, 'discord: the bot is in no server yet; open this address to let it in');
    }
    hasBegun = true;
  }

  function judge({ reason, code = 0, endsSession, pause }: SocketEnd): Outcome {
    const final = finalWords[code];
    if (endsSession || final !== undefined) continuity.session = undefined;
    if (reason === undefined && failures === 0) {
      failures = 1;
      return { pause: 0 };
    }
    // The operator may have switched the intent off since the check: check again, once.
    if (code === Close.DisallowedIntents && !isDisallowed) {
      isDisallowed = true;
      isChecked = false;
      return nextAfter(contentWords);
    }
    return final === undefined ? nextAfter(reason, pause) : { pause: 0, reason: final, isFinal: true };
  }

  function nextAfter(reason: string | undefined, least = 0): Outcome {
    failures += 1;
    return { pause: Math.max(least, backOff(failures, { firstPause })), reason };
  }

  return {
    /** Resolves when everything has ended. Events not stored by then are resent. */
    async stop(): Promise<void> {
      ending.abort();
      await background.settled();
      await intake.settled();
    },
  };
}

const versionWords = (code: Close): string =>
  `Discord no longer accepts this version of Keyturn (close code ${code}). Update it.`;

/** Close codes that only the operator can fix. They end the session, too. */
const finalWords: Readonly<Record<number, string>> = {
  [Close.AuthenticationFailed]: tokenWords,
  [Close.DisallowedIntents]: contentWords,
  [Close.ShardingRequired]: 'The bot is in more than 2,500 servers, the limit of one connection. Remove it from some.',
  [Close.InvalidShard]: versionWords(Close.InvalidShard),
  [Close.InvalidAPIVersion]: versionWords(Close.InvalidAPIVersion),
  [Close.InvalidIntents]: versionWords(Close.InvalidIntents),
};
