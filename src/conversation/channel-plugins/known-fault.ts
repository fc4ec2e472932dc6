import type { ChannelFault } from '../../contract.ts';

/** What a `ChannelError` says, also one of another copy of the library; undefined if it is none. */
export function knownFault(error: unknown): ChannelFault | undefined {
  if (!(error instanceof Error) || error.name !== 'ChannelError') return undefined;
  const fault: unknown = Reflect.get(error, 'fault');
  if (typeof fault !== 'object' || fault === null) return undefined;
  const { type, retryAfter, chatId }: { type?: unknown; retryAfter?: unknown; chatId?: unknown } = fault;
  switch (type) {
    case 'rate-limited':
      return typeof retryAfter === 'number' && retryAfter >= 0 ? { type, retryAfter } : { type: 'transient' };
    case 'moved':
      return typeof chatId === 'string' ? { type, chatId } : undefined;
    case 'transient':
    case 'permanent':
    case 'auth':
    case 'ambiguous':
      return { type };
  }
  return undefined;
}
