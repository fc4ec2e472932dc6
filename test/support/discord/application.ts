import { z } from 'zod';
import { applicationId } from './bot-user.ts';
import { ownMistake, readForm } from './form.ts';
import { intents } from './intents.ts';
import type { Wire } from './wire.ts';

/** What an application may be told, by the bits of its flags: the real one, and the one for small bots. */
const grants = [
  { intent: intents.guildPresences, flags: (1 << 12) | (1 << 13) },
  { intent: intents.guildMembers, flags: (1 << 14) | (1 << 15) },
  { intent: intents.messageContent, flags: (1 << 18) | (1 << 19) },
];
/** The only ones that an application can change by itself. */
const limitedFlags = (1 << 13) | (1 << 15) | (1 << 19);

const changes = z.object({
  flags: z.number().int().optional(),
  description: z.string().max(400).optional(),
  interactions_endpoint_url: z.string().nullish(),
});

/** The application that the bot belongs to. */
export class Application {
  readonly id = applicationId;
  #flags = 1 << 19;
  #description = '';
  /** Where interactions go. The gateway does not tell of them then. */
  interactionsEndpoint: string | null = null;

  get flags(): number {
    return this.#flags;
  }

  /** What its owner has switched on. */
  set flags(flags: number) {
    this.#flags = flags;
  }

  get mayReadMessages(): boolean {
    return this.mayBeTold(intents.messageContent);
  }

  mayBeTold(wanted: number): boolean {
    return grants.every(({ intent, flags }) => (wanted & intent) === 0 || (this.#flags & flags) !== 0);
  }

  wire(): Wire {
    return {
      id: this.id,
      name: 'Keyturn',
      icon: null,
      description: this.#description,
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: 'f'.repeat(64),
      flags: this.#flags,
      flags_new: String(this.#flags),
      hook: true,
      interactions_endpoint_url: this.interactionsEndpoint,
      owner: { id: '1100000000000000003', username: 'maker', discriminator: '0', global_name: null, avatar: null },
      team: null,
    };
  }

  /** Throws a refusal if a flag is changed that only Discord can change. */
  change(body: unknown): Wire {
    const { flags, description, interactions_endpoint_url: endpoint } = readForm(changesFrom(this.#flags), body);
    this.#flags = flags ?? this.#flags;
    this.#description = description ?? this.#description;
    if (endpoint !== undefined) this.interactionsEndpoint = endpoint;
    return this.wire();
  }
}

function changesFrom(before: number) {
  return changes.superRefine(({ flags = before }, context) => {
    if (((flags ^ before) & ~limitedFlags) !== 0)
      context.addIssue(ownMistake('APPLICATION_FLAGS_INVALID', 'Only limited intent flags can be changed.', ['flags']));
  });
}
