import type { MessageRef, ReplyStream } from '../../contract.ts';
import type { ChannelGuard } from './channel-guard.ts';

/** A reply that is shown by what somebody else has written. */
export function guardedStream(stream: ReplyStream, guard: ChannelGuard): ReplyStream {
  const { leave } = stream;
  return {
    push: (delta) => guard.quietly(() => stream.push(delta)),
    finish: async (parts, shown) => {
      const ours: unknown[] = [];
      const noted = async (ref: MessageRef): Promise<void> => {
        await shown(ref).catch((error: unknown) => {
          ours.push(error);
          throw error;
        });
      };
      const finished = guard.attempt(async () => stream.finish(parts, noted));
      // What we could not note down is no fault of the channel's.
      await finished.catch((error: unknown) => {
        throw ours.length > 0 ? ours[0] : error;
      });
    },
    cancel: () => guard.attempt(async () => stream.cancel()),
    ...(leave && { leave: () => guard.attempt(async () => leave.call(stream)) }),
  };
}
