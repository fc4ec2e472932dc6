import { z } from 'zod';
import { applicationId } from './bot-user.ts';
import { ownMistake, readForm } from './form.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Wire } from './wire.ts';

const name = z.string().regex(/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u);
const lowerName = name.refine((text) => text === text.toLowerCase(), 'Must be in lower case.');
const optionForm = z.looseObject({
  type: z.number().int().min(1).max(11),
  name: lowerName,
  description: z.string().min(1).max(100),
  required: z.boolean().optional(),
  choices: z
    .array(z.looseObject({ name: z.string().min(1).max(100) }))
    .max(25)
    .optional(),
});
const commandForm = z
  .looseObject({
    type: z.number().int().min(1).max(4).default(1),
    name: z.string().min(1).max(32),
    description: z.string().max(100).default(''),
    options: z.array(optionForm).max(25).default([]),
  })
  .superRefine(({ type, name: given, description, options }, context) => {
    if (type === 1 && !lowerName.safeParse(given).success)
      context.addIssue(ownMistake('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid', ['name']));
    if (type === 1 && description === '')
      context.addIssue(ownMistake('BASE_TYPE_REQUIRED', 'This field is required', ['description']));
    const firstOptional = options.findIndex(({ required }) => required !== true);
    const lastRequired = options.findLastIndex(({ required }) => required === true);
    const words = 'Required options must be placed before non-required options';
    if (firstOptional !== -1 && firstOptional < lastRequired)
      context.addIssue(ownMistake('APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', words, ['options', lastRequired]));
  });
const listForm = z
  .array(commandForm)
  .max(100)
  .superRefine((commands, context) => {
    const names = commands.map((command) => `${command.type} ${command.name}`);
    const words = 'Application command names must be unique';
    if (new Set(names).size < names.length) context.addIssue(ownMistake('APPLICATION_COMMANDS_DUPLICATE_NAME', words));
  });

/** A command that people can pick. */
export interface RegisteredCommand {
  readonly id: string;
  readonly name: string;
  readonly type: number;
  readonly description: string;
  readonly options: readonly unknown[];
}

/** The commands that the bot has registered: for everybody, or for one guild. */
export class Commands {
  readonly #snowflakes: Snowflakes;
  /** For everybody by the empty id. */
  readonly #registered = new Map<string, readonly RegisteredCommand[]>();
  /** How often a list was written. */
  writes = 0;

  constructor(snowflakes: Snowflakes) {
    this.#snowflakes = snowflakes;
  }

  /** Puts a list in the place of the one there was. A command that has the same name keeps its id. */
  replace(body: unknown, guildId = ''): readonly Wire[] {
    const list = readForm(listForm, body);
    const before = this.list(guildId);
    this.writes += 1;
    const commands = list.map((command) => {
      const known = before.find((old) => old.name === command.name && old.type === command.type);
      return { ...command, id: known?.id ?? this.#snowflakes.next() };
    });
    this.#registered.set(guildId, commands);
    return this.wire(guildId);
  }

  list(guildId = ''): readonly RegisteredCommand[] {
    return this.#registered.get(guildId) ?? [];
  }

  /** A command that can be picked there: one of the guild, or one for everybody. */
  find(wanted: string, guildId: string | undefined): RegisteredCommand | undefined {
    const here = guildId === undefined ? [] : this.list(guildId);
    return [...here, ...this.list()].find((command) => command.name === wanted);
  }

  wire(guildId = ''): readonly Wire[] {
    const place = guildId === '' ? {} : { guild_id: guildId };
    const shared = { application_id: applicationId, version: '1', default_member_permissions: null, nsfw: false };
    return this.list(guildId).map((command) => ({ ...command, ...shared, ...place }));
  }
}
