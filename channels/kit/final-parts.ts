import type { MessageRef, OutboundMessage } from '../../src/contract.ts';

/** Shows the parts of a finished reply. After a failure, another call continues with the unfinished part. */
export function finalParts() {
  let told = 0;
  /** A shown message that `shown` has not accepted yet. */
  let untold: MessageRef | undefined;
  return async (
    parts: readonly OutboundMessage[],
    show: (part: OutboundMessage, index: number) => Promise<MessageRef>,
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> => {
    for (const part of parts.slice(told)) {
      untold ??= await show(part, told);
      await shown(untold);
      untold = undefined;
      told += 1;
    }
  };
}
