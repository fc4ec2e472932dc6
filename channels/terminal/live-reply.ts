import type { MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';
import { StreamStripper, withoutOwnMarks } from './output.ts';
import type { Display } from './question.ts';

/**
 * Shows a growing reply. If the final text begins with the shown one, only the rest is added. `noteShown`: the message
 * is on the screen without having been sent.
 */
export function openLiveReply(
  display: Display,
  send: (message: OutboundMessage) => Promise<MessageRef>,
  noteShown: (message: OutboundMessage) => void,
): ReplyStream {
  const stripper = new StreamStripper();
  let text = '';
  let isOpen = true;
  /** The preview's row has been ended. */
  let isEnded = false;
  /** The preview shows the whole final text. */
  let isComplete = false;

  function append(shown: string): void {
    display.append(withoutOwnMarks(shown));
  }

  function complete(final: string): void {
    const rest = text.trim() === '' ? undefined : restOf(final, text);
    if (rest === undefined) return;
    append(stripper.push(rest));
    isComplete = true;
  }

  async function cancel(): Promise<void> {
    if (isOpen) append(stripper.flush());
    isOpen = false;
    if (isEnded) return;
    await display.endRow();
    isEnded = true;
  }

  return {
    cancel,

    push(delta) {
      if (!isOpen) return;
      text += delta;
      append(stripper.push(delta));
    },

    async finish([first, ...rest], shown) {
      if (first === undefined) return cancel();
      if (isOpen) complete(first.markdown);
      await cancel();
      if (isComplete) noteShown(first);
      await shown(isComplete ? { id: first.id } : await send(first));
      for (const part of rest) await shown(await send(part));
    },
  };
}

/** What the final text adds to the shown one; undefined if it does not begin with it. Ignores outer white space. */
function restOf(final: string, shown: string): string | undefined {
  const whole = final.trim();
  const begun = shown.trimStart();
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  return begun.trimEnd() === whole ? '' : undefined;
}
