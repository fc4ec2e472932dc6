import { z } from 'zod';
import { backOff } from '../../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { SlackApi } from '../web-api/api.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { lostFeatures, missingToTalk } from './scopes.ts';
import { readSetback, type Setback } from './setback.ts';

export interface PreflightDependencies {
  readonly apiFor: (token: string) => SlackApi;
  readonly workspaces: Workspaces;
  /** Told each time why a token is of no use yet, or at all. */
  readonly onSetback: (setback: Setback) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const identityShape = z.object({
  team_id: z.string(),
  team: z.string().catch(''),
  user_id: z.string(),
  user: z.string().catch('the bot'),
  bot_id: z.string().catch(''),
  app_id: z.string().optional().catch(undefined),
  url: z.string().catch(''),
  response_metadata: z
    .object({ scopes: z.array(z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const botShape = z.object({ bot: z.object({ app_id: z.string() }) });

/**
 * Finds out where a bot token belongs and what it may do, before anything is built on it. Tries until it is known or can
 * never be.
 */
export class Preflight {
  readonly #dependencies: PreflightDependencies;

  constructor(dependencies: PreflightDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves with the workspace once it can be talked in; with nothing if the token is of no use, or the signal aborts. */
  async learn(token: string, signal: AbortSignal): Promise<Workspace | undefined> {
    const { workspaces, onSetback, clock } = this.#dependencies;
    workspaces.expect(token);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const found = await this.#look(token, signal);
      if (signal.aborted) return undefined;
      if ('teamId' in found) {
        workspaces.add(token, found);
        return found;
      }
      if (found.isFinal) workspaces.giveUp(token);
      onSetback(found);
      if (found.isFinal) return undefined;
      await sleep(clock, Math.max(backOff(failures), found.pause ?? 0), signal);
    }
    return undefined;
  }

  async #look(token: string, signal: AbortSignal): Promise<Workspace | Setback> {
    const api = this.#dependencies.apiFor(token);
    try {
      const { data } = identityShape.safeParse(await api.call('auth.test', {}, { repeatable: true, signal }));
      if (data === undefined) return { reason: strangeAnswer, isFinal: false };
      if (data.bot_id === '') return { reason: notABot, isFinal: true };
      const scopes = data.response_metadata?.scopes;
      const lack = scopes && missingToTalk(new Set(scopes));
      if (lack !== undefined) return { reason: lack, isFinal: false };
      const appId = data.app_id ?? (await this.#appOf(data.bot_id, api, signal));
      return this.#describe({ ...data, appId, scopes }, api);
    } catch (error) {
      return readSetback(error, 'bot');
    }
  }

  /** Undefined where Slack does not say: then it is not checked whether both tokens are of one app. */
  async #appOf(botId: string, api: SlackApi, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { data } = botShape.safeParse(await api.call('bots.info', { bot: botId }, { repeatable: true, signal }));
      return data?.bot.app_id;
    } catch (error) {
      this.#dependencies.log.debug({ err: error }, 'Slack does not say to which app the bot belongs');
      return undefined;
    }
  }

  #describe({ team_id, team, user_id, user, bot_id, url, appId, scopes }: Identity, api: SlackApi): Workspace {
    const granted = scopes && new Set(scopes);
    if (granted !== undefined)
      for (const { feature, missing } of lostFeatures(granted))
        this.#dependencies.log.warn({ team: team_id, missing }, `slack: ${feature} is off: ${addScopes}`);
    return {
      teamId: team_id,
      name: team,
      botUserId: user_id,
      botId: bot_id,
      botName: user,
      url,
      api,
      ...(appId !== undefined && { appId }),
      ...(granted !== undefined && { scopes: granted }),
    };
  }
}

interface Identity extends z.output<typeof identityShape> {
  readonly appId: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

const addScopes =
  'the app lacks a permission for it. Add the missing scopes (api.slack.com/apps → your app → OAuth & Permissions) and reinstall the app.';
const strangeAnswer = 'What answers at channels.slack.api_url does not speak as Slack does. Check that address.';
const notABot =
  'This is not the token of a bot. Take the "Bot User OAuth Token" (api.slack.com/apps → your app → OAuth & Permissions), put it into channels.slack.bot_token and start Keyturn again.';
