import { z } from 'zod';
import { toolCategories } from '../tools/category.ts';
import { checkCommandRule } from '../tools/guard/command/command-rules.ts';
import { parsePrivateHost } from '../tools/guard/network/host-name.ts';

/** A switch, as it is where nothing is said. */
export const on = z.boolean().default(true);
export const off = z.boolean().default(false);

/** Something must stand in it. */
export const text = z.string().min(1);

/** Empty where nothing is said. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).default([]);
}

/** A block of settings, each of which has a default or may be missing: so may the block. */
export function block<Shape extends Readonly<Record<string, z.ZodDefault | z.ZodPrefault | z.ZodOptional>>>(
  shape: Shape,
): z.ZodPrefault<z.ZodObject<Shape, z.core.$strict>>;
export function block(shape: Readonly<Record<string, z.ZodType>>) {
  return z.strictObject(shape).prefault({});
}

/** A whole number. */
export function whole(initial: number, least: number, most: number): z.ZodDefault<z.ZodNumber> {
  return z.number().int().min(least).max(most).default(initial);
}

/** At least one. */
export function count(initial: number, most: number): z.ZodDefault<z.ZodNumber> {
  return whole(initial, 1, most);
}

/** A length of time in seconds: at least one, at most a week, so that a timer can hold it. */
export function seconds(initial: number): z.ZodDefault<z.ZodNumber> {
  return count(initial, 604_800);
}

/** A size in bytes. */
export function bytes(initial: number, most = 1_073_741_824): z.ZodDefault<z.ZodNumber> {
  return count(initial, most);
}

/** A whole tool name, or a pattern with one star at its beginning or end. */
export const toolPattern = z
  .string()
  .regex(/^(\*|\*?[^*\s]+|[^*\s]+\*)$/, 'expected the name of a tool, "prefix*", "*suffix" or "*"');

/** The name of an environment variable. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable, such as "LANG"');

/** A person by the platform's immutable id: `telegram:123456`. */
export function principal(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, '"channel:id", such as "telegram:123456"');
}

/** `owner`, or a person. */
export function approver(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, '"owner" or "channel:id"', (id) => `(owner|${id})`);
}

/** A place to talk, as the logs name it: `telegram:-1001`. */
export function conversation(channelNames: readonly string[]): z.ZodString {
  return idOf(channelNames, '"channel:chat", such as "telegram:123456"');
}

function idOf(channelNames: readonly string[], form: string, patternOf = (id: string) => id): z.ZodString {
  const pattern = patternOf(`(${channelNames.map(quote).join('|')}):[^@\\s]\\S*`);
  const error = ({ input }: { readonly input?: unknown }): string => explainId(String(input), channelNames, form);
  return z.string().regex(new RegExp(`^${pattern}$`), { error });
}

/** Does not repeat the input: what was found is added where it may be shown. */
function explainId(input: string, channelNames: readonly string[], form: string): string {
  const colon = input.indexOf(':');
  if (colon === -1) return `expected ${form}`;
  if (!channelNames.includes(input.slice(0, colon))) {
    return `expected a channel before the colon (${channelNames.map((name) => `"${name}"`).join(', ')})`;
  }
  const id = input.slice(colon + 1);
  if (id.startsWith('@')) return 'expected an id that never changes, not a name that somebody else can take';
  return id === '' ? 'expected an id after the colon' : 'expected an id without spaces after the colon';
}

/** Channel names are our own, yet a name with a dot must not match anything else. */
function quote(name: string): string {
  return name.replaceAll(/[^\w]/g, '\\$&');
}

/** A pattern of tools' names, or all tools of a category. */
export const toolRule = z
  .string()
  .regex(
    new RegExp(`^(category:(${toolCategories.join('|')})|(?!category:)(\\*|\\*?[^*\\s]+|[^*\\s]+\\*))$`),
    `expected the name of a tool, "prefix*", "*suffix", "*", or "category:" with one of ${toolCategories.join(', ')}`,
  );

/** A channel, or a chat of it. */
export function toolPlace(channelNames: readonly string[]): z.ZodString {
  const pattern = new RegExp(`^(${channelNames.map(quote).join('|')})(:[^@\\s]\\S*)?$`);
  return z
    .string()
    .regex(pattern, `expected a channel (${channelNames.join(', ')}), or a chat as "telegram:-1001234567890"`);
}

/** A host by its name, or all hosts below one. */
export const domainPattern = z
  .string()
  .regex(
    /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/i,
    'expected a host such as "api.example.com" or "*.example.com", without "https://" and path',
  );

/** A host, an address or a block of addresses, with a port or without. */
export const privateHost = z.string().check((context) => {
  const host = parsePrivateHost(context.value);
  if (typeof host === 'string') context.issues.push({ code: 'custom', input: context.value, message: host });
});

/** A command, or a kind of commands, as `tools.shell.deny` and `tools.shell.allow` take them. */
export function commandRule(list: 'deny' | 'allow'): z.ZodString {
  return z.string().check((context) => {
    const message = checkCommandRule(context.value, list);
    if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message });
  });
}

export const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s/?#]+\S*$/i, 'expected a URL such as "https://search.example.com"');

/** What the operator says of tools for the rules of taint. */
export const toolWords = {
  private: z
    .boolean()
    .optional()
    .describe(
      'true: its answers are private, such as a mailbox. What could carry them out asks after untrusted content.',
    ),
  outbound: z
    .boolean()
    .optional()
    .describe('false: it reads, and no argument says where its request goes, so that it carries nothing out.'),
  trusted: z
    .union([z.boolean(), z.literal('names')])
    .optional()
    .describe(
      'true: nobody else can write into its answers, so that they do not count as untrusted content. "names": so it is where an answer is a list of names of one word each, such as channels.',
    ),
  targets: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'The arguments that say whom or what a call reaches. Left out: their names tell, such as recipient or url.',
    ),
};
