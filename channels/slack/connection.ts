import { setImmediate } from 'node:timers/promises';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { sleep } from '../../src/lib/clock.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { Gap } from '../kit/missed.ts';
import type { SlackApi } from './api.ts';
import { receiveRequests } from './http-events.ts';
import { Reception } from './reception.ts';
import type { SlackSettings } from './settings.ts';
import { Sockets } from './sockets.ts';
import { identify, readSetback } from './tokens.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

export interface ConnectionOptions {
  readonly settings: SlackSettings;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly apiFor: (token: string) => SlackApi;
  /** Resolves once what came is stored, with whether there was anything to store. Throws if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
  readonly onGap: (gap: Gap) => void;
  /** Until when a former session, or a former process, has heard Slack. Undefined where none has. */
  readonly heardAt: number | undefined;
}

/** How long what is being stored when the connection ends may take, in milliseconds. */
const lastPatience = 1_000;
/** How often Slack is asked whether the tokens still hold, and at most, in milliseconds. */
const lookEvery = 15 * 60_000;
const leastPause = 30_000;

/**
 * One session with Slack. First it finds out where the bot tokens belong and what they may do; as soon as one is good, it
 * receives, over sockets or by requests. What it cannot do now it tries for ever; only what the operator must mend ends it.
 * Slack hears of an event when it is stored. What was not stored is not acknowledged, so that Slack delivers it again.
 *
 * Whether the tokens still hold is asked now and then. Nothing else would tell: sockets need the app-level token only, so they
 * stay open when a bot token is taken back, and nothing comes through them any more.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #reception: Reception;
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** The tokens, as Slack has judged them in this session: a former one's knowledge does not count. */
  readonly #good = new Set<string>();
  readonly #refused = new Set<string>();
  #doubt = new AbortController();
  #lastReason = '';
  /** From now on nothing is taken, and so nothing acknowledged. */
  #isOver = false;

  constructor(options: ConnectionOptions) {
    const { host, workspaces, onGap, heardAt } = options;
    this.#options = options;
    const account = (): string => workspaces.all.map(({ botName, name }) => `@${botName} in ${name}`).join(', ');
    this.#reception = new Reception(host, account, onGap, heardAt);
  }

  /** Until when all that Slack had to say has surely come in. */
  get heardAt(): number | undefined {
    return this.#reception.heardAt;
  }

  /** Receives until `stop` is called or Slack shuts us out. */
  async run(): Promise<void> {
    const { settings, host } = this.#options;
    const { signal } = this.#ending;
    host.reportHealth({ status: 'connecting' });
    const tokens = [...new Set([settings.bot_token, ...settings.more_bot_tokens])];
    const lessons = tokens.map((token) => this.#learn(token));
    const isKnown = await this.#reception.health.accompany(isAnyTrue(lessons), signal);
    if (signal.aborted) return;
    if (!isKnown) return this.#reception.health.die(this.#lastReason);
    await Promise.all([this.#receive(), this.#watch(), ...lessons]);
  }

  /** Slack has refused a bot token for something: it is found out whether it still holds. Returns at once. */
  doubt(): void {
    this.#doubt.abort();
  }

  /** Takes what Slack has not delivered as if it had. Resolves once it is stored; throws if it was not. */
  async take(body: unknown): Promise<void> {
    const { take, host } = this.#options;
    try {
      await this.#reception.take(() => take(body));
    } catch (error) {
      host.log.error({ err: error }, 'an event of Slack was not stored: it is not acknowledged');
      throw error;
    }
  }

  /** What is being stored is stored and acknowledged, if that takes no longer than a second. Nothing new is taken. */
  async stop(): Promise<void> {
    const { clock } = this.#options.host;
    this.#isOver = true;
    // Slack is told of what is stored right afterwards.
    const settled = Promise.allSettled(this.#underWay).then(() => setImmediate());
    await endsWithin(settled, { clock, milliseconds: lastPatience });
    this.#ending.abort();
  }

  async #receive(): Promise<void> {
    const { settings, host, workspaces } = this.#options;
    const { signal } = this.#ending;
    const reception = this.#reception;
    const take = (body: unknown): Promise<void> => this.#deliver(body);
    const die = (reason: string): void => this.#die(reason);
    switch (settings.mode) {
      case 'http':
        return receiveRequests(settings, take, reception, host, signal);
      case 'socket':
        return new Sockets({ settings, host, reception, take, die }, workspaces.find()?.appId).run(signal);
    }
  }

  async #deliver(body: unknown): Promise<void> {
    if (this.#isOver) throw new Error('The connection is being closed.');
    const taking = this.take(body);
    this.#underWay.add(taking);
    await taking.finally(() => this.#underWay.delete(taking));
  }

  #die(reason: string): void {
    this.#reception.health.die(reason);
    this.#ending.abort();
  }

  /** Tries until it is known where the token belongs. False if it is refused, or the connection ends. */
  async #learn(token: string): Promise<boolean> {
    const { settings, host, workspaces, apiFor } = this.#options;
    const { signal } = this.#ending;
    workspaces.expect(token);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const found = await identify(apiFor(token), host.log, signal);
      if (signal.aborted) return false;
      if ('teamId' in found) return this.#accept(token, found);
      this.#lastReason = found.reason;
      if (found.isFinal) workspaces.refuse(token);
      // While another workspace works, one that does not is nothing that concerns the whole channel.
      if (this.#good.size === 0) this.#reception.health.fail(found.reason);
      if (found.isFinal) {
        this.#refused.add(token);
        if (settings.more_bot_tokens.length > 0)
          host.log.warn({ reason: found.reason }, `slack: one of the bot tokens is of no use, ${againLater}`);
        return false;
      }
      await sleep(host.clock, Math.max(backOff(failures), found.pause ?? 0), signal);
    }
    return false;
  }

  #accept(token: string, workspace: Workspace): true {
    this.#options.workspaces.add(token, workspace);
    this.#refused.delete(token);
    this.#good.add(token);
    return true;
  }

  /** Asks now and then whether the tokens hold; those that are refused are tried again as often. Never throws. */
  async #watch(): Promise<void> {
    const { host, apiFor } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await sleep(host.clock, lookEvery, AbortSignal.any([signal, this.#doubt.signal]));
      this.#doubt = new AbortController();
      const refused = [...this.#refused];
      for (const token of [...this.#good]) if (!signal.aborted) await this.#ask(token);
      for (const token of refused) {
        const found = signal.aborted ? undefined : await identify(apiFor(token), host.log, signal);
        if (found !== undefined && 'teamId' in found && !signal.aborted) this.#accept(token, found);
      }
      await sleep(host.clock, leastPause, signal);
    }
  }

  /** The last one that was good ends everything: nothing would come in any more. */
  async #ask(token: string): Promise<void> {
    const { host, workspaces, apiFor } = this.#options;
    const { signal } = this.#ending;
    try {
      await apiFor(token).call('auth.test', {}, { repeatable: true, signal });
    } catch (error) {
      const { reason, isFinal } = readSetback(error, 'bot');
      if (!isFinal) return;
      this.#good.delete(token);
      this.#refused.add(token);
      if (this.#good.size === 0 && !workspaces.isIncomplete) this.#die(reason);
      else host.log.warn({ reason }, `slack: one of the bot tokens is of no use any more, ${againLater}`);
    }
  }
}

const againLater = 'and is tried again later';

/** Whether one of them is true. Resolves as soon as one is. */
async function isAnyTrue(lessons: readonly Promise<boolean>[]): Promise<boolean> {
  const never = new Promise<false>(() => {});
  const all = Promise.all(lessons).then((results) => results.includes(true));
  return Promise.race([all, ...lessons.map((lesson) => lesson.then((isTrue) => isTrue || never))]);
}
