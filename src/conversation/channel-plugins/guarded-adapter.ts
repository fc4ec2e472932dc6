import type { ChannelAdapter, ChannelCapabilities, ChannelHost, MessageRef } from '../../contract.ts';
import type { Log } from '../../lib/log.ts';
import { ModuleError } from '../../tools/pinned-code/module-files.ts';
import { ChannelGuard } from './channel-guard.ts';
import { guardedHost } from './guarded-host.ts';
import { guardedStream } from './guarded-stream.ts';

/**
 * An adapter of somebody's that keeps the contract whatever it does: what it throws is a `ChannelError` or nothing, it
 * speaks for its own channel alone, and nobody is an owner because it says so. Throws `ModuleError` if it is no adapter.
 */
export function guardedAdapter(name: string, adapter: ChannelAdapter, log: Log): ChannelAdapter {
  const guard = new ChannelGuard(name, log);
  const capabilities = checked(adapter);
  return {
    capabilities,
    get heardAt() {
      return typeof adapter.heardAt === 'number' ? adapter.heardAt : undefined;
    },
    measure: (markdown) =>
      measured(
        guard.quietly(() => adapter.measure(markdown)),
        markdown,
      ),
    start: async (host: ChannelHost) => adapter.start(guardedHost(name, host)),
    stop: async () => adapter.stop(),
    send: (to, message) => guard.attempt(async () => refOf(await adapter.send(to, message))),
    ...guardedOptions(adapter, guard),
  };
}

/** What an adapter can do only if it has the method. */
function guardedOptions(adapter: ChannelAdapter, guard: ChannelGuard): Partial<ChannelAdapter> {
  const { edit, remove, showTyping, mark, showStatus, showCall, showResult, showThinking, showFailure } = adapter;
  const { openStream, fetchAttachment } = adapter;
  return {
    ...(edit && { edit: (...given) => guard.attempt(async () => edit.apply(adapter, given)) }),
    ...(remove && { remove: (...given) => guard.attempt(async () => remove.apply(adapter, given)) }),
    ...(showTyping && { showTyping: (...given) => guard.attempt(async () => showTyping.apply(adapter, given)) }),
    ...(mark && { mark: (...given) => guard.attempt(async () => mark.apply(adapter, given)) }),
    ...(showStatus && { showStatus: (...given) => guard.quietly(() => showStatus.apply(adapter, given)) }),
    ...(showCall && { showCall: (...given) => guard.quietly(() => showCall.apply(adapter, given)) }),
    ...(showResult && { showResult: (...given) => guard.quietly(() => showResult.apply(adapter, given)) }),
    ...(showThinking && { showThinking: (...given) => guard.quietly(() => showThinking.apply(adapter, given)) }),
    ...(showFailure && { showFailure: (...given) => guard.quietly(() => showFailure.apply(adapter, given)) }),
    ...(openStream && {
      openStream: (...given) => {
        const stream = guard.quietly(() => openStream.apply(adapter, given));
        return stream === undefined ? undefined : guardedStream(stream, guard);
      },
    }),
    ...(fetchAttachment && {
      fetchAttachment: (...given) => guard.attempt(async () => fetchAttachment.apply(adapter, given)),
    }),
  };
}

function checked(adapter: ChannelAdapter): ChannelCapabilities {
  const { capabilities, measure, start, stop, send }: Partial<ChannelAdapter> = adapter ?? {};
  if ([measure, start, stop, send].some((method) => typeof method !== 'function'))
    throw new ModuleError('makes no adapter: it lacks measure, start, stop or send');
  const { maxLength, maxFileBytes, editPause, heartbeat = 1 }: Partial<ChannelCapabilities> = capabilities ?? {};
  const numbers = [maxLength, maxFileBytes, editPause?.direct, editPause?.group, heartbeat];
  if (capabilities === undefined || !numbers.every((number) => typeof number === 'number' && number >= 0))
    throw new ModuleError('makes an adapter without proper capabilities: see ChannelCapabilities in "keyturn/channel"');
  return capabilities;
}

/** A text that could not be measured is as long as it is. */
function measured(length: number | undefined, markdown: string): number {
  return typeof length === 'number' && length >= 0 ? length : markdown.length;
}

function refOf(ref: MessageRef): MessageRef {
  const { id }: Partial<MessageRef> = ref ?? {};
  if (typeof id !== 'string') throw new TypeError('send resolved without the id of what it sent');
  return { id };
}
