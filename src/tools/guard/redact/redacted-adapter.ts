import type { ChannelAdapter, OutboundMessage, ReplyStream } from '../../../contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Redactor } from './redact.ts';

/**
 * An adapter that sends no secrets, whatever the source of the text. Long texts are redacted before they are split, since half a
 * secret is not recognised; streamed ones are redacted as they grow.
 */
export function redactedAdapter(adapter: ChannelAdapter, redact: Redactor): ChannelAdapter {
  const { capabilities, localOwner, edit, openStream, showStatus, showCall, showResult } = adapter;
  return {
    capabilities,
    localOwner,
    get heardAt() {
      return adapter.heardAt;
    },
    measure: (markdown) => adapter.measure(markdown),
    start: (host) =>
      adapter.start({
        ...host,
        async receive(event) {
          const { notice } = await host.receive(event);
          return notice === undefined ? {} : { notice: redact(notice) };
        },
      }),
    stop: () => adapter.stop(),
    send: (to, message) => adapter.send(to, redactedMessage(message, redact)),
    edit: edit && ((to, ref, message) => edit.call(adapter, to, ref, redactedMessage(message, redact))),
    showStatus:
      showStatus &&
      ((to, status) => showStatus.call(adapter, to, { ...status, tip: status.tip && redact(status.tip) })),
    showCall:
      showCall &&
      ((to, call) => showCall.call(adapter, to, { ...call, arguments: redactedObject(call.arguments, redact) })),
    showResult: showResult && ((to, result) => showResult.call(adapter, to, { ...result, text: redact(result.text) })),
    openStream:
      openStream &&
      ((to, begun) => {
        const stream = openStream.call(adapter, to, begun);
        return stream && redactedEnd(stream, redact);
      }),
    // These carry no text, or text that was redacted as it grew.
    remove: adapter.remove?.bind(adapter),
    showTyping: adapter.showTyping?.bind(adapter),
    mark: adapter.mark?.bind(adapter),
    showThinking: adapter.showThinking?.bind(adapter),
    showFailure: adapter.showFailure?.bind(adapter),
    fetchAttachment: adapter.fetchAttachment?.bind(adapter),
  };
}

/** The message without secrets. Idempotent. */
export function redactedMessage<Message extends Pick<OutboundMessage, 'markdown' | 'buttons'>>(
  message: Message,
  redact: Redactor,
): Message {
  const { markdown, buttons } = message;
  const labelled = buttons?.map((row) => row.map((button) => ({ ...button, label: redact(button.label) })));
  return { ...message, markdown: redact(markdown), ...(labelled && { buttons: labelled }) };
}

function redactedEnd(stream: ReplyStream, redact: Redactor): ReplyStream {
  const redacted = (parts: Parameters<ReplyStream['finish']>[0]) => parts.map((part) => redactedMessage(part, redact));
  return {
    push: (delta) => stream.push(delta),
    finish: (parts, shown) => stream.finish(redacted(parts), shown),
    cancel: () => stream.cancel(),
    leave: stream.leave?.bind(stream),
  };
}

function redactedObject(object: JsonObject, redact: Redactor): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, redactedValue(value, redact)]));
}

function redactedValue(value: JsonValue, redact: Redactor): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactedValue(item, redact));
  return isJsonObject(value) ? redactedObject(value, redact) : value;
}
