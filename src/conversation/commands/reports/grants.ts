import type { Grant } from '../../../approval/approval.ts';
import { targetWords } from '../../../approval/cards.ts';
import { ruleWords } from '../../../approval/rules/words.ts';
import { escapeMarkdown, inlineCode, markdownLine } from '../../../lib/plain-text.ts';
import { clockTime, type Reader } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import { actingButton, type ListAnswer } from '../../../words/command-buttons.ts';
import { lineOfPage, numbered, pageNumber, pageOf, rowsOfPage } from '../pages.ts';
import { listWords } from './words.ts';

interface GrantsContext {
  readonly isApprover: (principal: string) => boolean;
  /** Who reads the list: they may revoke their own, and an approver all. */
  readonly principal: string;
  /** As somebody writes it. */
  readonly page: string;
  /** How long the button for a limited time allows a tool. */
  readonly minutes: number;
}

/** The answer to `/grants`, with a button for each that its reader may revoke. */
export function grantsReport(grants: readonly Grant[], context: GrantsContext, reader: Reader): ListAnswer {
  const { isApprover, principal, minutes } = context;
  const { language } = reader;
  const words = listWords[language];
  if (grants.length === 0) return { markdown: words.noGrants({ minutes }), again: 'grants', rows: [] };
  const page = pageOf(grants, pageNumber(context.page));
  const lines = page.entries.map(([number, grant]) => numbered(number, grantWords(grant, isApprover, reader)));
  const own = grants.filter(({ requester }) => requester === principal || isApprover(principal));
  const buttons = page.entries.flatMap(([number, grant]) =>
    own.includes(grant) ? [actingButton(words.buttonRevoke({ number }), `revoke ${grant.id}`)] : [],
  );
  const all = own.length > 1 ? [actingButton(words.buttonRevokeAll, 'revoke all', 'danger')] : [];
  const place = { ...page, command: 'grants' };
  return {
    markdown: words.grants({ lines }),
    again: lineOfPage('grants', page),
    rows: rowsOfPage(buttons, place, language, all),
  };
}

/** What is granted to whom, and until when, in a line of markdown. */
export function grantWords(grant: Grant, isApprover: (principal: string) => boolean, reader: Reader): string {
  return listWords[reader.language].grantLine({
    kind: grant.kind,
    uses: grant.uses,
    what: whatIsGranted(grant, reader.language),
    requester: escapeMarkdown(grant.requester),
    until: grant.kind === 'window' ? clockTime(grant.expiresAt, reader) : undefined,
    notBy: isApprover(grant.grantedBy) ? undefined : inlineCode(grant.grantedBy),
  });
}

/** What it allows, as markdown. */
export function whatIsGranted(grant: Grant, language: Language): string {
  switch (grant.kind) {
    case 'window':
      return targetWords(grant.toolName, grant.targets, language);
    case 'always':
      return markdownLine(grant.description, 200);
    case 'rule':
      return ruleWords[language].rule(grant);
  }
}
