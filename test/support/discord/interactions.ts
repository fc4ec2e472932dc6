import type { APIUser } from 'discord.js';
import { readableText } from './message-text.ts';
import { messageFlags, type StoredMessage } from './messages.ts';
import type { ModalForm } from './modal.ts';
import { Refusal, unknownThing } from './refusal.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { DiscordTimes } from './times.ts';

/** The bot's first answer to a press, a command or a form. */
export interface InteractionAnswer {
  /** 4 and 5 are a message, at once or later; 6 and 7 change the message that was pressed; 9 is a form. */
  readonly type: 4 | 5 | 6 | 7 | 9;
  /** What it says. Empty if it says nothing yet. */
  readonly text: string;
  /** Whether only the person sees it. */
  readonly ephemeral: boolean;
  readonly modal?: ModalForm;
}

/** A press, a command or a form as the person sees it now. */
export interface ShownInteraction {
  readonly id: string;
  readonly userId: string;
  readonly channelId: string;
  readonly answer: InteractionAnswer | undefined;
  /** What is shown to the person alone, from top to bottom. */
  readonly ephemeral: readonly string[];
  /** "The application did not respond": nobody answered in time. */
  readonly hasFailed: boolean;
}

export interface NewInteraction {
  /** 2 is a command, 3 a press, 5 a form. */
  readonly type: 2 | 3 | 5;
  readonly channelId: string;
  readonly user: APIUser;
  /** The message whose button was pressed. */
  readonly message?: { readonly id: string; readonly channelId: string };
}

export interface StoredInteraction extends NewInteraction {
  readonly id: string;
  readonly token: string;
  readonly at: number;
  answer: InteractionAnswer | undefined;
  /** The message that `@original` means, and where it stands. */
  original: { readonly id: string; readonly isHidden: boolean } | undefined;
  /** The messages that only the person sees. */
  readonly hidden: Map<string, StoredMessage>;
}

interface Dependencies {
  readonly snowflakes: Snowflakes;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** What people pressed and asked for, and how it was answered. */
export class Interactions {
  readonly #dependencies: Dependencies;
  readonly #all = new Map<string, StoredInteraction>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  open(given: NewInteraction): StoredInteraction {
    const id = this.#dependencies.snowflakes.next();
    const token = `interaction-token-${id}`;
    const made = { ...given, id, token, at: this.#dependencies.now(), hidden: new Map() };
    const interaction: StoredInteraction = { ...made, answer: undefined, original: undefined };
    this.#all.set(id, interaction);
    return interaction;
  }

  /** For people and tests, who know what there is. */
  get(id: string): StoredInteraction {
    const interaction = this.#all.get(id);
    if (interaction === undefined) throw new Error(`There is no interaction ${id}.`);
    return interaction;
  }

  /** One that may be answered for the first time now. Throws a refusal if it may not. */
  answerable(id: string, token: string): StoredInteraction {
    const interaction = this.#all.get(id);
    if (interaction === undefined || interaction.token !== token) throw unknownThing(10062, 'interaction');
    if (interaction.answer !== undefined) throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
    if (this.#age(interaction) > this.#dependencies.times.interaction) throw unknownThing(10062, 'interaction');
    return interaction;
  }

  /** One that was answered and whose token is still good. Throws a refusal if it is not. */
  answered(token: string): StoredInteraction {
    const interaction = [...this.#all.values()].find((candidate) => candidate.token === token);
    if (interaction?.answer === undefined) throw unknownThing(10015, 'Webhook');
    if (this.#age(interaction) > this.#dependencies.times.interactionToken)
      throw new Refusal(401, 50027, 'Invalid Webhook Token');
    return interaction;
  }

  shown(id: string): ShownInteraction {
    const interaction = this.get(id);
    const visible = [...interaction.hidden.values()].filter(({ flags }) => (flags & messageFlags.loading) === 0);
    return {
      id,
      userId: interaction.user.id,
      channelId: interaction.channelId,
      answer: interaction.answer,
      ephemeral: visible.map(readableText),
      hasFailed: interaction.answer === undefined && this.#age(interaction) > this.#dependencies.times.interaction,
    };
  }

  get ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  forget(): void {
    this.#all.clear();
  }

  #age({ at }: StoredInteraction): number {
    return this.#dependencies.now() - at;
  }
}
