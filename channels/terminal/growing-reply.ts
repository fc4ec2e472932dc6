import type { MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';
import { finalParts } from '../kit/final-parts.ts';
import type { Display } from './question.ts';
import { StreamStripper, StreamUnescaper, type Style, withoutOwnMarks } from './render.ts';
import { StreamRenderer } from './stream-renderer.ts';

/**
 * Shows a growing reply; a pipe gets only complete ones. If the final text begins with the shown one, only the rest is
 * added. `noteShown`: the message is on the screen without having been sent.
 */
export function openReply(
  display: Display,
  send: (message: OutboundMessage) => Promise<MessageRef>,
  noteShown: (message: OutboundMessage) => void,
  style: Style,
): ReplyStream {
  const preview: Preview = {
    display,
    stripper: new StreamStripper(),
    renderer: style.rendersMarkdown ? new StreamRenderer(style) : new StreamUnescaper(),
    text: '',
    isOpen: display.isLive,
    isComplete: false,
  };
  const showFinal = finalParts();
  return {
    push: (delta) => push(delta, preview),
    cancel: () => end(preview),
    async finish(parts, shown) {
      complete(parts[0]?.markdown ?? '', preview);
      await end(preview);
      await showFinal(
        parts,
        async (part, index) => {
          if (!preview.isComplete || index > 0) return send(part);
          noteShown(part);
          return { id: part.id };
        },
        shown,
      );
    },
  };
}

/** What is on the screen of a reply. */
interface Preview {
  readonly display: Display;
  readonly stripper: StreamStripper;
  readonly renderer: Pick<StreamRenderer, 'push' | 'flush'>;
  text: string;
  isOpen: boolean;
  /** It shows the whole final text. */
  isComplete: boolean;
}

function push(delta: string, preview: Preview): void {
  if (!preview.isOpen) return;
  preview.text += delta;
  append(preview.stripper.push(delta), preview);
}

function append(shown: string, { display, renderer }: Preview): void {
  display.append(withoutOwnMarks(renderer.push(shown)));
}

function complete(final: string, preview: Preview): void {
  const { text, isOpen, stripper } = preview;
  const rest = text.trim() === '' || !isOpen ? undefined : restOf(final, text);
  if (rest === undefined) return;
  append(stripper.push(rest), preview);
  preview.isComplete = true;
}

/** Ends the row of the preview. */
async function end(preview: Preview): Promise<void> {
  const { display, stripper, renderer } = preview;
  if (preview.isOpen) {
    append(stripper.flush(), preview);
    display.append(withoutOwnMarks(renderer.flush()));
  }
  preview.isOpen = false;
  await display.endRow();
}

/** What the final text adds to the shown one; undefined if it does not begin with it. Ignores outer white space. */
function restOf(final: string, shown: string): string | undefined {
  const whole = final.trim();
  const begun = shown.trimStart();
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  return begun.trimEnd() === whole ? '' : undefined;
}
