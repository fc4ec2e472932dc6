import type { OutboundMessage } from '../../src/contract.ts';

/** Whether Keyturn itself wrote the message: a model could let an instant say another time than its words. */
export function isOwnWords({ kind }: Pick<OutboundMessage, 'kind'>): boolean {
  return kind === 'card' || kind === 'notice' || kind === 'status';
}
