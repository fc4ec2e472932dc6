import { readFileSync } from 'node:fs';
import type { Button, ChannelFault, OutboundMessage } from '../../src/contract.ts';
import type { Words } from '../../src/lib/words.ts';

/** What the platform was asked to do, in the order in which it was asked. */
export interface Traffic {
  readonly type: 'send' | 'edit' | 'preview' | 'finish' | 'cancel' | 'remove';
  readonly conversationId: string;
  readonly text: string;
  readonly id?: string;
  readonly written?: string | undefined;
  readonly ref?: string;
  /** It was to ring nowhere. Edits never do. */
  readonly isSilent?: boolean;
  readonly failed: boolean;
}

/**
 * How a request fails; `isShown`: though the platform has carried it out; `of`, `in`: only of this kind, only in this conversation;
 * `withFile`: only with a file, or only without one; `says`: only with these words · `lasts`: until
 * the platform recovers.
 */
export interface Trouble {
  readonly fault: ChannelFault;
  /** What the platform says. Default: the kind of fault. */
  readonly words?: Words;
  readonly isShown: boolean;
  readonly of?: Traffic['type'];
  readonly in?: string;
  readonly withFile?: boolean;
  readonly says?: string;
  readonly lasts?: boolean;
}

/** Whether the request is one that is to fail so. */
export function meets(
  { of, in: where, withFile, says }: Trouble,
  { type, conversationId, message }: Pick<Traffic, 'type' | 'conversationId'> & { readonly message: OutboundMessage },
): boolean {
  if ((of ?? type) !== type || (where ?? conversationId) !== conversationId) return false;
  if (withFile !== undefined && withFile !== (message.file !== undefined)) return false;
  return says === undefined || message.markdown.includes(says);
}

/** A message as people see it. */
export interface Shown {
  readonly ref: string;
  readonly conversationId: string;
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly (readonly Button[])[];
  /** With what it held when it was shown. */
  readonly file?: {
    readonly name: string;
    readonly mediaType: string;
    readonly content: string;
    readonly isVoice?: true | undefined;
  };
  readonly replyTo?: string;
  readonly privateTo?: string;
}

/** The message as people see it from now on. */
export function shownOf(message: OutboundMessage, at: Pick<Shown, 'ref' | 'conversationId'>): Shown {
  const { kind, id, markdown: text, buttons = [], file, replyTo, privateTo } = message;
  return {
    ...at,
    kind,
    id,
    text,
    buttons,
    ...(file === undefined
      ? {}
      : {
          file: {
            ...{ name: file.name, mediaType: file.mediaType, isVoice: file.isVoice },
            content: readFileSync(file.path, 'utf8'),
          },
        }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(privateTo === undefined ? {} : { privateTo }),
  };
}

/** The button of a card that says this; the first, if nothing is said. */
export function buttonOf({ buttons, text }: Shown, words = ''): string {
  const named = buttons.flat().filter(({ label }) => label.includes(words));
  // Where there is danger, the way out comes first.
  const button = named.find(({ actionId }) => words === '' && actionId.endsWith(':a')) ?? named[0];
  if (button === undefined) throw new Error(`no button "${words}" on: ${text}`);
  return button.actionId;
}
