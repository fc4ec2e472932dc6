import type { MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';

/** Finishes a reply of one part. Resolves with its ref; throws what the stream throws. */
export async function finishStream(stream: ReplyStream | undefined, message: OutboundMessage): Promise<MessageRef> {
  const refs: MessageRef[] = [];
  await stream?.finish([message], async (ref) => void refs.push(ref));
  const [ref] = refs;
  if (ref === undefined) throw new Error('the stream has shown nothing');
  return ref;
}
