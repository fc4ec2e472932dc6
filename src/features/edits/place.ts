import { holdsSecret, type KeyPath, spellPath } from '../../config/config-error.ts';
import type { JsonValue } from '../../lib/json.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ConfigEdit } from '../../store/edits.ts';

/** A place in the config, with its old and new value. */
export interface Place {
  readonly path: KeyPath;
  /** The same, with the names of list members. */
  readonly names: readonly string[];
  readonly was: JsonValue | undefined;
  readonly is: JsonValue | undefined;
}

export type Effect = ConfigEdit['effect'];

export function edit({ path }: Place, words: string, effect: Effect): ConfigEdit {
  return { path: spellPath(path), words, effect };
}

/** An edit without words of its own: `agent.max_turns: 25 → 40`. */
export function plainEdit(place: Place, effect: Effect = 'other'): ConfigEdit {
  return edit(place, plainWords(place), effect);
}

export function plainWords(place: Place): string {
  return code(`${spellPath(place.path)}: ${difference(place)}`);
}

/** Inline code on one line. */
export function code(text: string): string {
  return inlineCode(oneLine(text, 200));
}

function difference({ path, was, is }: Place): string {
  const isShown = !holdsSecret(path) && !path.some((segment) => bearers.some((bearer) => bearer === segment));
  if (isShown && Array.isArray(was) && Array.isArray(is)) return listDifference(was.map(spell), is.map(spell));
  if (isShown && isShort(was) && isShort(is)) return `${spell(was)} → ${spell(is)}`;
  if (isMissing(was)) return 'added';
  return isMissing(is) ? 'removed' : 'changed';
}

/** Keys whose values often hold secrets: how programs are started and reached, and channel settings. */
const bearers = ['env', 'args', 'command', 'url', 'base_url', 'channels'];

function listDifference(was: readonly string[], is: readonly string[]): string {
  const more = is.filter((member) => !was.includes(member)).map((member) => `+ ${member}`);
  const less = was.filter((member) => !is.includes(member)).map((member) => `− ${member}`);
  return [...more, ...less].join(', ') || 'another order';
}

function isShort(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length <= 60 && !value.includes('\n');
  return typeof value !== 'object' || isMissing(value);
}

/** The config itself has no null. */
function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}

function spell(value: JsonValue | undefined): string {
  if (isMissing(value)) return 'not set';
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
