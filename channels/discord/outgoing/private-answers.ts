import { MessageFlags, RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError, type Conversation, type MessageRef, type OutboundMessage } from '../../../src/contract.ts';
import type { Interactions, OpenInteraction } from '../interactions.ts';
import { commandNamed, type PrivateCommand } from '../private-command.ts';
import type { ApiRoute, DiscordApi } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import type { MessageBody } from './message-body.ts';

export interface PrivateAnswersDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly interactions: Interactions;
}

const prefix = 'ephemeral:';
const sentShape = z.object({ id: z.string().min(1) });

/** What answers a slash command: shown to the person alone, in its place as long as the token of the command holds. */
export class PrivateAnswers {
  readonly #dependencies: PrivateAnswersDependencies;

  constructor(dependencies: PrivateAnswersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined where it answers no command, or one whose time is over: see `placeFor`. */
  async send(message: OutboundMessage, body: MessageBody): Promise<MessageRef | undefined> {
    const { interactions } = this.#dependencies;
    const { privateTo } = message;
    const interaction = privateTo === undefined ? undefined : interactions.find(commandIn(privateTo).interactionId);
    if (interaction === undefined) return undefined;
    try {
      return await this.#show(interaction, message, body);
    } catch (error) {
      if (!isOver(error)) throw error;
      interactions.forget(interaction.id);
      return undefined;
    }
  }

  /** Where a message belongs that cannot be shown in the place of its command any more: the person's direct chat. */
  async placeFor(privateTo: string, given: Conversation): Promise<Conversation> {
    if (given.kind === 'direct') return given;
    const { userId } = commandIn(privateTo);
    const body = { recipient_id: userId };
    const answer = await this.#dependencies.api.call('POST', '/users/@me/channels', { body, repeatable: true });
    const { data } = sentShape.safeParse(answer);
    if (data !== undefined) return { channel: 'discord', chatId: data.id, kind: 'direct' };
    throw new ChannelError({ type: 'transient' }, 'Discord, opening a direct chat: the answer holds none');
  }

  /** The first message takes the place of "is thinking", which can be done twice without harm; others are new ones. */
  async #show(interaction: OpenInteraction, message: OutboundMessage, body: MessageBody): Promise<MessageRef> {
    const { api, interactions } = this.#dependencies;
    const files = message.file === undefined ? [] : [message.file];
    const answer = interactions.claimFirst(interaction.id, message.id)
      ? await api.call('PATCH', `${routeOf(interaction)}/messages/@original`, {
          auth: false,
          body: changeIn(body),
          files,
          repeatable: true,
        })
      : await api.call('POST', routeOf(interaction), {
          auth: false,
          body: { ...body, flags: body.flags | MessageFlags.Ephemeral },
          files,
        });
    const { data } = sentShape.safeParse(answer);
    if (data !== undefined) return { id: `${prefix}${interaction.id}:${data.id}` };
    throw new ChannelError({ type: 'ambiguous' }, 'Discord, answering a command: the answer holds no message');
  }

  /** Whether it was one; then it is changed. Throws `ChannelError` once it cannot be changed any more. */
  async edit(ref: MessageRef, body: MessageBody): Promise<boolean> {
    const found = this.#find(ref);
    if (found === undefined) return false;
    if (found.interaction === undefined) throw over();
    const route: ApiRoute = `${routeOf(found.interaction)}/messages/${found.messageId}`;
    await this.#dependencies.api.call('PATCH', route, { auth: false, body: changeIn(body), repeatable: true });
    return true;
  }

  /** Whether it was one; then it is gone, or the person has it until he closes Discord. */
  async remove(ref: MessageRef): Promise<boolean> {
    const found = this.#find(ref);
    if (found?.interaction === undefined) return found !== undefined;
    const route: ApiRoute = `${routeOf(found.interaction)}/messages/${found.messageId}`;
    try {
      await this.#dependencies.api.call('DELETE', route, { auth: false, repeatable: true });
    } catch (error) {
      if (!isOver(error) && refusalCode(error) !== Reason.UnknownMessage) throw error;
    }
    return true;
  }

  #find({ id }: MessageRef): { interaction: OpenInteraction | undefined; messageId: string } | undefined {
    const [, interactionId, messageId] = /^ephemeral:(\d+):(\d+)$/.exec(id) ?? [];
    if (interactionId === undefined || messageId === undefined) return undefined;
    return { interaction: this.#dependencies.interactions.find(interactionId), messageId };
  }
}

/** What is for one person must not be shown to others. */
function commandIn(privateTo: string): PrivateCommand {
  const command = commandNamed(privateTo);
  if (command !== undefined) return command;
  throw new ChannelError({ type: 'permanent' }, 'Discord, answering a command: nobody knows who gave it.');
}

function changeIn({ content, components, allowed_mentions }: MessageBody): object {
  return { content, components, allowed_mentions };
}

function routeOf({ application_id, token }: OpenInteraction): ApiRoute {
  return `/webhooks/${application_id}/${encodeURIComponent(token)}`;
}

function isOver(error: unknown): boolean {
  const code = refusalCode(error);
  return code === Reason.UnknownWebhook || code === Reason.InvalidWebhookToken || code === Reason.UnknownInteraction;
}

function over(): ChannelError {
  return new ChannelError(
    { type: 'permanent' },
    'What was shown to one person as the answer to a command can be changed for a quarter of an hour only.',
  );
}
