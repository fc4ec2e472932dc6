import { oneLine } from '../../../lib/plain-text.ts';
import type { ToolScope } from '../../tool.ts';
import type { Address } from './courier.ts';

export interface AddressSearch {
  /** All that the person may write to. */
  readonly known: readonly Address[];
  /** Whether its channel is switched on. */
  readonly reaches: (address: Address) => boolean;
  /** The conversation that is written from. Where others read what is said of it, other places are not listed. */
  readonly from: Pick<ToolScope, 'conversationId' | 'kind'>;
}

export type FoundAddress =
  | { readonly found: true; readonly address: Address }
  /** In words for the model. */
  | { readonly found: false; readonly message: string };

const mostListed = 20;

/** Finds the one conversation that `to` means: its id, its title, or the person in it. Tells of none but those known. */
export function findAddress(to: string, { known, reaches, from }: AddressSearch): FoundAddress {
  const matches = matching(to.trim(), known);
  const [match] = matches;
  if (match === undefined) {
    const others = known.filter((address) => address.id !== from.conversationId && reaches(address));
    return refuse(`There is no conversation ${quote(to)} that you may write to. ${listing(others, from)}`);
  }
  if (matches.length > 1) return refuse(`${quote(to)} could be any of several. ${listing(matches, from)}`);
  if (match.id === from.conversationId) return refuse('That is the conversation that you are in: answer here instead.');
  if (reaches(match)) return { found: true, address: match };
  return refuse(
    `${nameOf(match)} cannot be reached: the channel ${match.channel} is switched off. Only the operator can change that.`,
  );
}

/** What people call it. */
export function nameOf({ title, person, id }: Address): string {
  return oneLine(title ?? person?.name ?? id, 100);
}

/** The id counts before names, and a chat before its threads. A group that is called as a person does not stand before him. */
function matching(to: string, addresses: readonly Address[]): readonly Address[] {
  const wanted = plain(to);
  const ways: readonly ((address: Address) => boolean)[] = [
    ({ id }) => id === to,
    (address) => isCalled(address, wanted) && !address.isThread,
    (address) => isCalled(address, wanted),
  ];
  return ways.map((fits) => addresses.filter(fits)).find((found) => found.length > 0) ?? [];
}

function isCalled({ title, person }: Address, wanted: string): boolean {
  return [title, person?.name].some((name) => name !== undefined && plain(name) === wanted);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

function refuse(message: string): FoundAddress {
  return { found: false, message };
}

function listing(addresses: readonly Address[], { kind }: AddressSearch['from']): string {
  if (kind === 'group') return 'Name it by its id, or exactly by its title: they are listed in direct chats only.';
  if (addresses.length === 0) return 'There is no other at all.';
  const lines = addresses.slice(0, mostListed).map((address) => `- ${address.id} (${nameOf(address)})`);
  const left = addresses.length - lines.length;
  const more = left > 0 ? [`- and ${left} more`] : [];
  return ['Name one of these by its id:', ...lines, ...more].join('\n');
}

function quote(to: string): string {
  return JSON.stringify(oneLine(to, 100));
}
