import { z } from 'zod';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { schemaText } from '../lib/schema-text.ts';
import { zoneSettingFault } from '../lib/time-zone-names.ts';
import type { Words } from '../lib/words.ts';
import { checkCommandRule } from '../tools/guard/command/command-rules.ts';
import { parsePrivateHost } from '../tools/guard/network/network-rules.ts';
import { toolCategories } from '../tools/tool.ts';
import type { Environment } from './environment.ts';
import { settingWords } from './words.ts';

/** What the schema of a config depends on. */
export interface SettingsContext {
  /** The names of all channels, on or off. */
  readonly channels: readonly string[];
  /** Paths are relative to the folder of the config; where it is not known, they stay as they are. */
  readonly absolute: (path: string) => string;
  /** Undefined values are not set. */
  readonly environment: Environment;
}

/** Words without values. */
type SettingPhrase = {
  [Key in keyof typeof settingWords.en]: (typeof settingWords.en)[Key] extends string ? Key : never;
}[keyof typeof settingWords.en];

/** What a schema of the config says where a value is wrong, in each language. */
export function settingText(key: SettingPhrase): string {
  return schemaText((language) => settingWords[language][key]);
}

/** A switch, by its default. */
export const on = z.boolean().default(true);
export const off = z.boolean().default(false);

/** A string that is not empty. */
export const text = z.string().min(1);

/** A list, empty by default. */
export function listOf<Item extends z.ZodType>(item: Item, initial: readonly z.input<Item>[] = []) {
  return z.array(item).prefault([...initial]);
}

/** Settings by names that the operator chooses, none by default. */
export function mapOf<Value extends z.ZodType>(name: z.ZodString, value: Value) {
  return z.record(name, value).default({});
}

/** One of several words. */
export function choice<const Options extends readonly string[]>(options: Options, initial: Options[number]) {
  return z.enum(options).prefault(initial);
}

/** A block of settings that all have a default or are optional, and so is the block. */
export function block<Shape extends Readonly<Record<string, z.ZodDefault | z.ZodPrefault | z.ZodOptional>>>(
  shape: Shape,
): z.ZodPrefault<z.ZodObject<Shape, z.core.$strict>>;
export function block(shape: Readonly<Record<string, z.ZodType>>) {
  return z.strictObject(shape).prefault({});
}

/**
 * A block that several parts add keys to, such as `tools`: the keys of all owners are one strict block then. As in `block`,
 * each key has a default or is optional.
 */
export function shared<Shape extends Readonly<Record<string, z.ZodDefault | z.ZodPrefault | z.ZodOptional>>>(
  shape: Shape,
): z.ZodPrefault<z.ZodObject<Shape, z.core.$strip>>;
export function shared(shape: Readonly<Record<string, z.ZodType>>) {
  return z.object(shape).prefault({});
}

/** The switch of a tool, which each tool under `tools` has. */
export const toolSwitch = on.describe('false: the model does not know of this tool.');

type SwitchedTool = z.ZodPrefault<z.ZodObject<{ readonly enabled: z.ZodDefault<z.ZodBoolean> }, z.core.$strict>>;

/** The settings of a tool that has only a switch. */
export function switchedTool(words: string): SwitchedTool {
  return block({ enabled: toolSwitch }).describe(words);
}

/** The same for several tools, by what is said of each. */
export function switchedTools<Name extends string>(
  described: Readonly<Record<Name, string>>,
): Readonly<Record<Name, SwitchedTool>>;
export function switchedTools(described: Readonly<Record<string, string>>): Readonly<Record<string, SwitchedTool>> {
  return Object.fromEntries(Object.entries(described).map(([name, words]) => [name, switchedTool(words)]));
}

/** An integer. */
export function whole(initial: number, least: number, most: number): z.ZodDefault<z.ZodNumber> {
  return z.number().int().min(least).max(most).default(initial);
}

/** At least one. */
export function count(initial: number, most: number): z.ZodDefault<z.ZodNumber> {
  return whole(initial, 1, most);
}

/** A duration in seconds: at least 1, at most a week, so that a timer can hold it. */
export function seconds(initial: number): z.ZodDefault<z.ZodNumber> {
  return count(initial, 604_800);
}

export function bytes(initial: number, most = 1_073_741_824): z.ZodDefault<z.ZodNumber> {
  return count(initial, most);
}

/** A tool name, or a pattern with one star at its beginning or end. */
export const toolPattern = z.string().regex(/^(\*|\*?[^*\s]+|[^*\s]+\*)$/, settingText('tool'));

/** The same where a category would match nothing. */
export const toolNamePattern = toolPattern.refine((name) => !name.includes(':'), settingText('onlyToolNames'));

/** The name of a tool that the operator makes. */
export const ownToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, settingText('ownToolName'));

export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, settingText('variable'));

/** A person by the platform's immutable id: `telegram:123456`. */
export function principal(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, 'person');
}

/** `owner`, or a person. */
export function approver(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, 'approver', (channel, id) => `(owner|${channel}${id})`);
}

/** A conversation, as logs name it: `telegram:-1001`. */
export function conversation(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, 'conversation');
}

/** A channel, or one of its chats. */
export function toolPlace(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, 'place', (channel, id) => `${channel}(${id})?`);
}

/** Never a name, which somebody else could take. */
function idOf(
  channelNames: readonly string[],
  form: 'person' | 'approver' | 'conversation' | 'place',
  pattern = (channel: string, id: string) => channel + id,
) {
  // Channel names are our own, but a dot in one must match only a dot.
  const names = channelNames.map((name) => name.replaceAll(/[^\w]/g, '\\$&'));
  const expected = (id: unknown): string => {
    const channel = String(id).split(':', 1)[0] ?? '';
    const meant = channelNames.includes(channel) ? undefined : nearest(channel, channelNames);
    return schemaText((language) => settingWords[language][form]({ channels: oneOf(channelNames, language), meant }));
  };
  const ids = new RegExp(`^${pattern(`(${names.join('|')})`, ':[^@\\s]\\S*')}$`);
  return z.string().regex(ids, { error: ({ input }) => expected(input) });
}

/** A pattern of tool names, or all tools of a category. */
export const toolRule = z.string().regex(
  new RegExp(`^(category:(${toolCategories.join('|')})|(?!category:)(\\*|\\*?[^*\\s]+|[^*\\s]+\\*))$`),
  schemaText((language) => settingWords[language].toolRule({ categories: toolCategories })),
);

/** A host name, or all hosts below one. */
export const domainPattern = z.string().regex(/^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/i, settingText('domain'));

/** A host, an address or a block of addresses, with or without a port. */
export const privateHost = checkedText((host) => {
  const parsed = parsePrivateHost(host);
  return typeof parsed === 'function' ? parsed : undefined;
});

/** A command or a kind of commands, for `tools.shell.deny` and `tools.shell.allow`. */
export function commandRule(list: 'deny' | 'allow'): z.ZodString {
  return checkedText((rule) => checkCommandRule(rule, list));
}

/** An IANA time zone. */
export const timeZone = checkedText(zoneSettingFault);

const workspacePlaceholders = ['{channel}', '{chat_id}', '{thread_id}', '{sender}'];

/** A path that may contain placeholders, which give conversations their own folders. */
const workspaceTemplate = checkedText((template) => {
  const found = Array.from(template.matchAll(/\{[^{}]*\}?|\}/g), ([braces]) => braces);
  const unknown = found.find((braces) => !workspacePlaceholders.includes(braces));
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, workspacePlaceholders);
  return (language) => settingWords[language].placeholders({ known: workspacePlaceholders, meant });
}).min(1);

/** A path, which the config has as an absolute one. */
export function pathIn({ absolute }: SettingsContext): z.ZodString {
  return text.overwrite(absolute);
}

/** The same of a folder that may contain placeholders. */
export function workspaceIn({ absolute }: SettingsContext): z.ZodString {
  return workspaceTemplate.overwrite(absolute);
}

/** A string; `faultOf` tells what is wrong with it. */
function checkedText(faultOf: (value: string) => Words | undefined): z.ZodString {
  return z.string().check(({ value, issues }) => {
    const fault = faultOf(value);
    if (fault !== undefined) issues.push({ code: 'custom', input: value, message: schemaText(fault) });
  });
}

export const httpUrl = z.string().regex(/^https?:\/\/[^\s/?#]+\S*$/i, settingText('httpUrl'));

/** A token of RFC 9110. */
export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, settingText('headerName'))
  .refine((header) => !ownHeaders.test(header), settingText('headerOfOurs'));

const ownHeaders = /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Values that HTTP can carry: no line breaks or other controls, only Latin-1. */
export const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, settingText('headerValue'));

/** The operator's settings of tools for the taint rules. */
export const toolWords = {
  private: z
    .optional(z.boolean())
    .describe(
      'true: its results are private, like a mailbox. After untrusted content, calls that could leak them ask.',
    ),
  outbound: z
    .optional(z.boolean())
    .describe('false: it only reads, and no argument chooses where its request goes, so it cannot leak anything.'),
  trusted: z
    .optional(z.union([z.boolean(), z.literal('names')]))
    .describe(
      'true: nobody else can write into its results, so they are not untrusted content. "names": this holds for results that are lists of one-word names, such as channels.',
    ),
  targets: z
    .optional(z.array(z.string().min(1)))
    .describe('The arguments that say whom or what a call reaches. Default: judged by their names, such as url.'),
  own_words: z
    .optional(z.boolean())
    .describe(
      'true: after untrusted content, a call asks no more than before if the person has requested something and written all of its arguments. false: it always asks then. Default: judged by what its name says that it does.',
    ),
  free_text: z
    .optional(z.array(z.string().min(1)))
    .describe('The arguments that are texts, worded by the model. Default: judged by their names, such as body.'),
};

/** The values of keys that a function of the context makes. */
export type ValuesOf<Keys extends (context: SettingsContext) => z.ZodType> = z.output<ReturnType<Keys>>;
