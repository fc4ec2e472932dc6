import { ChannelError, type ChannelHost } from '../../../src/contract.ts';
import type { Background } from '../../../src/lib/background.ts';
import type { SlackSettings } from '../settings.ts';
import type { Workspace } from '../workspaces.ts';
import { personSender } from './author.ts';
import type { LastWriters } from './last-writers.ts';
import type { Names } from './names.ts';
import { paneShape, stopShape } from './payload.ts';
import { conversationAt, isDirect, type Place, placeIn } from './place.ts';
import type { Arrival } from './read-post.ts';

export interface AgentEventsDependencies {
  readonly host: ChannelHost;
  readonly prompts: SlackSettings['suggested_prompts'];
  readonly names: Names;
  readonly writers: LastWriters;
  readonly background: Background;
  /** Whether this post stands in a direct chat beside all threads. */
  readonly stoodBesideThreads: (arrival: Pick<Arrival, 'workspace' | 'chatId'>, ts: string) => boolean;
}

/** What Slack tells of the bot as an assistant: its pane was opened, what it writes shall end. */
export class AgentEvents {
  readonly #dependencies: AgentEventsDependencies;

  constructor(dependencies: AgentEventsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Offers what can be asked. Returns at once: nobody waits for it. */
  opened(event: unknown, workspace: Workspace): string | undefined {
    const { data } = paneShape.safeParse(event);
    const { prompts, background, host } = this.#dependencies;
    if (data === undefined) return 'it can not be read';
    if (prompts.length === 0) return 'nothing is to be suggested';
    const { channel_id, thread_ts } = data.assistant_thread;
    background.run('the suggestions could not be shown', async () => {
      try {
        await workspace.api.call('assistant.threads.setSuggestedPrompts', { channel_id, thread_ts, prompts });
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        host.log.debug({ channel_id, reason: error.message }, 'the suggestions could not be shown');
      }
    });
    return undefined;
  }

  /** The button beside a growing text says what the command says. Resolves once it is stored. */
  async stopped(event: unknown, workspace: Workspace): Promise<string | undefined> {
    const { data } = stopShape.safeParse(event);
    if (data === undefined) return 'it can not be read';
    const { host, names, writers } = this.#dependencies;
    const { user, channel, thread_ts, event_ts } = data;
    const place = this.#placeOf(workspace, channel, thread_ts);
    const writer = writers.of(conversationAt(place));
    // Slack says of him no more than his id.
    const teamId = writer?.userId === user ? writer.teamId : workspace.teamId;
    await names.learn(workspace, { users: [user], chats: [] });
    const sender = personSender(teamId, user, names.find(workspace, user) ?? user);
    await host.receive({
      type: 'message',
      key: `stop:${workspace.teamId}:${channel}:${thread_ts}:${event_ts}`,
      conversation: conversationAt(place, names.titleOf(place, sender.name)),
      sender,
      text: '/stop',
      addressed: true,
      sentAt: Math.floor(Number(event_ts) * 1000),
    });
    return undefined;
  }

  /** In a direct chat, what answers a post may stand beneath it, though the conversation is the whole chat. */
  #placeOf(workspace: Workspace, chatId: string, threadTs: string): Place {
    const { writers, stoodBesideThreads } = this.#dependencies;
    const thread = placeIn(workspace, chatId, threadTs);
    if (!isDirect(chatId) || writers.of(conversationAt(thread)) !== undefined) return thread;
    return stoodBesideThreads({ workspace, chatId }, threadTs) ? placeIn(workspace, chatId, undefined) : thread;
  }
}
