/*
 * What a rule would have done in the recorded history: which of the calls that somebody was asked for it covers, and whether
 * one of those was denied. Pure: the rows come from `tables.ts`.
 */

import { type RuledCall, type RuleScope, scopeCovers, scopesOf } from '../../approval/rules/rule.ts';
import type { RuleTarget } from '../../tools/lasting-target.ts';

/** A decided request for one call. */
export interface PastCase extends RuledCall {
  readonly wasAllowed: boolean;
  /** A saved permission could have been given: nothing untrusted had been read, and nothing would have been destroyed. */
  readonly grantable: boolean;
  readonly at: number;
}

/** What came of calls that the rule covers. */
export interface DryRun {
  /** Questions that were answered with a yes, and that nobody would have been asked. */
  readonly saved: number;
  readonly denied: number;
  /** When the first of them was decided, in ms since 1970. */
  readonly since: number;
  /** On how many days of UTC. */
  readonly days: number;
  /** What they were about, each once, the newest first. */
  readonly targets: readonly RuleTarget[];
}

/** So many equal approvals suffice on any day; so many, on so many different days. */
export const enoughAtOnce = 8;
export const enoughOverDays = 5;
export const fewestDays = 3;

const dayLength = 24 * 60 * 60_000;

/** What a rule would have done. A denial counts whatever the tool was like then, and whatever had been read. */
export function dryRun(scope: RuleScope, tool: string, history: readonly PastCase[]): DryRun {
  const covered = history.filter(({ target }) => scopeCovers(scope, target));
  const saved = covered.filter((one) => one.wasAllowed && one.grantable && one.tool === tool);
  const times = saved.map(({ at }) => at);
  const targets = new Map(saved.map(({ target }) => [JSON.stringify(target), target]));
  return {
    saved: saved.length,
    denied: covered.filter(({ wasAllowed }) => !wasAllowed).length,
    since: times.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY),
    days: new Set(times.map((at) => Math.floor(at / dayLength))).size,
    targets: [...targets.values()],
  };
}

/**
 * Whether the cases carry the rule: people have allowed such calls often enough, never denied one, and allowed what the
 * scope adds to a single file or folder, whatever the call is about that a card now asks for.
 */
export function carries({ saved, denied, days, targets }: DryRun, scope: RuleScope): boolean {
  const isOften = saved >= enoughAtOnce || (saved >= enoughOverDays && days >= fewestDays);
  return denied === 0 && isOften && isSpread(scope, targets);
}

/** Whether a folder's rule comes from two files at least, and a rule about what lies below it from two of the ways there. */
function isSpread(scope: RuleScope, targets: readonly RuleTarget[]): boolean {
  if (scope.of !== 'folder') return true;
  const paths = targets.flatMap((target) => (target.of === 'file' ? [target.path] : []));
  const below = paths.map((path) => path.slice(scope.folder.length + 1));
  // A file directly in it is a way of its own.
  const ways = below.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : ''));
  return new Set(scope.isDeep ? ways : below).size > 1;
}

/** The narrowest rule about the call that the history supports. */
export function supportedScope({ tool, target }: RuledCall, history: readonly PastCase[]): RuleScope | undefined {
  return scopesOf(target).find((scope) => carries(dryRun(scope, tool, history), scope));
}
