import type { Grant } from '../../../approval/approval.ts';
import { targetWords } from '../../../approval/cards.ts';
import { escapeMarkdown, inlineCode, markdownLine } from '../../../lib/plain-text.ts';
import { clockTime, type Reader } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import { listWords } from './words.ts';

interface GrantsContext {
  readonly isApprover: (principal: string) => boolean;
  /** How long the button for a limited time allows a tool. */
  readonly minutes: number;
}

/** The answer to `/grants`. */
export function grantsReport(grants: readonly Grant[], { isApprover, minutes }: GrantsContext, reader: Reader): string {
  const words = listWords[reader.language];
  if (grants.length === 0) return words.noGrants({ minutes });
  const lines = grants.map((grant) =>
    words.grantLine({
      kind: grant.kind,
      id: inlineCode(grant.id),
      what: whatIsGranted(grant, reader.language),
      requester: escapeMarkdown(grant.requester),
      until: grant.kind === 'window' ? clockTime(grant.expiresAt, reader) : undefined,
      notBy: isApprover(grant.grantedBy) ? undefined : inlineCode(grant.grantedBy),
    }),
  );
  return words.grants({ lines });
}

function whatIsGranted(grant: Grant, language: Language): string {
  switch (grant.kind) {
    case 'window':
      return targetWords(grant.toolName, grant.targets, language);
    case 'always':
      return markdownLine(grant.description, 200);
  }
}
