import type { APIMessage } from 'discord.js';
import { z } from 'zod';
import type { BotMessages } from './bot-messages.ts';
import { applicationId } from './bot-user.ts';
import { readForm } from './form.ts';
import type { InteractionAnswer, Interactions, StoredInteraction } from './interactions.ts';
import { readChange, readNewMessage } from './message-body.ts';
import { readableText } from './message-text.ts';
import type { MessageWire } from './message-wire.ts';
import { type Messages, messageFlags, type NewMessage, type StoredMessage } from './messages.ts';
import { modalForm, shownModal } from './modal.ts';
import type { Places } from './places.ts';
import type { Posts } from './posts.ts';
import { invalidForm, unknownThing } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Wire } from './wire.ts';

interface Dependencies {
  readonly botMessages: BotMessages;
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly snowflakes: Snowflakes;
  readonly wire: MessageWire;
  readonly now: () => number;
}

const types = z.union([z.literal(4), z.literal(5), z.literal(6), z.literal(7), z.literal(9)]);
const callbackForm = z.object({ type: types, data: z.unknown().optional() });
const flagsForm = z.looseObject({ flags: z.number().int().default(0) });

/** The routes that answer presses, commands and forms; the interaction's token speaks for the bot. */
export class InteractionRoutes {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  callback(request: RouteRequest): Wire | undefined {
    const { interactions } = this.#dependencies;
    const interaction = interactions.answerable(pathPart(request, 'interaction'), pathPart(request, 'token'));
    const { type, data } = readForm(callbackForm, request.json);
    interaction.answer = this.#answer(interaction, type, { ...request, json: data });
    if (request.query.with_response !== 'true') return undefined;
    const { id, original } = interaction;
    const message = original === undefined ? undefined : this.#wireOriginal(interaction);
    const told = { id, type: interaction.type, response_message_id: original?.id };
    return { interaction: told, resource: { type, ...(message !== undefined && { message }) } };
  }

  followUp(request: RouteRequest): APIMessage {
    const interaction = this.#interaction(request);
    const { original } = interaction;
    const first = original === undefined ? undefined : this.#find(interaction, original.id);
    // The first one takes the place of "is thinking".
    if (first !== undefined && (first.flags & messageFlags.loading) !== 0)
      return this.#change(interaction, first, request);
    const body = readNewMessage(request);
    const made = this.#dependencies.botMessages.make(this.#channel(interaction), body);
    return this.#dependencies.wire.answer(this.#show(interaction, made));
  }

  getMessage(request: RouteRequest): APIMessage {
    return this.#dependencies.wire.answer(this.#message(this.#interaction(request), request));
  }

  changeMessage(request: RouteRequest): APIMessage {
    const interaction = this.#interaction(request);
    return this.#change(interaction, this.#message(interaction, request), request);
  }

  deleteMessage(request: RouteRequest): undefined {
    const interaction = this.#interaction(request);
    const message = this.#message(interaction, request);
    if (!interaction.hidden.delete(message.id)) this.#dependencies.posts.remove(message);
  }

  #answer(interaction: StoredInteraction, type: InteractionAnswer['type'], request: RouteRequest): InteractionAnswer {
    switch (type) {
      case 4:
        return this.#answerWithMessage(interaction, request);
      case 5:
        return this.#answerLater(interaction, request);
      case 6:
      case 7:
        return this.#answerWithChange(interaction, type, request);
      case 9: {
        if (interaction.type === 5) throw wrongType();
        const modal = shownModal(readForm(z.object({ data: modalForm }), { data: request.json }).data);
        return { type, text: '', ephemeral: true, modal };
      }
    }
  }

  #answerWithMessage(interaction: StoredInteraction, request: RouteRequest): InteractionAnswer {
    const made = this.#dependencies.botMessages.make(this.#channel(interaction), readNewMessage(request));
    const { id, flags } = this.#show(interaction, made);
    const ephemeral = isEphemeral(flags);
    interaction.original = { id, isHidden: ephemeral };
    return { type: 4, text: readableText(made), ephemeral };
  }

  #answerLater(interaction: StoredInteraction, request: RouteRequest): InteractionAnswer {
    const { flags } = readForm(flagsForm, request.json ?? {});
    const body = { content: '', embeds: [], components: [], files: [], allowed: undefined };
    const waiting = { ...body, flags: (flags & messageFlags.ephemeral) | messageFlags.loading };
    const { id } = this.#show(interaction, this.#dependencies.botMessages.make(this.#channel(interaction), waiting));
    interaction.original = { id, isHidden: isEphemeral(flags) };
    return { type: 5, text: '', ephemeral: isEphemeral(flags) };
  }

  #answerWithChange(interaction: StoredInteraction, type: 6 | 7, request: RouteRequest): InteractionAnswer {
    const { messages } = this.#dependencies;
    if (interaction.message === undefined) throw wrongType();
    const message = messages.find(interaction.message.channelId, interaction.message.id);
    interaction.original = { id: interaction.message.id, isHidden: false };
    if (type === 6) return { type, text: '', ephemeral: false };
    if (message === undefined) throw unknownThing(10008, 'Message');
    const changed = this.#change(interaction, message, request);
    return { type, text: changed.content, ephemeral: false };
  }

  /** In the channel, or to the person alone. */
  #show(interaction: StoredInteraction, made: NewMessage): StoredMessage {
    const { posts, snowflakes, now } = this.#dependencies;
    const { id, type, user, channelId } = interaction;
    const message = { ...made, type: type === 2 ? 20 : 0, interaction: { id, type, user } };
    if (!isEphemeral(made.flags)) return posts.add(channelId, message);
    const times = { sentAt: now(), edits: 0, reactions: new Map() };
    const hidden: StoredMessage = { ...message, ...times, id: snowflakes.next(), channelId };
    interaction.hidden.set(hidden.id, hidden);
    return hidden;
  }

  #change(interaction: StoredInteraction, message: StoredMessage, request: RouteRequest): APIMessage {
    const { botMessages, posts, wire } = this.#dependencies;
    const body = readChange(request, message);
    const channel = this.#channel(interaction);
    const content = botMessages.changed(channel, message, { ...body, flags: body.flags & ~messageFlags.loading });
    if (!interaction.hidden.has(message.id)) return wire.answer(posts.change(message, content));
    const changed = { ...message, ...content, edits: message.edits + 1 };
    interaction.hidden.set(message.id, changed);
    return wire.answer(changed);
  }

  #interaction(request: RouteRequest): StoredInteraction {
    if (pathPart(request, 'application') !== applicationId) throw unknownThing(10015, 'Webhook');
    return this.#dependencies.interactions.answered(pathPart(request, 'token'));
  }

  #message(interaction: StoredInteraction, request: RouteRequest): StoredMessage {
    const named = pathPart(request, 'message');
    const id = named === '@original' ? interaction.original?.id : named;
    const message = id === undefined ? undefined : this.#find(interaction, id);
    if (message === undefined) throw unknownThing(10008, 'Message');
    return message;
  }

  #find({ hidden, channelId }: StoredInteraction, id: string): StoredMessage | undefined {
    return hidden.get(id) ?? this.#dependencies.messages.find(channelId, id);
  }

  #wireOriginal(interaction: StoredInteraction): APIMessage | undefined {
    const message = this.#find(interaction, interaction.original?.id ?? '');
    return message === undefined ? undefined : this.#dependencies.wire.answer(message);
  }

  #channel({ channelId }: StoredInteraction) {
    return this.#dependencies.places.get(channelId);
  }
}

function isEphemeral(flags: number): boolean {
  return (flags & messageFlags.ephemeral) !== 0;
}

function wrongType() {
  return invalidForm([{ path: ['type'], code: 'BASE_TYPE_CHOICES', message: 'Not for this kind of interaction.' }]);
}
