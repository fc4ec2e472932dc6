import type { Origin } from '../approval/approval.ts';
import type { InboundMessage, OutboundMessage } from '../contract.ts';
import { newId } from '../lib/ids.ts';

/** What Keyturn itself says to what somebody did: to him alone, if he did it where nobody else sees. */
export function noticeTo({ privateTo }: Pick<Origin, 'privateTo'>, markdown: string): OutboundMessage {
  return { id: newId(20), kind: 'notice', markdown, ...(privateTo === undefined ? {} : { privateTo }) };
}

/** What Keyturn itself says to a message, below it. */
export function noticeFor({ messageId, privateTo }: InboundMessage, markdown: string): OutboundMessage {
  return {
    ...noticeTo(privateTo === undefined ? {} : { privateTo }, markdown),
    ...(messageId === undefined ? {} : { replyTo: messageId }),
  };
}
