import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionResponseType,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import type { ChannelHost, OfferedCommand } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { canonicalJson, isJsonObject, type JsonValue } from '../../src/lib/json.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { offerCommands } from '../kit/retries.ts';
import type { ApiRoute, DiscordApi } from './api.ts';
import { componentsIn, type InteractionHandle } from './payload.ts';
import type { DiscordWords } from './words.ts';

export interface FirstAnswer {
  readonly type: InteractionResponseType;
  readonly data?: object;
}

interface OpenInteraction extends Omit<InteractionHandle, 'type'> {
  /** The id of the outbound message that replaces "is thinking". */
  first?: string;
}

/** The route to answer an interaction, with its own token. */
export function webhookOf({ application_id, token }: OpenInteraction): ApiRoute {
  return `/webhooks/${application_id}/${encodeURIComponent(token)}`;
}

/** How long an interaction can be answered, in ms: a minute less than its token holds. */
export const tokenLifetime = 14 * 60_000;
const mostRemembered = 1_000;

/** Slash commands that can still be answered privately, by id. Lost on restart. */
export type Interactions = Perishable<string, OpenInteraction>;

export function createInteractions(clock: Clock): Interactions {
  return new Perishable({ clock, most: mostRemembered });
}

/** Prefix of the action id of a button that asks for a text first. */
const asking = 'ask:';
/** Prefix of the action id in a form's id. */
const filled = 'modal:';
const mostCharacters = 500;

/** The custom id of a button that asks for a text before this action. */
export function askingFor(actionId: string): string {
  return `${asking}${actionId}`;
}

/** The form to show for a press of this button. Undefined if it needs none. */
export function formFor(customId: string, words: DiscordWords): FirstAnswer | undefined {
  if (!customId.startsWith(asking)) return undefined;
  const formId = `${filled}${customId.slice(asking.length)}`;
  const component = {
    type: ComponentType.TextInput,
    custom_id: 'reason',
    style: TextInputStyle.Paragraph,
    required: false,
    max_length: mostCharacters,
    placeholder: words.formHint,
  };
  return {
    type: InteractionResponseType.Modal,
    data: {
      custom_id: formId,
      title: words.formTitle,
      components: [{ type: ComponentType.Label, label: words.formLabel, component }],
    },
  };
}

/** A form of ours: its action, and the text that the person entered, wherever the form nests it. */
export const filledForm = z
  .object({ custom_id: z.string().startsWith(filled), components: z.unknown().optional() })
  .transform(({ custom_id, components }) => ({
    actionId: custom_id.slice(filled.length),
    text: textIn(components, mostCharacters),
  }));

/** What the person entered, wherever the form nests it. */
export function textIn(components: unknown, longest: number): string {
  return componentsIn(components)
    .flatMap(({ type, value }) => (type === ComponentType.TextInput && typeof value === 'string' ? [value] : []))
    .join('\n')
    .slice(0, longest)
    .toWellFormed();
}

/** The text option of a command. */
export const wordsOption = 'text';

/**
 * Registers our commands, only if they have changed: Discord allows 200 writes a day. Retries until the signal aborts.
 */
export async function registerCommands(
  api: Pick<DiscordApi, 'call'>,
  applicationId: string,
  {
    commands,
    others,
    clock,
    log,
  }: Pick<ChannelHost, 'commands' | 'clock' | 'log'> & { readonly others: readonly JsonValue[] },
  signal: AbortSignal,
): Promise<void> {
  const route = `/applications/${applicationId}/commands` as const;
  const body = [...commands.map(registeredForm), ...others];
  const register = () => writeCommands(api, route, body, signal);
  await offerCommands(register, { platform: 'Discord', clock, log, signal });
}

async function writeCommands(
  api: Pick<DiscordApi, 'call'>,
  route: ApiRoute,
  body: readonly JsonValue[],
  signal: AbortSignal,
): Promise<void> {
  const query = { with_localizations: 'true' };
  const { data } = registeredShape.safeParse(await api.call('GET', route, { query, signal }));
  if (data !== undefined && isRegistered(data, body)) return;
  await api.call('PUT', route, { body, repeatable: true, signal });
}

/**
 * Discord has `null` where a command is not translated. A server that leaves the field out keeps no translations: all
 * else must be the same there.
 */
function isRegistered(found: readonly RegisteredCommand[], wanted: readonly JsonValue[]): boolean {
  const keepsNone = found.every((command) => command.description_localizations === undefined);
  const [there, here] = [found, wanted].map((commands) => spelling(commands, keepsNone));
  return there === here;
}

/** A command as Discord registers it. Arguments are one text. */
function registeredForm({ name, description, words, translations, suggests = false }: OfferedCommand): JsonValue {
  const localized = (of: (told: OfferedCommand['translations'][string]) => string | undefined) => ({
    description_localizations: localizations(translations, of),
  });
  const autocomplete = suggests;
  const option = { type: ApplicationCommandOptionType.String, name: wordsOption, required: false, autocomplete };
  const options = words === undefined ? [] : [{ ...option, description: words, ...localized((told) => told.words) }];
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description,
    options,
    ...localized((told) => told.description),
  };
}

/** The names of a command in other languages than English. */
export function localizedName(nameIn: (language: 'zh') => string): {
  readonly name_localizations: Record<string, string>;
} {
  return { name_localizations: { 'zh-CN': nameIn('zh') } };
}

/** Our languages by Discord's names. Of Chinese we have the simplified script. */
const locales: ReadonlyMap<string, string> = new Map([['zh', 'zh-CN']]);

function localizations(
  translations: OfferedCommand['translations'],
  of: (told: OfferedCommand['translations'][string]) => string | undefined,
): Readonly<Record<string, string>> {
  const told = Object.entries(translations).flatMap(([language, words]) => {
    const [locale, text] = [locales.get(language), of(words)];
    return locale === undefined || text === undefined ? [] : [[locale, text] as const];
  });
  return Object.fromEntries(told);
}

/** The registered commands, reduced to our fields. */
const localizationsShape = z.record(z.string(), z.string()).nullish();
const optionShape = z.object({
  type: z.number(),
  name: z.string(),
  required: z.boolean().default(false),
  autocomplete: z.boolean().default(false),
  description: z.string(),
  description_localizations: localizationsShape,
});
const registeredShape = z.array(
  z.object({
    type: z.number().default(ApplicationCommandType.ChatInput),
    name: z.string(),
    name_localizations: localizationsShape,
    description: z.string(),
    description_localizations: localizationsShape,
    options: z.array(optionShape).default([]),
  }),
);
type RegisteredCommand = z.output<typeof registeredShape>[number];

/** Independent of order. */
function spelling(commands: readonly unknown[], withoutTranslations: boolean): string {
  const told = (key: string, value: unknown): unknown => {
    if (!key.endsWith('_localizations')) return value;
    const isNone = !isJsonObject(value) || Object.keys(value).length === 0;
    return withoutTranslations || isNone ? undefined : value;
  };
  const plain: readonly JsonValue[] = jsonValues.parse(JSON.parse(JSON.stringify(commands, told)));
  return plain.map(canonicalJson).sort().join('\n');
}

const jsonValues = z.array(z.json());
