/*
 * Asking people: may this call run, may this run go on, what does the model want to know? Each becomes an approval with
 * its cards, which the caller stores together with whatever waits for it. A card goes where an approver can press: into
 * the conversation, or to the owners, and then the conversation is told. Questions stand in `questions.ts`.
 */

import type { Approval, Extension, ExtensionApproval, PermissionApproval } from '../approval/approval.ts';
import {
  type CardContent,
  cardButtons,
  extensionButtons,
  extensionCard,
  forwardedNotice,
  longestDescription,
  requestCard,
} from '../approval/cards.ts';
import { coverOf } from '../approval/verdict.ts';
import type { Button } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { inlineCode, markdownLine } from '../lib/plain-text.ts';
import type { BoundFiles, PreparedCall } from '../tools/tool.ts';
import { type PlaceParts, placesFor } from './card-places.ts';
import type { RunScope } from './feature.ts';
import type { ApprovalDraft } from './journal.ts';
import type { OutboxDraft } from './message.ts';

interface RequestSettings {
  /** How long a card waits, in ms. At half time people are reminded. */
  readonly timeout: number;
  /** The same for a run that asks to go on. */
  readonly extensionTimeout: number;
  /** How long a window grant holds, in ms. */
  readonly window: number;
}

export interface RequestParts extends PlaceParts {
  readonly clock: Clock;
  readonly settings: RequestSettings & PlaceParts['settings'];
  /** Removes secrets from what the model or people will read. */
  readonly redact: (text: string) => string;
}

export interface AskedPermission {
  readonly callId: string;
  readonly prepared: PreparedCall;
  readonly hash: string;
  readonly bound?: BoundFiles;
  readonly reason: string;
  readonly grantable: boolean;
  /** See `Verdict`. */
  readonly endedBy?: string | undefined;
}

export type JointCalls = readonly [AskedPermission, ...AskedPermission[]];

/** Asks for one call, or for several calls of one answer on one card. `places` is empty if nobody can decide. */
export async function draftPermission(
  [first, ...others]: JointCalls,
  where: RunScope,
  parts: RequestParts,
): Promise<ApprovalDraft<PermissionApproval>> {
  const { callId, prepared, hash, grantable } = first;
  const content = await contentOf(first, where, parts);
  const rest = await Promise.all(others.map((one) => contentOf(one, where, parts)));
  const { description, asked } =
    others.length === 0
      ? { ...content, asked: { ...askedFor(content), targets: coverOf(prepared.facets) } }
      : together([content, ...rest], others);
  const approval: PermissionApproval = {
    ...newApproval(where, parts.settings.timeout, parts),
    type: 'permission',
    callId,
    toolName: [...new Set([first, ...others].map((one) => one.prepared.toolName))].join(', '),
    description,
    hash,
    grantable: grantable && others.length === 0,
    places: await placesFor(where.scope.conversationId, parts),
    asked: { ...asked, readBefore: where.labels.sources, reads: where.labels.reads },
  };
  const cards = cardsOf(approval, {
    markdown: requestCard(approval, { ...content, forwardedFrom: forwardedFrom(approval, where) }, ...rest),
    buttons: cardButtons(approval, first.endedBy === undefined ? parts.settings.window : undefined),
    elsewhere: forwardedNotice(approval),
  });
  return { approval, cards };
}

const askedFor = ({ category, arguments: args, reason }: CardContent) => ({ category, arguments: args, reason });

/** The approval of several calls, numbered as on the card. */
function together(contents: readonly [CardContent, ...CardContent[]], others: readonly AskedPermission[]) {
  const calls = contents.map((one) => ({ tool: one.displayName, ...askedFor(one) }));
  const share = Math.floor(longestDescription / contents.length) - '(1) ; '.length;
  return {
    description: contents.map((one, index) => `(${index + 1}) ${markdownLine(one.description, share)}`).join('; '),
    asked: {
      category: (contents.find(({ category }) => category === 'destructive') ?? contents[0]).category,
      arguments: { calls },
      reason: [...new Set(contents.map(({ reason }) => reason))].join('; '),
      others: others.map(({ callId, hash }) => ({ callId, hash })),
    },
  };
}

async function contentOf(
  { prepared, bound, reason, endedBy }: AskedPermission,
  where: RunScope,
  { redact }: RequestParts,
): Promise<CardContent> {
  const worker = where.workers.at(-1)?.name;
  const { displayName, category, arguments: args, effect } = prepared;
  const preview = await prepared.preview(where.scope);
  const withoutLinks = plainIn(where);
  return {
    description: withoutLinks(prepared.describe()),
    displayName,
    category,
    arguments: args,
    reason: worker === undefined ? reason : `${reason}; ${inlineCode(worker)} calls it`,
    effect,
    files: bound?.files,
    endedBy,
    // The preview of a file shows lines around the change, which may hold secrets.
    preview: preview === undefined ? undefined : redact(preview),
    withoutLinks,
  };
}

export interface AskedExtension {
  readonly extension: Extension;
  /** The bound it reached, as a markdown sentence. */
  readonly reason: string;
  /** What it would do, as markdown after "May I". */
  readonly description: string;
}

/** Asks whether a run may go on. About turns, the person it serves may decide: they could start another run just as well. */
export async function draftExtension(
  { extension, reason, description }: AskedExtension,
  where: RunScope,
  parts: RequestParts,
): Promise<ApprovalDraft<ExtensionApproval>> {
  const { conversationId } = where.scope;
  const approval: ExtensionApproval = {
    ...newApproval(where, parts.settings.extensionTimeout, parts),
    type: 'extension',
    toolName: 'go on',
    description,
    extension,
    places: extension.bound === 'turns' ? [conversationId] : await placesFor(conversationId, parts),
  };
  const cards = cardsOf(approval, {
    markdown: extensionCard(approval, { reason, forwardedFrom: forwardedFrom(approval, where) }),
    buttons: extensionButtons(approval),
    elsewhere: `⏸️ ${reason}\n\n${forwardedNotice(approval)}`,
  });
  return { approval, cards };
}

/** Makes addresses plain text where links could leak, without a note about it. */
export function plainIn({ withoutLinks }: RunScope): (text: string) => string {
  return (text) => withoutLinks?.(text, '') ?? text;
}

export function newApproval({ scope, runsIn }: RunScope, timeout: number, { clock }: RequestParts) {
  const now = clock.now();
  return {
    id: newId(8),
    conversationId: scope.conversationId,
    runsIn,
    requester: scope.sender.principal,
    requesterName: scope.sender.name,
    state: 'pending',
    createdAt: now,
    expiresAt: now + timeout,
  } as const;
}

function isHere({ places, conversationId }: Approval): boolean {
  return places.includes(conversationId);
}

function forwardedFrom(approval: Approval, { conversationTitle }: RunScope): string | undefined {
  return isHere(approval) ? undefined : conversationTitle;
}

interface CardWords {
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  /** What the conversation is told if the card stands in another place. */
  readonly elsewhere?: string;
}

export function cardsOf(approval: Approval, { markdown, buttons, elsewhere = '' }: CardWords): readonly OutboxDraft[] {
  const card = (conversationId: string, words: Omit<CardWords, 'elsewhere'>): OutboxDraft => ({
    conversationId,
    message: { id: newId(20), kind: 'card', ...words },
  });
  const asking = approval.places.map((place) => card(place, { markdown, buttons }));
  if (isHere(approval) || asking.length === 0) return asking;
  return [...asking, card(approval.conversationId, { markdown: elsewhere })];
}
