import type { ChannelHost, InboundMessage } from '../../../src/contract.ts';
import type { EphemeralNotices } from '../outgoing/ephemeral-notices.ts';
import { commandKey, type ResponseUrls } from '../outgoing/response-urls.ts';
import type { Workspace } from '../workspaces.ts';
import { personSender } from './author.ts';
import type { LastWriters } from './last-writers.ts';
import { readMrkdwn } from './mrkdwn.ts';
import type { Names } from './names.ts';
import { commandShape, type SlackCommand } from './payload.ts';
import { conversationAt, isDirect, type Place, placeIn } from './place.ts';

export interface SlashCommandDependencies {
  readonly host: ChannelHost;
  /** As the manifest names it, with the slash. */
  readonly command: string;
  readonly names: Names;
  readonly notices: EphemeralNotices;
  readonly writers: LastWriters;
  readonly responseUrls: ResponseUrls;
}

/** Brings slash commands to the host: `/keyturn stop` is the command `/stop`, and without a word it asks for help. */
export class SlashCommands {
  readonly #dependencies: SlashCommandDependencies;

  constructor(dependencies: SlashCommandDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves once it is stored, or with the reason why there is nothing to store. */
  async take(body: unknown, workspace: Workspace): Promise<string | undefined> {
    const { data } = commandShape.safeParse(body);
    const { host, command, names, notices, writers, responseUrls } = this.#dependencies;
    if (data === undefined || data.command !== command) return 'the command is not ours';
    const { user_id: userId, channel_id: chatId, team_id, response_url } = data;
    const place = placeIn(workspace, chatId, undefined);
    await names.learn(workspace, { users: [userId], chats: isDirect(chatId) ? [] : [chatId] });
    const message = this.#message(data, place);
    const { privateTo, conversation } = message;
    if (response_url !== undefined) responseUrls.remember(privateTo, response_url);
    writers.note(conversation, { userId, teamId: team_id ?? workspace.teamId });
    const { notice } = await host.receive(message);
    const url = notice === undefined ? undefined : responseUrls.take(privateTo);
    if (notice !== undefined && url !== undefined) notices.answer(url, notice);
    else notices.show(place, userId, notice);
    return undefined;
  }

  #message(command: SlackCommand, place: Place): InboundMessage & { readonly privateTo: string } {
    const { names, host } = this.#dependencies;
    const { workspace } = place;
    const { user_id: userId, user_name, team_id, trigger_id, text = '' } = command;
    const sender = personSender(
      team_id ?? workspace.teamId,
      userId,
      names.find(workspace, userId) ?? user_name ?? userId,
    );
    const key = `command:${workspace.teamId}:${trigger_id}`;
    return {
      type: 'message',
      key,
      conversation: conversationAt(place, names.titleOf(place, sender.name)),
      sender,
      text: `/${readMrkdwn(text, names.in(workspace)).trim().replace(/^\/+/, '') || 'help'}`,
      addressed: true,
      sentAt: host.clock.now(),
      privateTo: commandKey(userId, key),
    };
  }
}
