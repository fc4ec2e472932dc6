import type { ChannelHost, Conversation } from '../../../src/contract.ts';
import type { Background } from '../../../src/lib/background.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { EphemeralNotices } from '../outgoing/ephemeral-notices.ts';
import type { ResponseUrls } from '../outgoing/response-urls.ts';
import type { SlackSettings } from '../settings.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { AgentEvents } from './agent-events.ts';
import { LastWriters, type Writer } from './last-writers.ts';
import { Names } from './names.ts';
import { channelShape, eventShape, sourceShape } from './payload.ts';
import { Posts } from './posts.ts';
import { Presses } from './presses.ts';
import { SlashCommands } from './slash-commands.ts';

export interface SlackIntakeDependencies {
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly settings: Pick<SlackSettings, 'command' | 'suggested_prompts' | 'api_url' | 'request_timeout_secs'>;
  /** Is told where commands can be answered. */
  readonly responseUrls: ResponseUrls;
  /** Watches what nobody waits for: notices, suggestions, forms that are opened. */
  readonly background: Background;
}

/** Brings to the host what Slack delivers, over whichever connection. */
export class SlackIntake {
  readonly #dependencies: SlackIntakeDependencies;
  readonly #writers: LastWriters;
  readonly #posts: Posts;
  readonly #presses: Presses;
  readonly #commands: SlashCommands;
  readonly #agent: AgentEvents;

  constructor(dependencies: SlackIntakeDependencies) {
    this.#dependencies = dependencies;
    const { host, workspaces, settings, responseUrls, background } = dependencies;
    const { clock, log } = host;
    const { api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    const notices = new EphemeralNotices({ background, log, apiUrl, requestTimeoutSecs });
    const names = new Names({ clock, log });
    const writers = new LastWriters();
    const posts = new Posts({ host, names, notices, writers });
    this.#writers = writers;
    this.#posts = posts;
    this.#presses = new Presses({ host, workspaces, names, notices, background });
    this.#commands = new SlashCommands({ host, command: settings.command, names, notices, writers, responseUrls });
    this.#agent = new AgentEvents({
      ...{ host, names, writers, background, prompts: settings.suggested_prompts },
      stoodBesideThreads: (arrival, ts) => posts.stoodBesideThreads(arrival, ts),
    });
  }

  /**
   * Takes the body of an envelope or of a request, whatever it is. Resolves once all in it is stored, or nothing in it has
   * to be, with whether something was: then, and not before, Slack may be told that it came. Throws if it could not be
   * stored. Waits for Slack 2 s at most. Must be called in the order in which things came.
   */
  async take(body: unknown): Promise<boolean> {
    const ignored = await this.#sort(body);
    if (ignored === undefined) return true;
    const { type, command, event } = isJsonObject(body) ? body : {};
    const kind = isJsonObject(event) ? event.type : (type ?? command);
    this.#dependencies.host.log.debug({ kind, reason: ignored }, 'something from Slack was ignored');
    return false;
  }

  /** Who has last said something to the bot there, if this process has heard it. */
  lastWriter(conversation: Conversation): Writer | undefined {
    return this.#writers.of(conversation);
  }

  async #sort(body: unknown): Promise<string | undefined> {
    if (!isJsonObject(body)) return 'it is nothing';
    if (body.type === 'view_submission') return this.#presses.takeForm(body);
    const workspace = this.#workspaceOf(body);
    if (workspace === undefined) return 'it comes from no workspace of ours';
    if (body.type === 'event_callback') return this.#event(body, workspace);
    if (body.type === 'block_actions') return this.#presses.take(body, workspace);
    return typeof body.command === 'string' ? this.#commands.take(body, workspace) : 'it is of no kind that is read';
  }

  async #event(body: unknown, workspace: Workspace): Promise<string | undefined> {
    const { data } = eventShape.safeParse(body);
    if (data === undefined) return 'it can not be read';
    const { event } = data;
    switch (event.type) {
      case 'message':
      case 'app_mention': {
        const place = channelShape.safeParse(event).data;
        if (place === undefined) return 'it stands nowhere';
        const { all } = this.#dependencies.workspaces;
        return this.#posts.take({ event, workspace, chatId: place.channel, ours: all });
      }
      case 'agent_session_stopped':
        return this.#agent.stopped(event, workspace);
      case 'assistant_thread_started':
        return this.#agent.opened(event, workspace);
      default:
        return 'it is of no kind that is read';
    }
  }

  /** The workspace in which the app got it. In a channel of several organizations others are named, too. */
  #workspaceOf(body: unknown): Workspace | undefined {
    const { data } = sourceShape.safeParse(body);
    if (data === undefined) return undefined;
    const [authorization] = data.authorizations;
    const candidates = [
      ...[authorization?.team_id, data.context_team_id, data.team_id, data.team?.id],
      ...[authorization?.enterprise_id, data.enterprise?.id, data.enterprise_id],
    ].filter((id) => id !== undefined);
    const { workspaces } = this.#dependencies;
    const found = candidates.map((id) => workspaces.find(id)).find((workspace) => workspace !== undefined);
    if (found === undefined && candidates.length > 0 && workspaces.isIncomplete)
      throw new Error('It is not known yet whether this workspace is one of ours.');
    return found;
  }
}
