import type { ToolCategory } from './category.ts';
import type { ToolScope } from './tool.ts';

/** Whether a pattern matches the whole name: `*`, `prefix*`, `*suffix` or the name itself. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1));
  return pattern === name;
}

/** Offers the tools of `only` that are not `disabled`. Entries are patterns of names, or `category:shell`. */
export interface OfferList {
  readonly disabled: readonly string[];
  readonly only: readonly string[];
}

/** What is offered everywhere, and limits by place: a channel `telegram`, or a chat of it, `telegram:-1001`. */
export interface OfferRules {
  readonly everywhere: OfferList;
  readonly places: Readonly<Record<string, OfferList>>;
}

export const everythingOffered: OfferRules = { everywhere: { disabled: [], only: ['*'] }, places: {} };
export interface Offered {
  readonly name: string;
  readonly category: ToolCategory;
}

/** Whether a tool is offered in the scope. Every list about the place must allow it. */
export function offeredIn({ everywhere, places }: OfferRules, scope: ToolScope): (tool: Offered) => boolean {
  const lists = namesOf(scope).flatMap((name) => (Object.hasOwn(places, name) ? (places[name] ?? []) : []));
  const { only = [] } = scope.within ?? {};
  return (tool) =>
    allows(everywhere, tool) && lists.every((list) => allows(list, tool)) && only.every((list) => fits(list, tool));
}

/** Whether it is offered outside the places with lists of their own. */
export function isOfferedSomewhere({ everywhere }: OfferRules, tool: Offered): boolean {
  return allows(everywhere, tool);
}

function allows({ disabled, only }: OfferList, tool: Offered): boolean {
  return fits(only, tool) && !fits(disabled, tool);
}

function fits(entries: readonly string[], { name, category }: Offered) {
  return entries.includes(`category:${category}`) || matchesAny(entries, name);
}

/** The names that the config may use for the place, widest first. */
function namesOf({ channel, tenant, chatId, conversationId }: ToolScope): readonly string[] {
  const inTenant = tenant === undefined ? [] : [`${channel}:${tenant}`, `${channel}:${tenant}/${chatId}`];
  return [...new Set([channel, ...inTenant, `${channel}:${chatId}`, conversationId])];
}
