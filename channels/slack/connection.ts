import { setImmediate } from 'node:timers/promises';
import type { ChannelHost, Network } from '../../src/contract.ts';
import { backOff, endsWithin, sleep } from '../../src/lib/clock.ts';
import { type Words, wordsIn } from '../../src/lib/words.ts';
import type { Reception } from '../kit/reception.ts';
import type { SlackApi } from './api.ts';
import { receiveRequests } from './http-events.ts';
import type { SlackSettings } from './settings.ts';
import { holdSockets } from './sockets.ts';
import { identify, missingScopes } from './tokens.ts';
import { wordsFor } from './words.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

interface ConnectionOptions {
  readonly settings: SlackSettings;
  readonly network: Network;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly apiFor: (token: string) => SlackApi;
  readonly reception: Reception;
  /** Resolves once the event is stored, with whether there was anything to store. Rejects if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
  /** Ends the session. */
  readonly ending: AbortController;
}

/** How long pending events may take to be stored after `stop`, in ms. */
const lastPatience = 1_000;
/** How often a token is checked, and the shortest pause between checks, in ms. */
const lookEvery = 15 * 60_000;
const leastPause = 30_000;

/**
 * One session with Slack. Identifies the bot tokens and their scopes; once one is valid, receives over sockets or HTTP.
 * Failures are retried for ever; only what the operator must fix ends it. An event is acknowledged once it is stored;
 * otherwise Slack delivers it again.
 *
 * Tokens are checked regularly, since nothing else tells: sockets only need the app-level token, so they stay open, and
 * silent, after a bot token is revoked.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #known = Promise.withResolvers<void>();
  /** By token: abort to check it at once. */
  readonly #doubts = new Map<string, AbortController>();
  /** Nothing is accepted or acknowledged any more. */
  #isOver = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Receives until `stop` is called or a failure is final. */
  async run(): Promise<void> {
    const { settings, workspaces, reception, ending } = this.#options;
    const { signal } = ending;
    reception.health.tell({ status: 'connecting' });
    const tokens = [...new Set([settings.bot_token, ...settings.more_bot_tokens])];
    for (const token of tokens) workspaces.judge(token, 'open');
    const keeping = Promise.all(tokens.map((token) => this.#keep(token)));
    await reception.health.accompany(Promise.race([this.#known.promise, keeping]), signal);
    if (!signal.aborted) await this.#receive();
    await keeping;
  }

  /** Stores an event, also one that backfill has found. Rejects if it was not stored. */
  async take(body: unknown): Promise<void> {
    const { reception, take: store, host } = this.#options;
    try {
      await reception.take(() => store(body));
    } catch (error) {
      host.log.error({ err: error }, 'an event of Slack was not stored: it is not acknowledged');
      throw error;
    }
  }

  /** Checks a bot token that Slack has just refused for something. */
  doubt(token: string): void {
    this.#doubts.get(token)?.abort();
  }

  /** Accepts nothing new, and waits up to a second for pending events to be stored and acknowledged. */
  async stop(): Promise<void> {
    const { host, ending } = this.#options;
    this.#isOver = true;
    // The acknowledgement follows in the next tick.
    const settled = Promise.allSettled(this.#underWay).then(() => setImmediate());
    await endsWithin(settled, { clock: host.clock, milliseconds: lastPatience });
    ending.abort();
  }

  async #receive(): Promise<void> {
    const { settings, network, host, reception, workspaces, ending } = this.#options;
    const take = (body: unknown): Promise<void> => this.#deliver(body);
    switch (settings.mode) {
      case 'http':
        return receiveRequests(settings, take, reception, host, ending.signal);
      case 'socket': {
        const die = (reason: Words): void => this.#die(reason);
        const owner = { settings, network, host, reception, take, die };
        return holdSockets(owner, workspaces.find()?.appId, ending.signal);
      }
    }
  }

  async #deliver(body: unknown): Promise<void> {
    if (this.#isOver) throw new Error('The connection is being closed.');
    const taking = this.take(body);
    this.#underWay.add(taking);
    await taking.finally(() => this.#underWay.delete(taking));
  }

  #die(reason: Words): void {
    this.#options.reception.health.die(reason);
    this.#options.ending.abort();
  }

  /** Identifies the token until Slack has answered, then checks it regularly. */
  async #keep(token: string): Promise<void> {
    const { apiFor, workspaces, reception, host, ending } = this.#options;
    const { signal } = ending;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const found = await identify(apiFor(token), host.log, signal);
      if (signal.aborted) return;
      if ('teamId' in found) this.#accept(token, found);
      else if (found.isFinal) this.#refuse(token, found.reason);
      if ('teamId' in found || workspaces.verdictOn(token) !== 'open') {
        await this.#rest(token);
        continue;
      }
      // While another workspace works, one failing token is not a failure of the channel.
      if (!workspaces.isAnyGood) reception.health.fail(found.reason);
      await sleep(host.clock, Math.max(backOff(failures), found.pause ?? 0), signal);
    }
  }

  async #rest(token: string): Promise<void> {
    const { host, ending } = this.#options;
    const doubt = new AbortController();
    const isFirst = !this.#doubts.has(token);
    this.#doubts.set(token, doubt);
    if (!isFirst) await sleep(host.clock, leastPause, ending.signal);
    await sleep(host.clock, lookEvery, AbortSignal.any([ending.signal, doubt.signal]));
  }

  #accept(token: string, workspace: Workspace): void {
    const { workspaces, host } = this.#options;
    const wasGood = workspaces.verdictOn(token) === 'good';
    workspaces.judge(token, 'good', workspace);
    if (wasGood) return;
    this.#known.resolve();
    const { teamId: team, scopes } = workspace;
    const missing = scopes === undefined ? [] : missingScopes(scopes);
    if (missing.length > 0) host.log.warn({ team }, wordsFor(host).partlyOff({ scopes: missing.join(', ') }));
  }

  /** If no valid or undecided token is left, the connection ends: nothing could come in. */
  #refuse(token: string, reason: Words): void {
    const { workspaces, settings, host } = this.#options;
    const verdict = workspaces.verdictOn(token);
    if (verdict === 'refused') return;
    workspaces.judge(token, 'refused');
    const words = wordsFor(host);
    if (!workspaces.isAnyGood && !workspaces.isIncomplete) this.#die(reason);
    else if (settings.more_bot_tokens.length > 0)
      host.log.warn(
        { reason: wordsIn('en', reason) },
        verdict === 'good' ? words.tokenNoLongerValid : words.uselessToken,
      );
  }
}
