import type { ChannelAdapter, OutboundMessage, ReplyStream, RoomEntry } from '../../../contract.ts';
import { jsonCopy } from '../../../lib/json.ts';
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
        suggestions:
          host.suggestions &&
          (async (...asked) =>
            (await host.suggestions?.(...asked))?.map((one) => ({ ...one, label: redact(one.label) })) ?? []),
        waitingRoom:
          host.waitingRoom && (async (sender) => (await host.waitingRoom?.(sender))?.map(redactedEntry(redact)) ?? []),
      }),
    stop: () => adapter.stop(),
    send: (to, message) => adapter.send(to, redactedMessage(message, redact)),
    edit: edit && ((to, ref, message) => edit.call(adapter, to, ref, redactedMessage(message, redact))),
    showStatus:
      showStatus &&
      ((to, status) => showStatus.call(adapter, to, { ...status, tip: status.tip && redact(status.tip) })),
    showCall:
      showCall &&
      ((to, call) => {
        const shown = jsonCopy(call.arguments, (_key, part) => (typeof part === 'string' ? redact(part) : part));
        return showCall.call(adapter, to, { ...call, arguments: shown });
      }),
    showResult: showResult && ((to, result) => showResult.call(adapter, to, { ...result, text: redact(result.text) })),
    openStream:
      openStream &&
      ((to, refused) => {
        const stream = openStream.call(adapter, to, refused);
        return stream && redactedEnd(stream, redact);
      }),
    // These carry no text, or text that was redacted as it grew.
    remove: adapter.remove?.bind(adapter),
    showTyping: adapter.showTyping?.bind(adapter),
    mark: adapter.mark?.bind(adapter),
    react: adapter.react?.bind(adapter),
    showThinking: adapter.showThinking?.bind(adapter),
    showFailure: adapter.showFailure?.bind(adapter),
    fetchAttachment: adapter.fetchAttachment?.bind(adapter),
    startLink: adapter.startLink?.bind(adapter),
    leave: adapter.leave?.bind(adapter),
  };
}

function redactedEntry(redact: Redactor): (entry: RoomEntry) => RoomEntry {
  return (entry) => {
    const buttons = entry.buttons.map((button) => ({ ...button, label: redact(button.label) }));
    return { ...entry, markdown: redact(entry.markdown), buttons };
  };
}

/** The message without secrets. Idempotent. */
export function redactedMessage<Message extends Pick<OutboundMessage, 'markdown' | 'written' | 'buttons'>>(
  message: Message,
  redact: Redactor,
): Message {
  const { markdown, written, buttons } = message;
  const labelled = buttons?.map((row) => row.map((button) => ({ ...button, label: redact(button.label) })));
  const texts = { markdown: redact(markdown), ...(written && { written: redact(written) }) };
  return { ...message, ...texts, ...(labelled && { buttons: labelled }) };
}

function redactedEnd(stream: ReplyStream, redact: Redactor): ReplyStream {
  const redacted = (parts: Parameters<ReplyStream['finish']>[0]) => parts.map((part) => redactedMessage(part, redact));
  return {
    push: (delta) => stream.push(delta),
    finish: (parts, shown) => stream.finish(redacted(parts), shown),
    cancel: () => stream.cancel(),
  };
}

/** How many characters of shown text are redacted again: the length of the longest private key. */
const context = 4096;
/** Longer words are shown as they grow. */
const longestWord = 2048;

/** Shows a growing text without its secrets. */
export interface RedactedStream {
  push(delta: string): void;
  /** The text is complete: shows what was held back. */
  end(): void;
}

/**
 * Holds back what may begin a secret until more follows: the beginning of one of `secrets`, or an unfinished word with
 * digits or signs, which tokens have.
 */
export function createRedactedStream(
  redact: Redactor,
  secrets: readonly string[],
  show: (delta: string) => void,
): RedactedStream {
  const held = new HeldText(redact, secrets, show);
  return { push: (delta) => held.push(delta), end: () => held.end() };
}

class HeldText implements RedactedStream {
  readonly #redact: Redactor;
  readonly #secrets: readonly string[];
  readonly #show: (delta: string) => void;
  /** The text shown last, unredacted, and the text held back after it. */
  #text = '';
  #shown = 0;

  constructor(redact: Redactor, secrets: readonly string[], show: (delta: string) => void) {
    this.#redact = redact;
    this.#secrets = secrets;
    this.#show = show;
  }

  push(delta: string): void {
    this.#text += delta;
    const [word = ''] = /[\x21-\x7e]*$/.exec(this.#text.slice(-longestWord)) ?? [];
    const isToken = /[\d_+/=~:@-]/.test(word) && word.length < longestWord;
    this.#showUpTo(this.#text.length - (isToken ? word.length : this.#beginningOfSecret()));
  }

  end(): void {
    this.#showUpTo(this.#text.length);
  }

  /** How many characters at the end begin a known secret. */
  #beginningOfSecret(): number {
    const text = this.#text;
    let length = 0;
    for (const secret of this.#secrets) {
      const most = Math.min(secret.length - 1, text.length);
      for (let size = most; size > length; size--) if (text.endsWith(secret.slice(0, size))) length = size;
    }
    return length;
  }

  #showUpTo(end: number): void {
    if (end <= this.#shown) return;
    const before = this.#redact(this.#text.slice(0, this.#shown));
    const after = this.#redact(this.#text.slice(0, end));
    const from = Math.max(0, end - context);
    this.#text = this.#text.slice(from);
    this.#shown = end - from;
    // Shown text can't be taken back. If a secret turns out to reach into it, only the rest is shown.
    const fresh = after.slice(commonStart(before, after).length);
    if (fresh !== '') this.#show(fresh);
  }
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return one.slice(0, length);
}
