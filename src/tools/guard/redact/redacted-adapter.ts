import type { ChannelAdapter, OutboundMessage, ReplyStream, ToolStatus } from '../../../contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Redactor } from './redact.ts';

/**
 * The way out of every text: an adapter through which no secret leaves, no matter who wrote the text. What is longer than a message
 * was redacted before it was split, since half a secret is not recognised; and what is shown while it grows, as it grows.
 */
export function redactedAdapter(adapter: ChannelAdapter, redact: Redactor): ChannelAdapter {
  const { capabilities, localOwner, edit, openStream, showStatus, showCall, showResult } = adapter;
  return {
    capabilities,
    ...(localOwner && { localOwner }),
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
    ...(edit && { edit: (to, ref, message) => edit.call(adapter, to, ref, redactedMessage(message, redact)) }),
    ...(showStatus && { showStatus: (to, status) => showStatus.call(adapter, to, redactedStatus(status, redact)) }),
    ...(showCall && {
      showCall: (to, call) =>
        showCall.call(adapter, to, { ...call, arguments: redactedObject(call.arguments, redact) }),
    }),
    ...(showResult && {
      showResult: (to, result) => showResult.call(adapter, to, { ...result, text: redact(result.text) }),
    }),
    ...(openStream && {
      openStream: (to, begun) => {
        const stream = openStream.call(adapter, to, begun);
        return stream && redactedEnd(stream, redact);
      },
    }),
    ...untouched(adapter),
  };
}

/** What says nothing, or says what grows. */
function untouched(adapter: ChannelAdapter): Partial<ChannelAdapter> {
  const { remove, showTyping, mark, showThinking, showFailure, fetchAttachment } = adapter;
  return {
    ...(remove && { remove: (...given) => remove.apply(adapter, given) }),
    ...(showTyping && { showTyping: (...given) => showTyping.apply(adapter, given) }),
    ...(mark && { mark: (...given) => mark.apply(adapter, given) }),
    ...(showThinking && { showThinking: (...given) => showThinking.apply(adapter, given) }),
    ...(showFailure && { showFailure: (...given) => showFailure.apply(adapter, given) }),
    ...(fetchAttachment && { fetchAttachment: (...given) => fetchAttachment.apply(adapter, given) }),
  };
}

/** The same message without secrets. Doing it twice changes nothing. */
export function redactedMessage<Message extends Pick<OutboundMessage, 'markdown' | 'buttons'>>(
  message: Message,
  redact: Redactor,
): Message {
  const { markdown, buttons } = message;
  const labelled = buttons?.map((row) => row.map((button) => ({ ...button, label: redact(button.label) })));
  return { ...message, markdown: redact(markdown), ...(labelled && { buttons: labelled }) };
}

function redactedStatus(status: ToolStatus, redact: Redactor): ToolStatus {
  return status.tip === undefined ? status : { ...status, tip: redact(status.tip) };
}

function redactedEnd(stream: ReplyStream, redact: Redactor): ReplyStream {
  const { leave } = stream;
  return {
    push: (delta) => stream.push(delta),
    finish: (parts, shown) =>
      stream.finish(
        parts.map((part) => redactedMessage(part, redact)),
        shown,
      ),
    cancel: () => stream.cancel(),
    ...(leave && { leave: () => leave.call(stream) }),
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
