import type { PermissionApproval } from '../../src/approval/approval.ts';
import type { CardContent } from '../../src/approval/asking/request-card.ts';
import { approvalWords } from '../../src/approval/words.ts';

/** An approval that waits, changed where a test says so. */
export function anApproval(changed: Partial<PermissionApproval> = {}): PermissionApproval {
  return {
    type: 'permission',
    id: 'k3f9abcd',
    callId: 'c1',
    conversationId: 'test:ada',
    requester: 'test:ada',
    requesterName: 'Ada',
    toolName: 'shell',
    description: 'run `ls`',
    hash: 'h1',
    grantable: true,
    state: 'pending',
    createdAt: 0,
    expiresAt: 1_800_000,
    cardConversationIds: ['test:ada'],
    ...changed,
  };
}

/** What a card says beside it. */
export function cardContent(changed: Partial<CardContent> = {}): CardContent {
  return {
    description: 'run `ls`',
    displayName: 'Shell',
    category: 'shell',
    arguments: { command: 'ls' },
    reason: approvalWords.en.reason({ because: 'dangerous-tool', tool: 'shell' }),
    ...changed,
  };
}
