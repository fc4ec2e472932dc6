/*
 * Lasting rules of people: what one covers, and which could be made of a call. A rule is never broader than the calls that
 * it was made of, and covers nothing whose harm a person has to weigh each time.
 */

import type { RuleTarget } from '../../tools/lasting-target.ts';
import type { CallFacets, ToolCategory } from '../../tools/tool.ts';

/** What a rule covers, beside its tool. */
export type RuleScope =
  | RuleTarget
  /**
   * Files with this ending (`.md`; empty: names without one) directly in a folder of the workspace, or at any depth below it:
   * `isDeep`.
   */
  | { readonly of: 'folder'; readonly folder: string; readonly ending: string; readonly isDeep: boolean };

/** A tool, and what a call of it is about. */
export interface RuledCall {
  /** Identifies the tool with its source, definition and workspace: see `callHash`. */
  readonly tool: string;
  readonly target: RuleTarget;
}

/** What a card offers beside its own call. */
export interface RuleOffer {
  /** The command that shows it, without its slash and before the card's id. */
  readonly command: string;
  readonly scope: RuleScope;
}

/** A call for which a card is written. */
export interface OfferedFor extends RuledCall {
  readonly conversationId: string;
  readonly requester: string;
  readonly toolName: string;
}

/** Finds what a card may offer. */
export interface RuleOffers {
  /** Undefined if people have not allowed such calls often enough. */
  offerFor(call: OfferedFor): Promise<RuleOffer | undefined>;
}

/** Whether any rule of a person may let a call run, whatever it is about. */
export function mayBeRuled(category: ToolCategory, facets: CallFacets = {}): boolean {
  const { unconfined = false, unreadable = false, irreversible = false, leavesConversation = false } = facets;
  return ruledCategories.includes(category) && !unconfined && !unreadable && !irreversible && !leavesConversation;
}

/** Nothing that sends, pays, moves or destroys. */
const ruledCategories: readonly ToolCategory[] = ['filesystem_write', 'shell', 'network_read'];

/** Whether the scope covers the target. */
export function scopeCovers(scope: RuleScope, target: RuleTarget): boolean {
  switch (scope.of) {
    case 'file':
      return target.of === 'file' && target.path === scope.path;
    case 'folder': {
      if (target.of !== 'file') return false;
      const { folder, name } = partsOf(target.path);
      const isThere = folder === scope.folder || (scope.isDeep && folder.startsWith(`${scope.folder}/`));
      return isThere && !hasOddPart(target.path) && endingOf(name) === scope.ending;
    }
    case 'command':
      return target.of === 'command' && target.command === scope.command;
    case 'host':
      return target.of === 'host' && target.host === scope.host;
  }
}

/** The scopes that cover a target, from the narrowest to the broadest. None covers the whole workspace. */
export function scopesOf(target: RuleTarget): readonly RuleScope[] {
  if (target.of !== 'file') return [target];
  const { folder, name } = partsOf(target.path);
  const ending = endingOf(name);
  const folders = folder === '' ? [] : folder.split('/');
  const above = folders.map((_, index) => folders.slice(0, folders.length - index).join('/'));
  return [
    target,
    ...(folder === '' ? [] : [{ of: 'folder', folder, ending, isDeep: false } as const]),
    ...above.map((one) => ({ of: 'folder', folder: one, ending, isDeep: true }) as const),
  ];
}

/** Paths come without such parts; one that has them anyway is not covered. */
function hasOddPart(path: string): boolean {
  return path.split('/').some((part) => part === '' || part.startsWith('.'));
}

function partsOf(path: string): { readonly folder: string; readonly name: string } {
  const at = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}

function endingOf(name: string): string {
  const at = name.lastIndexOf('.');
  return at <= 0 ? '' : name.slice(at);
}
