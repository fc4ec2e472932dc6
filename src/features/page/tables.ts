import type { FeatureTables } from '../../store/migrate.ts';

/** Finds what the page lists of the core's tables: what was said to people in a conversation, what they typed, and what was decided. */
export const pageTables: FeatureTables = {
  steps: [
    `
  CREATE INDEX page_decided ON approvals (decided_at) WHERE decided_at IS NOT NULL;
  CREATE INDEX page_decided_of_person ON approvals (requester, decided_at) WHERE decided_at IS NOT NULL;
  CREATE INDEX page_grants ON grants (created_at) WHERE revoked_at IS NULL;
  CREATE INDEX page_grants_of_person ON grants (requester, created_at) WHERE revoked_at IS NULL;
  CREATE INDEX page_shown ON outbox (conversation_id, seq) WHERE kind IN ('reply', 'for_user', 'card', 'notice');
  CREATE INDEX page_commands ON inbox (conversation_id, seq) WHERE kind = 'command';
`,
  ],
};
