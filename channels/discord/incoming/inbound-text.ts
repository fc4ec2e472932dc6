/** What the names are of whom and what a text mentions. Undefined for those that are not known. */
export interface Names {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/** Whether a mention means us: `@` with the id of a person, `&` with that of a role. */
export type IsCall = (kind: '@' | '&', id: string) => boolean;

/** What a text says to us. */
export interface Addressing {
  /** Whether it mentions us. */
  readonly calls: boolean;
  /** The text without the mention where it only calls: at the beginning and at the end. Never empty if it was not. */
  readonly text: string;
}

/** Code is taken as it stands: there Discord shows the signs themselves. */
const signs =
  /```[\s\S]*?```|`[^`\n]+`|<@(?<user>!?\d{1,20})>|<@&(?<role>\d{1,20})>|<#(?<channel>\d{1,20})>|<a?:(?<emoji>\w{1,32}):\d{1,20}>|<t:(?<time>-?\d{1,13})(?::[a-zA-Z])?>|<\/(?<command>[^:<>]{1,100}):\d{1,20}>/g;

/** Reads what a person has written: whom it calls, and what people see in place of Discord's signs. */
export function readAddressing(content: string, isCall: IsCall, names: Names): Addressing {
  const calls = [...content.matchAll(signs)].some(({ groups: { user, role } = {} }) => {
    if (user !== undefined) return isCall('@', user.replace('!', ''));
    return role !== undefined && isCall('&', role);
  });
  const rest = calls ? withoutCalls(content, isCall) : content;
  return { calls, text: readable(rest.trim() === '' ? content.trim() : rest, names) };
}

/** The text as people see it. */
export function readable(content: string, names: Names): string {
  return content.replace(signs, (sign, ...found: unknown[]) => {
    const { user, role, channel, emoji, time, command } = groupsOf(found);
    if (user !== undefined) return prefixed('@', names.user(user.replace('!', '')), sign);
    if (role !== undefined) return prefixed('@', names.role(role), sign);
    if (channel !== undefined) return prefixed('#', names.channel(channel), sign);
    if (emoji !== undefined) return `:${emoji}:`;
    if (time !== undefined) return dateOf(Number(time)) ?? sign;
    return command === undefined ? sign : `/${command}`;
  });
}

type Groups = Readonly<Record<string, string | undefined>>;

/** `replace` gives the named groups last. */
function groupsOf(found: readonly unknown[]): Groups {
  const groups = found.at(-1);
  if (typeof groups !== 'object' || groups === null) return {};
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function prefixed(prefix: string, name: string | undefined, sign: string): string {
  return name === undefined ? sign : `${prefix}${name}`;
}

function dateOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
}

/** In the middle of a sentence a mention means something; there it stays. */
function withoutCalls(content: string, isCall: IsCall): string {
  let rest = content.trim();
  for (;;) {
    const [sign, kind, id] = /^<@([!&]?)(\d{1,20})>(?:[\s,:]+|$)/.exec(rest) ?? [];
    if (sign === undefined || id === undefined || !isCall(kind === '&' ? '&' : '@', id)) break;
    rest = rest.slice(sign.length);
  }
  const [sign, kind, id] = /\s<@([!&]?)(\d{1,20})>$/.exec(rest) ?? [];
  if (sign === undefined || id === undefined || !isCall(kind === '&' ? '&' : '@', id)) return rest;
  return rest.slice(0, -sign.length).trimEnd();
}
