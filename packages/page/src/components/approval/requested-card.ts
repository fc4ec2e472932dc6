import type { WaitingCall, WaitingCard, WaitingChoice } from '../../../../../src/features/page/wire/waiting.ts';

/** What the gateway's frame `approval_request` says. */
export interface ApprovalRequest {
  readonly id: string;
  readonly kind?: 'call' | 'question' | 'extension' | undefined;
  readonly tool: string;
  readonly category?: string | undefined;
  readonly arguments?: WaitingCall['arguments'] | undefined;
  readonly reason?: string | undefined;
  readonly description?: string | undefined;
  readonly requester?: string | undefined;
  /** The whole card, as markdown. */
  readonly message: string;
  readonly choices: readonly {
    readonly id: string;
    readonly label: string;
    readonly style: WaitingChoice['style'];
    readonly asks?: string | undefined;
  }[];
  readonly expires_ms?: number | undefined;
}

/** The card that a frame asks by, until the daemon was asked for all of it. */
export function requestedCard(request: ApprovalRequest, at: number): WaitingCard {
  const {
    id,
    kind = 'call',
    tool,
    category,
    reason,
    description,
    requester = '',
    message,
    choices,
    expires_ms,
  } = request;
  const isYes = (choice: string): boolean => /^ap:[a-z0-9]+:[aws]$/.test(choice);
  return {
    id,
    kind,
    tool,
    category,
    description: description ?? message,
    reason,
    notes: [],
    body: '',
    requester: { principal: '', name: requester, isReader: true },
    conversation: { id: '', channel: '', title: '', kind: 'direct' },
    calls:
      request.arguments === undefined
        ? []
        : [{ tool, category: category ?? '', arguments: request.arguments, reason: reason ?? '' }],
    files: [],
    isDangerous: choices.some((choice) => choice.style === 'danger' && isYes(choice.id)),
    choices: choices
      .filter((choice) => !/^ap:[a-z0-9]+:[vp]$/.test(choice.id))
      .map((choice) => ({ ...choice, isYes: isYes(choice.id) })),
    takesText: kind === 'question',
    createdAt: at,
    expiresAt: expires_ms === undefined ? undefined : at + expires_ms,
  };
}
