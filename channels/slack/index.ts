import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundAttachment,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { DownloadLimits } from '../kit/download.ts';
import { type Gap, Missed } from '../kit/missed.ts';
import { SlackApi } from './api.ts';
import { backfill, mostPlaces } from './backfill.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { longestMarkdown, measureMarkdown } from './content.ts';
import { fetchFile } from './files.ts';
import { SlackIntake } from './intake.ts';
import { Outgoing } from './outgoing.ts';
import { ResponseUrls } from './private-answers.ts';
import { type SlackSettings, settings } from './settings.ts';
import { type Workspace, Workspaces } from './workspaces.ts';

/** The Slack channel. */
export const slack = defineChannel({
  name: 'slack',
  settings,
  create: (checked) => new SlackAdapter(checked),
});

/** What Slack takes, in bytes. */
const largestFile = 1_000_000_000;
/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

class SlackAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  readonly mark?: NonNullable<ChannelAdapter['mark']>;
  readonly #settings: SlackSettings;
  readonly #workspaces = new Workspaces();
  /** What asks Slack, by token. */
  readonly #apis = new Map<string, SlackApi>();
  /** What goes out, by team. It outlives the connections: what was sent is remembered. */
  readonly #outgoing = new Map<string, Outgoing>();
  #responseUrls: ResponseUrls | undefined;
  /** The last that was started. */
  #host: ChannelHost | undefined;
  #session: Session | undefined;
  /** Until when a session has heard Slack. */
  #heardAt: number | undefined;

  constructor(settings: SlackSettings) {
    this.#settings = settings;
    const workspaces = this.#workspaces;
    this.capabilities = {
      maxLength: longestMarkdown,
      forms: true,
      maxFileBytes: largestFile,
      editPause: { direct: 1200, group: 1200 },
      heartbeat: 30_000,
      // Slack keeps everything for itself that begins with a slash.
      commandPrefix: `${settings.command} `,
      // It knows no slash commands in threads; what is said to the bot there comes through.
      get commandPrefixInThread() {
        return `@${workspaces.find()?.botName ?? 'keyturn'} /`;
      },
      history: true,
    };
    if (settings.reactions) this.mark = async (to, messageId, mark) => this.#outgoingAt(to).mark(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#session?.heardAt ?? this.#heardAt;
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown);
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    this.#responseUrls ??= new ResponseUrls(host.clock);
    this.#session = new Session(this.#settings, host, this.#workspaces, {
      apiFor: (token) => this.#apiFor(token),
      responseUrls: this.#responseUrls,
      heardAt: this.#heardAt ?? host.leftAt,
    });
  }

  async stop(): Promise<void> {
    if (this.#session === undefined) return;
    const session = this.#session;
    this.#session = undefined;
    this.#heardAt = session.heardAt ?? this.#heardAt;
    await endsWithin(session.stop(), { clock: session.host.clock, milliseconds: stopGrace });
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#outgoingAt(to).send(to, message);
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#outgoingAt(to).edit(to, ref, message);
  }

  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    await this.#outgoingAt(to).remove(to, ref);
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#outgoingAt(to).showTyping(to);
  }

  openStream(
    to: Conversation,
    begun: (refs: readonly MessageRef[]) => Promise<void> = async () => {},
  ): ReplyStream | undefined {
    if (this.#session === undefined || !this.#settings.native_streaming) return undefined;
    const workspace = this.#workspaces.find(to.tenant);
    const outgoing = workspace && this.#outgoingFor(workspace, this.#session.host);
    return outgoing?.openStream(to, this.#session.intake.lastWriter(to), begun);
  }

  async fetchAttachment({ handle }: InboundAttachment, limits: DownloadLimits): Promise<Uint8Array | 'too-large'> {
    const [tenant = '', fileId = ''] = handle.split('/');
    return fetchFile(this.#outgoingAt({ tenant }).workspace.api, fileId, limits);
  }

  /** Throws `ChannelError`: transient while the workspace may still become known. */
  #outgoingAt(to: Pick<Conversation, 'tenant'>): Outgoing {
    if (this.#host !== undefined) return this.#outgoingFor(this.#workspaces.of(to), this.#host);
    throw new ChannelError({ type: 'transient', isUnsent: true }, 'Slack is not connected yet');
  }

  #outgoingFor(workspace: Workspace, { clock, log }: ChannelHost): Outgoing {
    const known = this.#outgoing.get(workspace.teamId);
    if (known?.isFor(workspace)) return known;
    this.#responseUrls ??= new ResponseUrls(clock);
    const outgoing = new Outgoing(workspace, this.#responseUrls, clock, log);
    this.#outgoing.set(workspace.teamId, outgoing);
    return outgoing;
  }

  #apiFor(token: string): SlackApi {
    const { api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = this.#settings;
    const onShutOut = (): void => this.#session?.connection.doubt();
    const api = this.#apis.get(token) ?? new SlackApi({ token, apiUrl, requestTimeoutSecs, onShutOut });
    this.#apis.set(token, api);
    return api;
  }
}

/** From one start to the next stop: receives, and fetches what was missed. */
class Session {
  readonly host: ChannelHost;
  readonly intake: SlackIntake;
  readonly connection: Connection;
  readonly #missed: Missed;
  readonly #background: Background;
  readonly #ending = new AbortController();

  /** Begins to connect. `heardAt`: until when a former session, or a former process, has heard Slack, if one has. */
  constructor(
    settings: SlackSettings,
    host: ChannelHost,
    workspaces: Workspaces,
    { responseUrls, ...rest }: Pick<ConnectionOptions, 'apiFor' | 'heardAt'> & { readonly responseUrls: ResponseUrls },
  ) {
    const { signal } = this.#ending;
    this.host = host;
    const background = new Background(host.log);
    this.#background = background;
    this.intake = new SlackIntake(settings, host, workspaces, { responseUrls, background });
    this.connection = new Connection({
      ...{ settings, host, workspaces, ...rest },
      take: (body) => this.intake.take(body),
      onGap: (gap) => this.#missed.fill(gap),
    });
    const { clock, log } = host;
    const take = (body: unknown): Promise<void> => this.connection.take(body);
    const look = async ({ since, isShort }: Gap): Promise<boolean> => {
      const places = await host.places(isShort ? mostPlaces.short : mostPlaces.long);
      return backfill({ since, places, workspaces, take, signal, clock, log });
    };
    this.#missed = new Missed(look, clock, background, signal);
    background.run('receiving has ended by a fault', () => this.connection.run());
  }

  /** Until when Slack was surely heard: what is still to be looked for was not. */
  get heardAt(): number | undefined {
    const { heardAt } = this.connection;
    const { since } = this.#missed;
    return heardAt === undefined || since === undefined ? (heardAt ?? since) : Math.min(heardAt, since);
  }

  /** Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.connection.stop();
    await this.#background.settled();
  }
}
