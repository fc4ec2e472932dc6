import type { InboundAttachment, InboundMessage } from '../contract.ts';
import { isPlainWord } from '../tools/text.ts';
import type { KeptQuote } from './message.ts';

/** Whose files count as their own words: only an owner's, and with `all` also the documents that they send. */
export type TrustInFiles = 'none' | 'own' | 'all';

type Content = Pick<InboundMessage, 'quote' | 'shared' | 'attachments' | 'sender'>;

/**
 * The sources of what the sender of a message did not make: words of others, and files. A person's own are only their
 * pictures and voice messages: a document, a recording or a film may come from anywhere, and so may its name. Whose the
 * files of a quoted message are is not known.
 */
export function foreignSources({ quote, shared = [], attachments = [], sender }: Content, trust: TrustInFiles) {
  const words = [...(quote === undefined ? [] : [quote]), ...shared].filter(({ isOwn }) => !isOwn);
  const files = attachments.filter((file) => file.isShared === true || !isTheirs(file, trust));
  return [
    ...words.map(({ name }) => (name === '' ? 'words of somebody else' : `words of ${name}`)),
    ...(files.length === 0 ? [] : [`a file that ${sender.name} sent`]),
    ...((quote?.attachments ?? []).length === 0 ? [] : [`a file that ${quote?.name || 'somebody'} sent`]),
  ];
}

/** The attachments without names that could carry a message to a model, where the file itself taints nothing. */
export function plainlyNamed<File extends InboundAttachment>(files: readonly File[], trust: TrustInFiles) {
  return files.map((file) => {
    const isNamed = trust === 'own' && file.isShared !== true && isOwnMedia(file);
    return isNamed && !isPlainWord(stemOf(file)) ? { ...file, name: undefined } : file;
  });
}

function isTheirs(file: InboundAttachment, trust: TrustInFiles): boolean {
  return trust === 'all' || (trust === 'own' && isOwnMedia(file));
}

/** A picture or a voice message. An SVG is a text. */
function isOwnMedia({ kind, mediaType = '', name = '' }: InboundAttachment): boolean {
  return kind === 'voice' || (kind === 'image' && !/svg|xml/i.test(mediaType) && !/\.svgz?\s*$/i.test(name));
}

function stemOf({ name = '' }: InboundAttachment): string {
  return name.replace(/\.[a-z0-9]{1,5}$/i, '');
}

/** The quoted message as it is stored, without its files. */
export function keptQuote({ quote, conversation }: InboundMessage): KeptQuote | undefined {
  if (quote === undefined) return undefined;
  const { name, text, isOwn, messageKey, attachments = [] } = quote;
  if (attachments.length === 0) return { name, text, isOwn };
  const key = messageKey && `${conversation.channel}:${messageKey}`;
  return { name, text, isOwn, messageKey: key, files: attachments.length };
}
