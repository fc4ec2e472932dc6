import { InteractionContextType, InteractionResponseType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import type { ChannelHost, Conversation, InboundEvent, Receipt, Sender } from '../../../src/contract.ts';
import type { Background } from '../../../src/lib/background.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import { actionOfForm, formFor, wordsIn } from '../deny-form.ts';
import { type Interactions, tokenLifetime } from '../interactions.ts';
import { privateName } from '../private-command.ts';
import { wordsOption } from '../register-commands.ts';
import { instantOf } from '../web-api/snowflake.ts';
import type { Callbacks, FirstAnswer } from './callbacks.ts';
import type { Lanes } from './lanes.ts';
import {
  commandShape,
  type DiscordInteraction,
  formShape,
  type InteractionDoor,
  interactionDoorShape,
  interactionShape,
  pressShape,
} from './payload.ts';
import type { Places } from './places.ts';
import { type DiscordSelf, senderOf } from './sender.ts';

export interface InteractionIntakeDependencies {
  readonly host: ChannelHost;
  readonly callbacks: Callbacks;
  readonly lanes: Lanes;
  readonly places: Places;
  readonly interactions: Pick<Interactions, 'remember' | 'forget'>;
  readonly background: Background;
  readonly self: () => DiscordSelf;
  readonly signal: AbortSignal;
}

/** What people press, command and fill in. Each is answered at once, whatever the store does. */
export class InteractionIntake {
  readonly #dependencies: InteractionIntakeDependencies;

  constructor(dependencies: InteractionIntakeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes a payload of any shape. Resolves once what it says is stored. */
  async take(payload: unknown): Promise<void> {
    const { callbacks, self, host } = this.#dependencies;
    const { data: door } = interactionDoorShape.safeParse(payload);
    if (door === undefined) return host.log.debug({}, 'an interaction could not be read');
    if (door.application_id !== self().applicationId) return callbacks.refuse(door, 'This belongs to another app.');
    const { data: interaction } = interactionShape.safeParse(payload);
    switch (door.type) {
      case InteractionType.ApplicationCommand:
        return this.#command(door, interaction);
      case InteractionType.MessageComponent:
        return this.#press(door, interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        await callbacks.answer(door, {
          type: InteractionResponseType.ApplicationCommandAutocompleteResult,
          data: { choices: [] },
        });
        return;
      case InteractionType.ModalSubmit:
        return this.#form(door, interaction);
      default:
        return callbacks.refuse(door, unknownWords);
    }
  }

  async #press(door: InteractionDoor, interaction: DiscordInteraction | undefined): Promise<void> {
    const { callbacks, background } = this.#dependencies;
    const { data: press } = pressShape.safeParse(interaction?.data);
    const sender = interaction && senderIn(interaction);
    if (interaction === undefined || press === undefined || sender === undefined)
      return callbacks.refuse(door, unknownWords);
    const form = formFor(press.custom_id);
    if (form !== undefined) {
      await callbacks.answer(door, form);
      return;
    }
    const acknowledged = callbacks.answer(door, untouched);
    const receipt = await this.#act(interaction, { sender, actionId: press.custom_id });
    background.run('a press could not be answered', async () => {
      await acknowledged;
      if (receipt?.notice !== undefined) await callbacks.tell(door, receipt.notice);
    });
  }

  async #form(door: InteractionDoor, interaction: DiscordInteraction | undefined): Promise<void> {
    const { callbacks, background } = this.#dependencies;
    const { data: form } = formShape.safeParse(interaction?.data);
    const actionId = form && actionOfForm(form.custom_id);
    const sender = interaction && senderIn(interaction);
    if (interaction === undefined || form === undefined || actionId === undefined || sender === undefined)
      return callbacks.refuse(door, unknownWords);
    // Without a message below it there is none to leave as it is.
    const hasMessage = interaction.message !== undefined && interaction.message !== null;
    const acknowledged = callbacks.answer(door, hasMessage ? untouched : thinking);
    const receipt = await this.#act(interaction, { sender, actionId, text: wordsIn(form.components) });
    background.run('a form could not be answered', async () => {
      await acknowledged;
      if (!hasMessage) await callbacks.fill(door, receipt === undefined ? unknownWords : (receipt.notice ?? 'Done.'));
      else if (receipt?.notice !== undefined) await callbacks.tell(door, receipt.notice);
    });
  }

  #act(
    interaction: DiscordInteraction,
    action: { readonly sender: Sender; readonly actionId: string; readonly text?: string },
  ): Promise<Receipt | undefined> {
    // Nothing that was said there before holds it up.
    return this.#receive(`${interaction.channel_id}:presses`, interaction, (conversation) => ({
      type: 'action',
      key: interaction.id,
      conversation,
      ...action,
    }));
  }

  async #command(door: InteractionDoor, interaction: DiscordInteraction | undefined): Promise<void> {
    const { callbacks, interactions, background, signal } = this.#dependencies;
    const { data: command } = commandShape.safeParse(interaction?.data);
    const sender = interaction && senderIn(interaction);
    if (interaction === undefined || command === undefined || sender === undefined)
      return callbacks.refuse(door, unknownWords);
    const acknowledged = callbacks.answer(door, thinking).then((isDone) => {
      if (isDone) interactions.remember(door);
    });
    const words = command.options.find(({ name }) => name === wordsOption)?.value ?? '';
    let place: Conversation | undefined;
    const receipt = await this.#receive(interaction.channel_id, interaction, async (conversation) => {
      place = conversation;
      // An answer must find the place for it.
      await acknowledged;
      return {
        type: 'message',
        key: interaction.id,
        conversation,
        sender,
        text: `/${command.name} ${words}`.trim(),
        addressed: true,
        sentAt: instantOf(interaction.id),
        privateTo: privateName({ userId: sender.id, interactionId: interaction.id }),
      };
    });
    // It comes again, to whoever stores it.
    if (receipt === undefined && signal.aborted) return;
    const where = place;
    background.run('a command could not be brought to its end', () => this.#end(door, where, receipt?.notice));
  }

  /** Nobody looks at "is thinking" for ever, whatever came of the command. */
  async #end(door: InteractionDoor, place: Conversation | undefined, notice: string | undefined): Promise<void> {
    const { host, callbacks, interactions, signal } = this.#dependencies;
    const { clock } = host;
    const waits = notice === undefined && place !== undefined;
    const idle = waits ? host.whenIdle(place) : Promise.resolve();
    const isIdle = await endsWithin(idle, { clock, milliseconds: tokenLifetime, signal });
    if (!(await callbacks.isThinking(door))) return;
    interactions.forget(door.id);
    if (notice !== undefined) return callbacks.fill(door, notice);
    // The next process answers.
    if (signal.aborted) return callbacks.clear(door);
    await callbacks.fill(door, isIdle ? unansweredWords : laterWords);
  }

  /** Undefined if it could not be stored before the session was over. */
  async #receive(
    lane: string,
    interaction: DiscordInteraction,
    toEvent: (conversation: Conversation) => InboundEvent | Promise<InboundEvent>,
  ): Promise<Receipt | undefined> {
    const { host, lanes, places } = this.#dependencies;
    let receipt: Receipt | undefined;
    await lanes.run(lane, async () => {
      const conversation = this.#placeOf(interaction) ?? (await places.learn(interaction.channel_id));
      receipt = await host.receive(await toEvent(conversation));
    });
    return receipt;
  }

  /** The same conversation as that of the messages there. */
  #placeOf({ channel_id, guild_id, channel, context }: DiscordInteraction): Conversation | undefined {
    const { places } = this.#dependencies;
    const known = places.find(channel_id);
    if (known !== undefined) return known;
    // A chat between other people, in one of which the app is at hand.
    if (context === InteractionContextType.PrivateChannel && typeof guild_id !== 'string')
      return { channel: 'discord', chatId: channel_id, kind: 'group' };
    if (channel !== undefined && channel.id === channel_id) places.add(channel, guild_id ?? channel.guild_id);
    return places.find(channel_id);
  }
}

/** The message with the button stays as it is. */
const untouched: FirstAnswer = { type: InteractionResponseType.DeferredMessageUpdate };
const thinking: FirstAnswer = {
  type: InteractionResponseType.DeferredChannelMessageWithSource,
  data: { flags: MessageFlags.Ephemeral },
};

const unknownWords = 'This does nothing here, or not any more.';
const unansweredWords = 'I do not answer that here: my config says where I talk, and with whom.';
const laterWords = 'This takes longer than Discord waits for it. The answer comes as a direct message.';

/** In a guild the person stands in the member. */
function senderIn({ member, user, guild_id }: DiscordInteraction): Sender | undefined {
  const author = member?.user ?? user ?? undefined;
  return author && senderOf({ author, ...(member && { member }) }, typeof guild_id === 'string');
}
